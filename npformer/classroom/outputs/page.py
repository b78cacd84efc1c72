"""The page of a class: who has how many points, and which mistakes were made how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

from .. import course
from ..findings import Part, Report, Result

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
.wide { overflow-x: auto } table { border-collapse: collapse }
th, td { padding: .25rem .5rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums } td.p { text-align: center; min-width: 2rem }
th.turned { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; font-weight: normal }
.bar { display: inline-block; height: .7rem; background: #4477aa; margin-right: .4rem } .q { color: #555 }
"""
SIGN = {"right": "", "wrong": "", "unattempted": "-", "error": "!", "timeout": "⧖"}


def class_page(results: Sequence[Result], by_hand: Mapping[str, float]) -> str:
    """Return the page, which needs nothing beside it."""
    out_of = results[0].out_of if results else 0
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The class</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head><body>
<h1>{len(results)} students, {len(results[0].reports) if results else 0} exercises, {out_of} points</h1>
<h2>Mistakes by count</h2>
{mistakes_table(results)}
<h2>Points</h2>
<p>White is none of an exercise's points, dark all. - not written, ! an error, ⧖ too long.</p>
{points_table(results, by_hand)}
</body></html>
"""


def mistakes_table(results: Sequence[Result]) -> str:
    """Return the table of what was found, the most frequent first; a student counts once for each."""
    found: Counter = Counter()
    texts = {}
    for result in results:
        own = {}
        for report in result.reports:
            for part in report.parts:
                if part.outcome in ("wrong", "error", "timeout") and part.finding.kind not in ("none", "numbers"):
                    own[kind_of(report.exercise, part)] = part.finding
        found.update(own.keys())
        texts |= own
    if not found:
        return "<p>None was named.</p>"
    rows = []
    for (id, kind, name), count in sorted(found.items(), key=lambda entry: (-entry[1], entry[0])):
        width = 8 * count / len(results)
        rows.append(
            f'<tr><td class="n"><span class="bar" style="width: {width:.2f}rem"></span>{count} of {len(results)}</td>'
            f"<td>{course.paths()[id].stem}</td><td>{escape(name.replace('_', ' '))}</td>"
            f'<td>{escape(texts[id, kind, name].text)}<br><span class="q">'
            f"{escape(texts[id, kind, name].question)}</span></td></tr>"
        )
    head = '<tr><th class="n">students</th><th>exercise</th><th>what</th><th>what they were told</th></tr>'
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def kind_of(exercise: str, part: Part) -> tuple[str, str, str]:
    """Return what a finding is counted under."""
    return exercise, part.finding.kind, part.finding.id or part.finding.kind


def points_table(results: Sequence[Result], by_hand: Mapping[str, float]) -> str:
    """Return the table of points, a row a student."""
    ids = [report.exercise for report in results[0].reports] if results else []
    turned = "".join(f'<th class="turned">{course.paths()[id].stem}</th>' for id in ids)
    rows = []
    for result in results:
        marks = by_hand.get(result.student, 0)
        cells = "".join(cell(report) for report in result.reports)
        total = f'<td class="n">{marks:g}</td><td class="n"><b>{result.points + marks:g}</b></td>'
        rows.append(f"<tr><td>{escape(result.student)}</td>{cells}{total}</tr>")
    head = f'<tr><th>student</th>{turned}<th class="n">by hand</th><th class="n">points</th></tr>'
    return f'<div class="wide"><table>{head}{"".join(rows)}</table></div>'


def cell(report: Report) -> str:
    """Return the cell of one report."""
    share = report.points / report.out_of if report.out_of else 0
    outcomes = {part.outcome for part in report.parts}
    sign = next((SIGN[kind] for kind in ("timeout", "error") if kind in outcomes), "")
    text = f"{report.points}{sign}" if report.attempted else SIGN["unattempted"]
    ink = "#fff" if share > 0.6 else "#222"
    title = escape(f"{report.points} of {report.out_of}", quote=True)
    style = f"background: rgba(34, 119, 68, {0.85 * share:.2f}); color: {ink}"
    return f'<td class="p" title="{title}" style="{style}">{text}</td>'
