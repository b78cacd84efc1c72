"""The page of a class: everybody's points, and which mistakes were made how often."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from ... import course
from ...format_report import counted
from ...report import Finding, Report, total

STYLE = """
:root { color-scheme: light }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem; margin-bottom: 0 } h2 { font-size: 1.15rem; margin-top: 2.5rem } p { max-width: 48rem }
.wide { overflow-x: auto } table { border-collapse: collapse }
th, td { padding: .15rem .4rem; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums }
th:first-child { position: sticky; left: 0; background: #fff; text-align: left; font-weight: normal; max-width: 13rem;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
th.turned { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; font-weight: normal;
  padding: .4rem 0; font-size: .85rem; white-space: nowrap } thead th { vertical-align: bottom }
thead th.turned { vertical-align: middle }
td.p, tfoot td, .key span { text-align: center; min-width: 1.5rem } tfoot { color: #555; font-size: .85rem }
.key span { display: inline-block; border: 1px solid #ddd; padding: 0 .2rem; margin: 0 .2rem 0 .8rem }
.m { display: grid; grid-template-columns: 9rem 1fr; margin: .9rem 0; max-width: 62rem } .m p { margin: 0 }
.bar { display: inline-block; height: .7rem; background: #4477aa; margin-right: .4rem; max-width: 5rem }
.q, .who { color: #555 } .who { font-size: .85rem } summary { cursor: pointer; margin-top: 1.5rem }
@media (max-width: 40rem) { .m { grid-template-columns: 1fr } th:first-child { max-width: 7.5rem } }
"""
SIGNS = {"timeout": "⧖", "error": "!"}
USES_NPFORMER = re.compile(
    r"\bnpformer\b(?! import q$|_course import q$)"
)  # the exception is a notebook's
FEWEST_LINES = 6  # shorter answers are easily alike
FULL, NONE = "rgb(34, 119, 68)", "rgb(251, 226, 210)"


Results = Mapping[str, Sequence[Report]]


def class_page(results: Results, by_hand: Mapping[str, float]) -> str:
    """Return the page; it needs no other file."""
    first = next(iter(results.values()), ())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The class</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>
<h1>{counted(len(results), "student")}, {counted(len(first), "exercise")}, {counted(total(first)[1], "point")}</h1>
<h2>Points</h2>
<p class="key"><span style="{_colors(1)}">8</span>all <span style="{_colors(0.5)}">4</span>half
<span style="{_colors(0)}">0</span>none <span>-</span>not written <span>!</span>an error <span>⧖</span>too long</p>
{_points_table(results, by_hand)}
<h2>Mistakes</h2>
{_mistakes_list(results)}
{"".join(f"<h2>To look at</h2><ul>{lines}</ul>" for lines in [_to_look_at(results)] if lines)}
</body></html>
"""


def _points_table(results: Results, by_hand: Mapping[str, float]) -> str:
    """Return the table of points, one row per student, and below it how each exercise went."""
    rows = []
    for student, reports in results.items():
        marks, name = by_hand.get(student, 0), escape(student)
        added = f"<td>{marks:g}</td>" if by_hand else ""
        points = f"<td><b>{total(reports)[0] + marks:g}</b></td>"
        cells = "".join(map(_cell, reports))
        rows.append(f'<tr><th scope="row" title="{name}">{name}</th>{points}{added}{cells}</tr>')
    exercises = list(zip(*results.values(), strict=True))
    stems = [course.stem(reports[0].exercise).replace("_", " ") for reports in exercises]
    headings = "".join(f'<th class="turned">{stem}</th>' for stem in stems)
    added = '<th class="turned">of that by hand</th>' if by_hand else ""
    head = f'<tr><th>student</th><th class="turned"><b>points</b></th>{added}{headings}</tr>'
    shares = "".join(
        f"<td>{round(100 * points / (out_of or 1))}</td>"
        for points, out_of in map(total, exercises)
    )
    foot = f"<tr><th>% of points</th>{'<td></td>' * (2 if by_hand else 1)}{shares}</tr>"
    body = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody><tfoot>{foot}</tfoot>"
    return f'<div class="wide"><table>{body}</table></div>'


def _cell(report: Report) -> str:
    """Return the cell of one report; its title names what is not right."""
    if not report.attempted:
        return '<td class="p">-</td>'
    outcomes = {part.outcome for part in report.parts}
    sign = next((SIGNS[kind] for kind in SIGNS if kind in outcomes), "")
    lines = [f"{report.points} of {report.out_of}"]
    for part in report.parts:
        if part.outcome != "right":
            lines.append(
                f"{part.name}: {'' if part.waits else f'{part.outcome}. '}{part.finding.text}"
            )
    title, style = escape("\n".join(lines)), _colors(report.points / (report.out_of or 1))
    return f'<td class="p" title="{title}" style="{style}">{report.points}{sign}</td>'


def _colors(share: float) -> str:
    """Return the style of a cell by its share of the points."""
    if share == 0:
        return f"background: {NONE}"
    return f"background: {FULL.replace(')', f', {0.1 + 0.8 * share:.2f})')}; color: {'#fff' if share > 0.6 else '#222'}"


def mistakes_made(results: Results) -> list[tuple[str, Finding, list[str]]]:
    """Return exercise, finding and students, the most frequent finding first; a student counts once."""
    mistakes: dict[tuple[str, str, str], tuple[str, Finding, list[str]]] = {}
    for student, reports in results.items():
        for report in reports:
            for part in report.parts:
                finding = part.finding
                if part.outcome in ("wrong", "error", "timeout") and finding.kind not in (
                    "none",
                    "numbers",
                ):
                    key = report.exercise, finding.kind, finding.id
                    students = mistakes.setdefault(key, (report.exercise, finding, []))[2]
                    students += [student] if student not in students else []
    return sorted(
        mistakes.values(), key=lambda one: (-len(one[2]), course.ids().index(one[0]), one[1].id)
    )


def _to_look_at(results: Results) -> str:
    """Return which answers use npformer, and which are alike in all that was written, as HTML."""
    by_reason: dict[tuple, list[str]] = {}
    for student, reports in results.items():
        for report in reports:
            template = {line.strip() for line in course.load(report.exercise).stub.split("\n")}
            own_lines = tuple(
                x
                for x in map(str.strip, report.code.split("\n"))
                if x[:1] != "#" and x not in template
            )
            if any(USES_NPFORMER.search(line) for line in own_lines):
                by_reason.setdefault((report.exercise, "uses npformer"), []).append(student)
            if len(own_lines) >= FEWEST_LINES:
                by_reason.setdefault((report.exercise, "alike", own_lines), []).append(student)
    flags = [
        (key[:2], students)
        for key, students in by_reason.items()
        if key[1] != "alike" or len(students) > 1
    ]
    return "".join(
        f"<li>{course.stem(exercise)}, {escape(what)}: {escape(', '.join(students))}</li>\n"
        for (exercise, what), students in sorted(flags, key=lambda flag: course.stem(flag[0][0]))
    )


def _mistakes_list(results: Results) -> str:
    """Return the mistakes as HTML."""
    return (
        "".join(_mistake(*one, len(results)) for one in mistakes_made(results))
        or "<p>None was named.</p>"
    )


def _mistake(exercise: str, finding: Finding, students: list[str], n_students: int) -> str:
    """Return one mistake: how many made it, what they were told, and who they are."""
    n, name = len(students), (finding.id or finding.kind).replace("_", " ")
    return (
        f'<div class="m"><p><span class="bar" style="width: {5 * n / n_students:.2f}rem"></span>{n} of {n_students}</p>'
        f"<div><p><b>{course.stem(exercise)}: {escape(name)}</b></p>"
        f'<p>{escape(finding.text)}</p><p class="q">{escape(finding.question)}</p>'
        f'<p class="who">{escape(", ".join(students))}</p></div></div>\n'
    )
