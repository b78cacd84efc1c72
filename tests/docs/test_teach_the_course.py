"""The page for teachers: its tables are those of the present course."""

import runpy
from pathlib import Path

from npformer_course.grading.exercise_selection import WEEKS
from npformer_course.order import NOTEBOOKS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how_to" / "teach_the_course.md"


def test_tables_are_those_of_the_present_course():
    tool = runpy.run_path(str(ROOT / "tools" / "teaching_tables.py"))
    page = PAGE.read_text(encoding="utf-8")
    assert tool["with_tables"](page) == page, "run  python tools/teaching_tables.py"


def test_each_week_has_a_lecture():
    text = PAGE.read_text(encoding="utf-8").split("## What to show in the lecture")[1]
    numbers = [
        line.split(".")[0] for line in text.split("\n##")[0].splitlines() if line[:1].isdigit()
    ]
    assert numbers == [str(n) for n in range(1, len(WEEKS) + 1)]


def test_weeks_cover_all_notebooks_once():
    numbers = []
    for between in WEEKS.values():
        first, _, last = between.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    assert numbers == list(range(1, len(NOTEBOOKS) + 1))
