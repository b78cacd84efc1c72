"""The report of a check: for each part its outcome, its points, and what was found out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Finding:
    """What was found out about a part.

    `kind` is guard, mistake, fact, numbers or none; `id` is counted; `text` is a fact, and
    `question` leads on from it. Both have several lines where two mistakes are named.
    """

    kind: str
    id: str
    text: str
    question: str = ""


NOTHING = Finding("none", "", "")


@dataclass(frozen=True)
class Part:
    """A part of an exercise: its outcome, its points, and what was found.

    `outcome` is right, wrong, unattempted, error or timeout. `got` and `expected` are those of the
    draw with the largest error, where there are numbers to compare.
    """

    name: str
    call: str
    outcome: str
    out_of: int
    finding: Finding = NOTHING
    numbers: str = ""  # the entry with the largest difference
    got: np.ndarray | None = None
    expected: np.ndarray | None = None

    @property
    def points(self) -> int:
        """All points of a right part, and none of another."""
        return self.out_of if self.outcome == "right" else 0

    @property
    def waits(self) -> bool:
        """Whether nothing is wrong with the part, and its points wait for another."""
        says_why = self.finding.kind == "none" and self.finding.text != ""
        return self.outcome == "unattempted" and says_why


@dataclass(frozen=True)
class Report:
    """The outcome of an exercise.

    It has the parts, what the code printed, the letter that the student predicted, the code, and
    which cells of a notebook failed.
    """

    exercise: str
    parts: tuple[Part, ...]
    printed: str = ""
    predicted: str = ""
    code: str = ""
    failed_cells: tuple[str, ...] = ()

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


def total(reports: Iterable[Report]) -> tuple[int, int]:
    """Return the points of some reports, and how many there are."""
    points = 0
    out_of = 0
    for report in reports:
        points += report.points
        out_of += report.out_of
    return points, out_of
