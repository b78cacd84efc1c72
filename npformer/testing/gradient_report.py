"""The report of a gradient check: one row per input or parameter, printed as a table."""

from __future__ import annotations

from dataclasses import dataclass

TOLERANCE = 1e-7


@dataclass(frozen=True)
class GradientRow:
    """How well the gradient of one input or parameter agrees; `worst` is the index of the worst entry.

    `finding` says what else is known of a wrong one.
    """

    name: str
    shape: tuple[int, ...]
    error: float
    worst: tuple[int, ...]
    analytic: float
    numeric: float
    finding: str = ""


@dataclass(frozen=True)
class GradientReport:
    """The result of `gradcheck`: one row per input or parameter; `ok` is the verdict."""

    title: str
    rows: list[GradientRow]
    tolerance: float = TOLERANCE

    @property
    def largest_error(self) -> float:
        """The largest relative error of all rows."""
        return max((row.error for row in self.rows), default=0.0)

    @property
    def ok(self) -> bool:
        """Whether every row is within the tolerance."""
        return all(row.error <= self.tolerance for row in self.rows)

    def require_ok(self) -> GradientReport:
        """Raise AssertionError with the whole table unless every row is within the tolerance; return the report."""
        if not self.ok:
            raise AssertionError(f"wrong gradients, tolerance {self.tolerance:g}\n{self}")
        return self

    def __str__(self):
        width = max([len(row.name) for row in self.rows] + [20])
        lines = [f"{self.title}", f"  {'':{width}} {'shape':>14}  {'rel. error':>10}  worst entry"]
        for row in self.rows:
            verdict = "" if row.error <= self.tolerance else f"  WRONG: {row.analytic:.6g}, not {row.numeric:.6g}"
            lines.append(f"  {row.name:{width}} {row.shape!s:>14}  {row.error:10.1e}  {row.worst}{verdict}")
            lines += [f"    {row.name} {row.finding}"] if row.finding else []
        return "\n".join(lines)
