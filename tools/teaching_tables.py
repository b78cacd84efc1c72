"""Write the tables of docs/how_to/teach_the_course.md: python tools/teaching_tables.py.

The weeks are those of `npformer course release --set week1`. Minutes and objectives of a notebook
are those of notebooks/README.md and of the notebook itself, those of an exercise are in its
teacher.py.
"""

from __future__ import annotations

import re
from pathlib import Path

from npformer_course import course
from npformer_course.grading.exercise_selection import WEEKS, exercise_ids
from npformer_course.order import NOTEBOOKS, PARTS, Notebook, PartEnd, labels

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
PAGE = ROOT / "docs" / "how_to" / "teach_the_course.md"


def main() -> None:
    """Write the page with new tables."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_tables(page: str) -> str:
    """Return a page with what stands between its markers written anew."""
    for name, lines in (("plan", plan()), ("objectives", objectives()), ("exercises", exercises())):
        start = f"<!-- {name} -->\n\n"
        end = f"<!-- end of {name} -->"
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(end)
        page = before + start + "\n".join(lines) + "\n\n" + end + after
    return page


def plan() -> list[str]:
    """Return a row for each week: its notebooks, exercises, hours and the ends of parts.

    The last row has the hours of all weeks.
    """
    rows = ["| week | notebooks | exercises | hours | at its end |", "|--:|---|---|--:|---|"]
    total = 0
    for week, between in WEEKS.items():
        first, _, last = between.partition("-")
        notebooks = NOTEBOOKS[int(first) - 1 : int(last or first)]
        links = []
        minutes = 0
        ends: list[str] = []
        for notebook in notebooks:
            links.append(link(notebook.name, labels()[notebook.name]))
            minutes += minutes_of(notebook.name)
            for detour in notebook.detours:
                if isinstance(detour, PartEnd):
                    ends.append(link(detour.name, detour.title))
                    minutes += minutes_of(detour.name)

        ids = exercise_ids(week)
        for id in ids:
            if not stands_in_a_notebook(id):
                minutes += course.load(id).minutes
        total += minutes
        named = ", ".join(f"`{id}`" for id in ids)
        hours = f"{minutes / 60:.1f}"
        number = week.removeprefix("week")
        rows.append(f"| {number} | {' '.join(links)} | {named} | {hours} | {', '.join(ends)} |")
    rows.append(f"| total hours | | | {total / 60:.1f} | |")
    return rows


def objectives() -> list[str]:
    """Return a line for each notebook: what one can do after it."""
    lines = []
    for part in PARTS:
        lines += [f"**{part.title}**", ""]
        for notebook in part.notebooks:
            text = objective_of(notebook)
            lines.append(f"- {link(notebook.name, labels()[notebook.name])}: {text}")
        lines.append("")
    return lines[:-1]


def exercises() -> list[str]:
    """Return a row for each exercise."""
    rows = ["| | exercise | minutes | difficulty | importance |", "|--:|---|--:|--:|--:|"]
    for id in course.EXERCISES:
        exercise = course.load(id)
        cells = (
            f"{exercise.number:02}",
            f"`{id}`",
            exercise.minutes,
            exercise.difficulty,
            exercise.importance,
        )
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return rows


def link(name: str, text: str) -> str:
    """Return a link to a notebook, as the page's folder needs it."""
    return f"[{text}](../../notebooks/{labels()[name]}_{name}.ipynb)"


def minutes_of(name: str) -> int:
    """Return the minutes of a notebook with its writing, the last column of notebooks/README.md."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"_{name}\.ipynb\).*\| *(\d+) *\|$", page, re.MULTILINE)
    if found is None:
        raise ValueError(f"notebooks/README.md has no minutes for {name}")
    return int(found[1])


def objective_of(notebook: Notebook) -> str:
    """Return what stands after "After this you can" in the head of a notebook."""
    path = FOLDER / f"{labels()[notebook.name]}_{notebook.name}.py"
    text = path.read_text(encoding="utf-8").replace("\n# ", " ")
    found = re.search(r"\*\*After this you can\*\* (.*?\.)\n", text)
    if found is None:
        raise ValueError(f"{path.name} does not say what one can do after it")
    return found[1]


def stands_in_a_notebook(id: str) -> bool:
    """Return whether a notebook has the exercise as a cell to write."""
    for path in FOLDER.glob("[0-9]*_*.py"):
        if f'exercise("{id}").check(' in path.read_text(encoding="utf-8"):
            return True
    return False


if __name__ == "__main__":
    main()
