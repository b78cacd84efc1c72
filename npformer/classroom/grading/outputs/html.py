"""The page of a class: who has how many points, and which mistakes were made how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from statistics import median

from ... import index as course
from ...format_report import waits
from ...report import Part, Report, Result
from .mistake_counts import mistakes_list
from .words import counted

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
FULL, NONE = "rgb(34, 119, 68)", "rgb(251, 226, 210)"


def class_page(results: Sequence[Result], by_hand: Mapping[str, float]) -> str:
    """Return the page, which needs nothing beside it."""
    first = results[0] if results else Result("", ())
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The class</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>
<h1>{counted(len(results), "student")}, {counted(len(first.reports), "exercise")}, {counted(first.out_of, "point")}</h1>
<p>{summary(results, by_hand)}</p>
<h2>Points</h2>
<p class="key"><span style="{colours(1)}">8</span>all <span style="{colours(0.5)}">4</span>half
<span style="{colours(0)}">0</span>none <span>-</span>not written <span>!</span>an error <span>⧖</span>too long</p>
{points_table(results, by_hand)}
<h2>Mistakes</h2>
{mistakes_list(results)}
</body></html>
"""


def summary(results: Sequence[Result], by_hand: Mapping[str, float]) -> str:
    """Return the middle of the class and the exercise that fewest points were made in."""
    if not results or not results[0].reports:
        return "Nothing was graded."
    middle = median(result.points + by_hand.get(result.student, 0) for result in results)
    shares = {reports[0].exercise: share_of(reports) for reports in by_exercise(results)}
    hardest = min(shares, key=lambda id: shares[id])
    least = f" Least of all in {course.stem(hardest)}: {shares[hardest]:.0%} of its points."
    return f"Half of the class has {counted(middle, 'point')} or more.{least if len(shares) > 1 else ''}"


def by_exercise(results: Sequence[Result]) -> list[tuple[Report, ...]]:
    """Return the reports of all students, exercise by exercise."""
    return list(zip(*(result.reports for result in results), strict=True))


def share_of(reports: Sequence[Report]) -> float:
    """Return the part of the points that was made."""
    return sum(report.points for report in reports) / (sum(report.out_of for report in reports) or 1)


def points_table(results: Sequence[Result], by_hand: Mapping[str, float]) -> str:
    """Return the table of points, a row a student, and below how each exercise went."""
    exercises = by_exercise(results)
    stems = [course.paths()[reports[0].exercise].stem for reports in exercises]
    rows = []
    for result in results:
        marks = by_hand.get(result.student, 0)
        added = f"<td>{marks:g}</td>" if by_hand else ""
        cells = "".join(map(cell, result.reports))
        name = escape(result.student)
        total = f"<td><b>{result.points + marks:g}</b></td>"
        rows.append(f'<tr><th scope="row" title="{name}">{name}</th>{total}{added}{cells}</tr>')
    turned = "".join(f'<th class="turned">{stem.replace("_", " ")}</th>' for stem in stems)
    by_hand_head = '<th class="turned">of that by hand</th>' if by_hand else ""
    head = f'<tr><th>student</th><th class="turned"><b>points</b></th>{by_hand_head}{turned}</tr>'
    between = f"<td></td>{'<td></td>' if by_hand else ''}"
    shares = "".join(f"<td>{round(100 * share_of(reports))}</td>" for reports in exercises)
    foretold = "".join(f"<td>{predicted(reports)}</td>" for reports in exercises)
    foot = f"<tr><th>% of points</th>{between}{shares}</tr><tr><th>% predicted right</th>{between}{foretold}</tr>"
    body = f"<thead>{head}</thead><tbody>{''.join(rows)}</tbody><tfoot>{foot}</tfoot>"
    return f'<div class="wide"><table>{body}</table></div>'


def predicted(reports: Sequence[Report]) -> str:
    """Return how many of those who answered the question before writing were right, in per cent."""
    asked = course.load(reports[0].exercise).prediction
    letters = [report.predicted for report in reports if report.predicted in asked.choices]
    return str(round(100 * letters.count(asked.answer) / len(letters))) if letters else ""


def cell(report: Report) -> str:
    """Return the cell of one report; what is not right stands in its title."""
    if not report.attempted:
        return '<td class="p">-</td>'
    outcomes = {part.outcome for part in report.parts}
    sign = next((SIGNS[kind] for kind in SIGNS if kind in outcomes), "")
    wrong = [f"{part.name}: {said_of(part)}" for part in report.parts if part.outcome != "right"]
    title = escape("\n".join((f"{report.points} of {report.out_of}", *wrong)))
    style = colours(report.points / (report.out_of or 1))
    return f'<td class="p" title="{title}" style="{style}">{report.points}{sign}</td>'


def said_of(part: Part) -> str:
    """Return the outcome of a part, and why."""
    return part.finding.text if waits(part) else f"{part.outcome}. {part.finding.text}"


def colours(share: float) -> str:
    """Return the style of a cell by the part of its points that was made."""
    if share == 0:
        return f"background: {NONE}"
    return f"background: {FULL.replace(')', f', {0.1 + 0.8 * share:.2f})')}; color: {'#fff' if share > 0.6 else '#222'}"
