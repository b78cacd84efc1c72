"""What a student may be sent: every part in words."""

from __future__ import annotations

from dataclasses import replace

from ..findings import Result
from ..telling import tell


def feedback(result: Result, marks: float = 0) -> str:
    """Return a student's result as text; `marks` were given by hand.

    What the answers printed is left out, and a reason that several parts of an exercise share is told once.
    """
    by_hand = f", and {marks:g} by hand" if marks else ""
    lines = [f"{result.student}: {result.points} of {result.out_of} points{by_hand}"]
    for report in result.reports:
        lines.append("")
        said = set()
        for line in tell(replace(report, printed="")):
            if line.style not in ("fact", "question") or line.text not in said:
                lines.append("  " * line.indent + line.text)
            said.add(line.text)
    return "\n".join(lines) + "\n"
