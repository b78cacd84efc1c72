"""What a student may be sent: every part in words."""

from __future__ import annotations

from dataclasses import replace

from ...format_report import AS_ABOVE, SAID, Line, tell
from ...report import Result


def feedback(result: Result, marks: float = 0) -> str:
    """Return a student's result as text; `marks` were given by hand.

    What the answers printed is left out; a reason that several parts of an exercise share is told once, and so is
    that nothing was written.
    """
    by_hand = f", and {marks:g} by hand" if marks else ""
    lines = [f"{result.student}: {result.points} of {result.out_of} points{by_hand}"]
    for report in result.reports:
        title, *rest = tell(replace(report, printed=""))
        lines += ["", title.text]
        said = set()
        if not report.attempted:
            reason = report.parts[0].finding.text or SAID["unattempted"]
            rest = [Line("plain", 1, reason)]
        for line in rest:
            if line.style not in ("fact", "question") or line.text not in said:
                lines.append("  " * line.indent + line.text)
            said |= {line.text} - {AS_ABOVE}
    return "\n".join(lines) + "\n"
