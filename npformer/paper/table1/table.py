"""Table 1 as measured, beside the paper's: as text and as CSV."""

import csv
import io
import math
from typing import NamedTuple

from .exponents import cheaper_below, counted_cheaper_below, exponent, larger_half
from .layer_kinds import ATTENTION, KINDS, OTHERS, Kind, Size
from .path_length import Path
from .timing import Cost


class Table1(NamedTuple):
    """The costs and paths that were measured, all at one k, r and batch; what can be said of them.

    `costs` hold each kind at every length and width.
    """

    costs: list[Cost]
    paths: list[Path]
    k: int
    r: int
    batch: int

    @property
    def lengths(self) -> list[int]:
        """The n that were measured, in order."""
        return sorted({cost.n for cost in self.costs})

    @property
    def widths(self) -> list[int]:
        """The d that were measured, in order."""
        return sorted({cost.d for cost in self.costs})

    def column(self, what: str, kind: Kind, *, n: int | None = None, d: int | None = None) -> list[float]:
        """Return `what` ("seconds" or "multiply_adds") of a kind, at one n, or at one d, by the other in order."""
        found = {(cost.n, cost.d): getattr(cost, what) for cost in self.costs if cost.kind == kind.name}
        at_lengths, at_widths = self.lengths if n is None else [n], self.widths if d is None else [d]
        return [found[length, width] for length in at_lengths for width in at_widths]

    def exponent_n(self, what: str, kind: Kind, d: int) -> float:
        """Return the exponent in n of seconds or multiply-adds at one d, over the larger lengths."""
        larger = larger_half(self.lengths)
        return exponent(larger, self.column(what, kind, d=d)[-len(larger) :])

    def exponent_d(self, what: str, kind: Kind, n: int) -> float:
        """Return the exponent in d at one n, over the larger widths."""
        larger = larger_half(self.widths)
        return exponent(larger, self.column(what, kind, n=n)[-len(larger) :])

    def cheaper_below(self, kind: Kind, d: int) -> float:
        """Return the n below which self-attention took fewer seconds than another kind: 0 nowhere, inf everywhere."""
        ours, theirs = (self.column("seconds", one, d=d) for one in (ATTENTION, kind))
        return cheaper_below(self.lengths, ours, theirs)

    def operations(self) -> str:
        """Return the paper's first column, and the exponents of what was counted and timed, forward and backward."""
        d, n = self.widths[0], self.lengths[-1]
        lines = [f"{'operations':18}{'paper':12}{'counted':16}seconds"]
        for kind in KINDS:
            counted, timed = (
                f"n^{self.exponent_n(what, kind, d):.2f} d^{self.exponent_d(what, kind, n):.2f}"
                for what in ("multiply_adds", "seconds")
            )
            lines.append(f"{kind.name:18}{kind.operations:12}{counted:16}{timed}")
        lengths, widths = larger_half(self.lengths), larger_half(self.widths)
        fitted = f"n from {lengths[0]} to {lengths[-1]} at d = {d}, d from {widths[0]} to {widths[-1]} at n = {n}"
        return "\n".join([*lines, f"exponents fitted over {fitted}"])

    def ways(self) -> str:
        """Return the paper's other two columns, and how many products of matrices were found to wait for each other.

        A path is so many of them in so many layers.
        """
        lengths = sorted({path.n for path in self.paths})
        cells = "".join(f"{f'n={n}':>6}" for n in lengths), "".join(f"{f'n={n}':>9}" for n in lengths)
        lines = [f"{'waiting products':18}{'in a layer':11}{cells[0]}   {'end to end':11}{cells[1]}"]
        for kind in KINDS:
            found = sorted((path for path in self.paths if path.kind == kind.name), key=lambda path: path.n)
            waits = "".join(f"{path.sequential:6}" for path in found)
            ways = "".join(f"{f'{path.products} in {path.layers}':>9}" for path in found)
            lines.append(f"{kind.name:18}{kind.sequential:11}{waits}   {kind.path:11}{ways}")
        return "\n".join(lines)

    def crossings(self) -> str:
        """Return, for each d, the n below which self-attention is cheaper than another kind."""
        lines = [
            "self-attention is cheaper below n = ... by the paper's O / by multiply-adds / by seconds",
            f"{'d':>5}" + "".join(f"{kind.name:>20}" for kind in OTHERS),
        ]
        for d in self.widths:
            cells = []
            for kind in OTHERS:
                size = Size(1, d, self.k, self.r, self.batch)
                below = kind.cheaper_below(size), counted_cheaper_below(kind, size), self.cheaper_below(kind, d)
                cells.append(" / ".join(self.bound(n) for n in below))
            lines.append(f"{d:5}" + "".join(f"{cell:>20}" for cell in cells))
        return "\n".join(lines)

    def bound(self, n: float) -> str:
        """Say where a bound lies: `-` where self-attention was cheaper nowhere, `>4096` beyond what was measured."""
        return f">{self.lengths[-1]}" if math.isinf(n) else f"{n:.0f}" if n else "-"

    def milliseconds(self) -> str:
        """Return the seconds of every size, in thousandths."""
        lines = [f"{'d':>5}{'n':>6}" + "".join(f"{kind.name:>18}" for kind in KINDS) + "  in ms"]
        for d in self.widths:
            for i, n in enumerate(self.lengths):
                cells = (self.column("seconds", kind, d=d)[i] for kind in KINDS)
                lines.append(f"{d:5}{n:6}" + "".join(f"{1000 * cell:18.2f}" for cell in cells))
        return "\n".join(lines)

    def files(self) -> dict[str, str]:
        """Return two CSV files by their names: a line a cost, a line a path."""
        return {"costs.csv": as_csv(Cost, self.costs), "paths.csv": as_csv(Path, self.paths)}


def as_csv(kind: type, rows: list) -> str:
    r"""Return named tuples of a kind as CSV, with their fields in the first line.

    >>> as_csv(Path, [Path("dilated", 9, 1, 4, 4)])
    'kind,n,sequential,layers,products\ndilated,9,1,4,4\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([kind._fields, *rows])
    return text.getvalue()
