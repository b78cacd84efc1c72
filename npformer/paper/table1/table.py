"""Table 1 as measured, next to the paper's: as text and as CSV."""

import csv
import io
import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .layer_kinds import ATTENTION, KINDS, OTHERS, Kind, Size
from .path_length import Path
from .timing import Cost

LONGEST = 1 << 30


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return b of values = a sizes^b, by least squares over the logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def cheaper_below(lengths: Sequence[int], ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the n below which ours costs less, between two lengths by a straight line in log and log.

    It is 0 where ours costs less at no length, and infinite where it still costs less at the longest. Where the order
    changes more than once, the last change counts.

    >>> round(cheaper_below([100, 400], [1, 4], [2, 2])), cheaper_below([100, 400], [3, 4], [2, 2])
    (200, 0.0)
    """
    gaps = [math.log(b / a) for a, b in zip(ours, theirs, strict=True)]  # positive where ours is cheaper
    if gaps[-1] > 0:
        return math.inf
    i = max((i for i, gap in enumerate(gaps) if gap > 0), default=None)
    if i is None:
        return 0.0
    return lengths[i] * (lengths[i + 1] / lengths[i]) ** (gaps[i] / (gaps[i] - gaps[i + 1]))


def counted_cheaper_below(kind: Kind, size: Size) -> float:
    """Return the n below which self-attention takes fewer multiply-adds than another kind; 0 where it never does.

    >>> counted_cheaper_below(KINDS[1], Size(1, 64)), counted_cheaper_below(KINDS[2], Size(1, 64))
    (128, 0.0)
    """

    def costs_more(n: int) -> bool:
        return ATTENTION.products(size._replace(n=n)) >= kind.products(size._replace(n=n))

    n = 2 + bisect_left(range(2, LONGEST), True, key=costs_more)
    return 0.0 if n == 2 else math.inf if n == LONGEST else n


class Table1(NamedTuple):
    """The measured costs and paths, all at one k, r and batch, and the tables made of them.

    `costs` hold each kind at every length and width.
    """

    costs: list[Cost]
    paths: list[Path]
    k: int
    r: int
    batch: int

    @property
    def lengths(self) -> list[int]:
        """The measured n, in order."""
        return sorted({cost.n for cost in self.costs})

    @property
    def widths(self) -> list[int]:
        """The measured d, in order."""
        return sorted({cost.d for cost in self.costs})

    def column(self, what: str, kind: Kind, *, n: int | None = None, d: int | None = None) -> list[float]:
        """Return `what` ("seconds" or "multiply_adds") of a kind, at one n, or at one d, by the other in order."""
        found = {(cost.n, cost.d): getattr(cost, what) for cost in self.costs if cost.kind == kind.name}
        return [found[key] for key in sorted(found) if n in (None, key[0]) and d in (None, key[1])]

    def exponent_n(self, what: str, kind: Kind, d: int) -> float:
        """Return the exponent in n of seconds or multiply-adds at one d, over the larger half of the lengths."""
        return exponent(_larger_half(self.lengths), _larger_half(self.column(what, kind, d=d)))

    def exponent_d(self, what: str, kind: Kind, n: int) -> float:
        """Return the exponent in d at one n, over the larger half of the widths."""
        return exponent(_larger_half(self.widths), _larger_half(self.column(what, kind, n=n)))

    def cheaper_below(self, kind: Kind, d: int) -> float:
        """Return the n below which self-attention took fewer seconds than another kind."""
        return cheaper_below(self.lengths, *(self.column("seconds", one, d=d) for one in (ATTENTION, kind)))

    def operations(self) -> str:
        """Return the paper's first column, and the exponents of multiply-adds and seconds, forward and backward."""
        d, n = self.widths[0], self.lengths[-1]
        lines = [f"{'operations':18}{'paper':12}{'counted':16}seconds"]
        for kind in KINDS:
            counted, timed = (
                f"n^{self.exponent_n(what, kind, d):.2f} d^{self.exponent_d(what, kind, n):.2f}"
                for what in ("multiply_adds", "seconds")
            )
            lines.append(f"{kind.name:18}{kind.operations:12}{counted:16}{timed}")
        lengths, widths = _larger_half(self.lengths), _larger_half(self.widths)
        fitted = f"n from {lengths[0]} to {lengths[-1]} at d = {d}, d from {widths[0]} to {widths[-1]} at n = {n}"
        return "\n".join([*lines, f"exponents fitted over {fitted}"])

    def ways(self) -> str:
        """Return the paper's other two columns, and the measured numbers of dependent products ("in" n layers)."""
        lengths = sorted({path.n for path in self.paths})
        heads = "".join(f"{f'n={n}':>6}" for n in lengths), "".join(f"{f'n={n}':>9}" for n in lengths)
        lines = [f"{'waiting products':18}{'in a layer':11}{heads[0]}   {'end to end':11}{heads[1]}"]
        for kind in KINDS:
            found = sorted(path for path in self.paths if path.kind == kind.name)
            chains = "".join(f"{path.sequential:6}" for path in found)
            ways = "".join(f"{f'{path.products} in {path.layers}':>9}" for path in found)
            lines.append(f"{kind.name:18}{kind.sequential:11}{chains}   {kind.path:11}{ways}")
        return "\n".join(lines)

    def crossings(self) -> str:
        """Return, for each d, the n below which self-attention is cheaper than another kind."""
        lines = [
            "self-attention is cheaper below n = ... by the paper's O / by multiply-adds / by seconds",
            f"{'d':>5}" + "".join(f"{kind.name:>20}" for kind in OTHERS),
        ]
        for d in self.widths:
            size, cells = Size(1, d, self.k, self.r, self.batch), []
            for kind in OTHERS:
                below = kind.cheaper_below(size), counted_cheaper_below(kind, size), self.cheaper_below(kind, d)
                cells.append(" / ".join(self.bound(n) for n in below))
            lines.append(f"{d:5}" + "".join(f"{cell:>20}" for cell in cells))
        return "\n".join(lines)

    def bound(self, n: float) -> str:
        """Format a bound: `-` where self-attention is never cheaper, `>4096` beyond the measured lengths."""
        return f">{self.lengths[-1]}" if math.isinf(n) else f"{n:.0f}" if n else "-"

    def milliseconds(self) -> str:
        """Return the time of every size in milliseconds."""
        lines = [f"{'d':>5}{'n':>6}" + "".join(f"{kind.name:>18}" for kind in KINDS) + "  in ms"]
        for d in self.widths:
            columns = [self.column("seconds", kind, d=d) for kind in KINDS]
            for n, *cells in zip(self.lengths, *columns, strict=True):
                lines.append(f"{d:5}{n:6}" + "".join(f"{1000 * cell:18.2f}" for cell in cells))
        return "\n".join(lines)

    def files(self) -> dict[str, str]:
        """Return two CSV files by their names: one line per cost, one line per path."""
        return {"costs.csv": _as_csv(Cost, self.costs), "paths.csv": _as_csv(Path, self.paths)}


def _larger_half(values: list) -> list:
    """Return the last values: half of them and the middle one, at least two."""
    return values[-max(len(values) // 2 + 1, 2) :]


def _as_csv(kind: type, rows: list) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([kind._fields, *rows])
    return text.getvalue()
