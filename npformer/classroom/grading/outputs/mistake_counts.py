"""Which mistakes a class made, the most frequent first: what the next lesson may be about."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from ... import index as course
from ...report import Finding, Result

UNNAMED = ("none", "numbers")  # kinds of findings that say nothing to be counted


class Made(NamedTuple):
    """What was found in an exercise, and in whose answers."""

    exercise: str
    finding: Finding
    students: tuple[str, ...]


def mistakes_made(results: Sequence[Result]) -> list[Made]:
    """Return what was found, the most frequent first, then in the order of the course; a student counts once."""
    found: dict[tuple[str, str, str], tuple[Finding, dict[str, None]]] = {}
    for result in results:
        for report in result.reports:
            for part in report.parts:
                finding = part.finding
                if part.outcome in ("wrong", "error", "timeout") and finding.kind not in UNNAMED:
                    key = report.exercise, finding.kind, finding.id
                    found.setdefault(key, (finding, {}))[1][result.student] = None
    made = [Made(exercise, finding, tuple(who)) for (exercise, _, _), (finding, who) in found.items()]
    order = course.ids()
    return sorted(made, key=lambda one: (-len(one.students), order.index(one.exercise), one.finding.id))


def mistakes_list(results: Sequence[Result]) -> str:
    """Return the mistakes as HTML; those of one student alone are folded away, where there are others."""
    made = mistakes_made(results)
    if not made:
        return "<p>None was named.</p>"
    shared = [one for one in made if len(one.students) > 1]
    single = made[len(shared) :]
    texts = [as_html(one, len(results)) for one in shared]
    alone = "".join(as_html(one, len(results)) for one in single)
    if shared and single:
        alone = f"<details><summary>Made by one student each: {len(single)}</summary>{alone}</details>"
    return "".join(texts) + alone


def as_html(one: Made, n_students: int) -> str:
    """Return one mistake: how many made it, what they were told, and who they are."""
    n = len(one.students)
    name = (one.finding.id or one.finding.kind).replace("_", " ")
    return (
        f'<div class="m"><p><span class="bar" style="width: {5 * n / n_students:.2f}rem"></span>{n} of {n_students}</p>'
        f"<div><p><b>{course.stem(one.exercise)}: {escape(name)}</b></p>"
        f'<p>{escape(one.finding.text)}</p><p class="q">{escape(one.finding.question)}</p>'
        f'<p class="who">{escape(", ".join(one.students))}</p></div></div>\n'
    )
