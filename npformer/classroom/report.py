"""What is said of a part: whether it is right, its points, and what was found out about a wrong one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

OUTCOMES = ("right", "wrong", "unattempted", "error", "timeout")
KINDS = ("guard", "mistake", "fact", "ablation", "numbers", "none")


@dataclass(frozen=True)
class Finding:
    """What was found out: its kind (one of KINDS), an id that can be counted, a fact, and a question."""

    kind: str
    id: str
    text: str
    question: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        """The fact and the question, as far as there are any."""
        return tuple(filter(None, (self.text, self.question)))


NOTHING = Finding("none", "", "")


@dataclass(frozen=True)
class Part:
    """The outcome (one of OUTCOMES) of a part, with its points, and what was found; `warnings` cost nothing.

    `got` and `expected` are those of the draw with the largest difference, where there are numbers to compare.
    """

    name: str
    call: str
    outcome: str
    points: int
    out_of: int
    finding: Finding = NOTHING
    warnings: tuple[str, ...] = ()
    numbers: str = ""  # where the largest difference is
    got: np.ndarray | None = None
    expected: np.ndarray | None = None


@dataclass(frozen=True)
class Report:
    """What is said of an answer to an exercise."""

    exercise: str
    parts: tuple[Part, ...]
    printed: str = ""
    predicted: str = ""  # the letter that the student chose

    @property
    def points(self) -> int:
        """The points of all parts."""
        return sum(part.points for part in self.parts)

    @property
    def out_of(self) -> int:
        """The points that there are."""
        return sum(part.out_of for part in self.parts)

    @property
    def passed(self) -> bool:
        """Whether every part is right."""
        return all(part.outcome == "right" for part in self.parts)

    @property
    def attempted(self) -> bool:
        """Whether any part was written."""
        return any(part.outcome != "unattempted" for part in self.parts)


@dataclass(frozen=True)
class Result:
    """What one student has: a report for each exercise."""

    student: str
    reports: tuple[Report, ...]

    @property
    def points(self) -> int:
        """The points of all exercises."""
        return sum(report.points for report in self.reports)

    @property
    def out_of(self) -> int:
        """The points that there are."""
        return sum(report.out_of for report in self.reports)
