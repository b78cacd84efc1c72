"""The page of a class: everybody's points, and how often each mistake was made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from ... import course
from ...jupyter_syntax import COMMAND, TIMED
from ...report import Finding, Report, total
from ...words import counted

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.45 system-ui, sans-serif; color: #222;
  max-width: 80rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin-bottom: 0 }
h2 { font-size: 1.15rem; margin-top: 2.5rem }
p { max-width: 48rem }
.wide { overflow-x: auto }
table { border-collapse: collapse }
th, td { padding: .15rem .4rem; border-bottom: 1px solid #ddd;
  text-align: right; font-variant-numeric: tabular-nums }
th:first-child { position: sticky; left: 0; background: #fff; max-width: 13rem;
  text-align: left; font-weight: normal;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
th.turned { writing-mode: vertical-rl; transform: rotate(180deg); padding: .4rem 0;
  text-align: left; font-weight: normal; font-size: .85rem; white-space: nowrap }
thead th { vertical-align: bottom }
thead th.turned { vertical-align: middle }
td.p, tfoot td, .key span { text-align: center; min-width: 1.5rem }
tfoot { color: #555; font-size: .85rem }
.key span { display: inline-block; border: 1px solid #ddd;
  padding: 0 .2rem; margin: 0 .2rem 0 .8rem }
.m { display: grid; grid-template-columns: 9rem 1fr; margin: .9rem 0; max-width: 62rem }
.m p { margin: 0 }
.bar { display: inline-block; height: .7rem; max-width: 5rem;
  background: #4477aa; margin-right: .4rem }
.q, .who { color: #555 }
.who { font-size: .85rem }
@media (max-width: 40rem) {
  .m { grid-template-columns: 1fr }
  th:first-child { max-width: 7.5rem }
}
"""
SIGNS = {"timeout": "⧖", "error": "!"}
WRONG = ("wrong", "error", "timeout")
UNNAMED = ("none", "numbers")  # findings that name no mistake
USES_NPFORMER = re.compile(r"\bnpformer(_course)?\b")
# what a notebook imports from npformer_course without using an answer of it
IMPORTS_OF_CHECKS = re.compile(
    r"from npformer_course import ((exercise|Bet|Checkpoint|bets_so_far)(, )?)+$"
)
CHECK = re.compile(r"exercise\(.*\)$")
FEWEST_LINES = 6  # shorter answers are easily alike
# backgrounds of all points and of none
FULL = "rgb(34, 119, 68)"
NONE = "rgb(251, 226, 210)"


Results = Mapping[str, Sequence[Report]]


class MistakeMade(NamedTuple):
    """A finding in an exercise, and the students who have it."""

    exercise: str
    finding: Finding
    students: list[str]


def class_page(results: Results, by_hand: Mapping[str, float]) -> str:
    """Return the page; it needs no other file."""
    first = next(iter(results.values()), ())
    to_look_at = _to_look_at(results)
    if to_look_at:
        to_look_at = f"<h2>To look at</h2><ul>{to_look_at}</ul>"
    _, out_of = total(first)
    sizes = [
        counted(len(results), "student"),
        counted(len(first), "exercise"),
        counted(out_of, "point"),
    ]
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The class</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{STYLE}</style></head><body>
<h1>{", ".join(sizes)}</h1>
<h2>Points</h2>
<p class="key"><span style="{_colors(1)}">8</span>all <span style="{_colors(0.5)}">4</span>half
<span style="{_colors(0)}">0</span>none <span>-</span>not written
<span>!</span>an error <span>⧖</span>too long</p>
{_points_table(results, by_hand)}
<h2>Mistakes</h2>
{_mistakes_list(results)}
{to_look_at}
</body></html>
"""


def _points_table(results: Results, by_hand: Mapping[str, float]) -> str:
    """Return the table of points, one row per student, and below it how each exercise went."""
    rows = []
    for student, reports in results.items():
        name = escape(student)
        marks = by_hand.get(student, 0)
        cells = [f"<td><b>{total(reports)[0] + marks:g}</b></td>"]
        if by_hand:
            cells.append(f"<td>{marks:g}</td>")
        cells += [_cell(report) for report in reports]
        rows.append(f'<tr><th scope="row" title="{name}">{name}</th>{"".join(cells)}</tr>')

    headings = ['<th class="turned"><b>points</b></th>']
    shares = ["<td></td>"]
    if by_hand:
        headings.append('<th class="turned">of that by hand</th>')
        shares.append("<td></td>")
    for reports in zip(*results.values(), strict=True):
        stem = course.stem(reports[0].exercise).replace("_", " ")
        headings.append(f'<th class="turned">{stem}</th>')
        points, out_of = total(reports)
        shares.append(f"<td>{round(100 * points / out_of)}</td>")

    head = f"<tr><th>student</th>{''.join(headings)}</tr>"
    foot = f"<tr><th>% of points</th>{''.join(shares)}</tr>"
    body = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody><tfoot>{foot}</tfoot>"
    return f'<div class="wide"><table>{body}</table></div>'


def _cell(report: Report) -> str:
    """Return the cell of one report; its title names what is not right."""
    if not report.attempted:
        return '<td class="p">-</td>'
    outcomes = {part.outcome for part in report.parts}
    sign = ""
    for outcome, its_sign in SIGNS.items():
        if outcome in outcomes and not sign:
            sign = its_sign

    lines = [f"{report.points} of {report.out_of}"]
    for part in report.parts:
        if part.waits:
            lines.append(f"{part.name}: {part.finding.text}")
        elif part.outcome != "right":
            lines.append(f"{part.name}: {part.outcome}. {part.finding.text}")
    title = escape("\n".join(lines))
    style = _colors(report.points / report.out_of)
    return f'<td class="p" title="{title}" style="{style}">{report.points}{sign}</td>'


def _colors(share: float) -> str:
    """Return the style of a cell by its share of the points."""
    if share == 0:
        return f"background: {NONE}"
    background = FULL.replace(")", f", {0.1 + 0.8 * share:.2f})")
    color = "#fff" if share > 0.6 else "#222"
    return f"background: {background}; color: {color}"


def mistakes_made(results: Results) -> list[MistakeMade]:
    """Return the mistakes, the most frequent first; a student counts once."""
    mistakes: dict[tuple[str, str, str], MistakeMade] = {}
    for student, reports in results.items():
        for report in reports:
            for part in report.parts:
                finding = part.finding
                if part.outcome not in WRONG or finding.kind in UNNAMED:
                    continue
                key = (report.exercise, finding.kind, finding.id)
                mistake = mistakes.setdefault(key, MistakeMade(report.exercise, finding, []))
                if student not in mistake.students:
                    mistake.students.append(student)

    def rank(mistake: MistakeMade) -> tuple[int, int, str]:
        place = course.EXERCISES.index(mistake.exercise)
        return -len(mistake.students), place, mistake.finding.id

    return sorted(mistakes.values(), key=rank)


def _to_look_at(results: Results) -> str:
    """Return which answers use npformer, and which are alike in all that was written, as HTML."""
    # a hint for the teacher, who decides: it costs no points
    using: dict[str, list[str]] = {}  # students by exercise
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # by exercise and lines
    for student, reports in results.items():
        for report in reports:
            lines = _own_lines(report)
            if any(USES_NPFORMER.search(line) for line in lines):
                using.setdefault(report.exercise, []).append(student)
            if len(lines) >= FEWEST_LINES:
                alike.setdefault((report.exercise, lines), []).append(student)

    flags = []
    for exercise, students in using.items():
        flags.append((exercise, "uses npformer", students))
    for (exercise, _), students in alike.items():
        if len(students) > 1:
            flags.append((exercise, "alike", students))
    items = []
    for exercise, what, students in sorted(flags, key=lambda flag: (course.stem(flag[0]), flag[1])):
        names = escape(", ".join(students))
        items.append(f"<li>{course.stem(exercise)}, {what}: {names}</li>\n")
    return "".join(items)


def _own_lines(report: Report) -> tuple[str, ...]:
    """Return the lines that a student wrote, without comments and lines of the template.

    Commands of Jupyter and lines that ask for a check are left out too.
    """
    # stripped, so that an answer is alike in another indentation too
    template = set(map(str.strip, course.load(report.exercise).stub.split("\n")))
    own = []
    for line in report.code.split("\n"):
        line = line.strip()
        # two copies may have different predictions
        if line in template or line.startswith(("#", "prediction =")):
            continue
        is_command = COMMAND.match(line) and not TIMED.match(line)
        if not (is_command or CHECK.match(line) or IMPORTS_OF_CHECKS.match(line)):
            own.append(line)
    return tuple(own)


def _mistakes_list(results: Results) -> str:
    """Return the mistakes as HTML."""
    mistakes = mistakes_made(results)
    if not mistakes:
        return "<p>None was named.</p>"
    return "".join(_mistake_html(mistake, len(results)) for mistake in mistakes)


def _mistake_html(mistake: MistakeMade, n_students: int) -> str:
    """Return one mistake: how many made it, what they were told, and who they are."""
    finding = mistake.finding
    name = (finding.id or finding.kind).replace("_", " ")
    n = len(mistake.students)
    width = f"{5 * n / n_students:.2f}rem"
    return (
        f'<div class="m"><p><span class="bar" style="width: {width}"></span>{n} of {n_students}</p>'
        f"<div><p><b>{course.stem(mistake.exercise)}: {escape(name)}</b></p>"
        f'<p>{escape(finding.text)}</p><p class="q">{escape(finding.question)}</p>'
        f'<p class="who">{escape(", ".join(mistake.students))}</p></div></div>\n'
    )
