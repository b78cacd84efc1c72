"""Table 1 as measured, next to the paper's: as text and a plot."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .layer_kinds import KINDS, Kind, Size
from .measurements import Cost, layers_between_ends

NARROW = 4  # d of the layers through which gradients are followed: no path depends on it


class Table1(NamedTuple):
    """The measured costs, each kind at every length and width, all at one k and r."""

    costs: list[Cost]
    k: int
    r: int

    @property
    def lengths(self) -> list[int]:
        """The measured n, in order."""
        return sorted({cost.n for cost in self.costs})

    @property
    def widths(self) -> list[int]:
        """The measured d, in order."""
        return sorted({cost.d for cost in self.costs})

    def column(
        self, what: str, kind: Kind, *, n: int | None = None, d: int | None = None
    ) -> list[float]:
        """Return `what` ("seconds" or "multiply_adds") of a kind, at one n, or at one d, by the other in order."""
        values = {
            (cost.n, cost.d): getattr(cost, what) for cost in self.costs if cost.kind == kind.name
        }
        return [
            values[key] for key in sorted(values) if n in (None, key[0]) and d in (None, key[1])
        ]

    def exponent(
        self, what: str, kind: Kind, *, n: int | None = None, d: int | None = None
    ) -> float:
        """Return the exponent in d of a `column` at one n, or in n at one d, over the larger half of the sizes."""
        sizes = self.lengths if n is None else self.widths
        logarithms = (
            np.log(_larger_half(values)) for values in (sizes, self.column(what, kind, n=n, d=d))
        )
        return float(np.polyfit(*logarithms, 1)[0])

    def operations(self) -> str:
        """Return the paper's first column, and the exponents of multiply-adds and seconds, forward and backward."""
        d, n = self.widths[0], self.lengths[-1]
        lines = [f"{'operations':18}{'paper':12}{'multiply-adds':16}seconds"]
        for kind in KINDS:
            counted, timed = (
                f"n^{self.exponent(what, kind, d=d):.2f} d^{self.exponent(what, kind, n=n):.2f}"
                for what in ("multiply_adds", "seconds")
            )
            lines.append(f"{kind.name:18}{kind.operations:12}{counted:16}{timed}")
        lengths, widths = _larger_half(self.lengths), _larger_half(self.widths)
        fitted = f"n from {lengths[0]} to {lengths[-1]} at d = {d}, d from {widths[0]} to {widths[-1]} at n = {n}"
        return "\n".join([*lines, f"exponents fitted over {fitted}"])

    def path_lengths(self, lengths: Sequence[int] = (16, 32, 64)) -> str:
        """Return the paper's other two columns: sequential products in a layer, and layers from end to end.

        The latter are found by following gradients.
        """
        head = "".join(f"{f'n={n}':>6}" for n in lengths)
        lines = [f"{'':18}{'sequential':11}{head}   {'path':9}{head}"]
        for kind in KINDS:
            sizes = [Size(n, NARROW, self.k, self.r) for n in lengths]
            steps = "".join(f"{kind.steps(size):6}" for size in sizes)
            layers = "".join(f"{layers_between_ends(kind, size):6}" for size in sizes)
            lines.append(f"{kind.name:18}{kind.sequential:11}{steps}   {kind.path:9}{layers}")
        return "\n".join(lines)


def plot_layer_costs(ax, table: Table1, d: int):
    """Draw the seconds of each kind of layer over n at one d, with its exponent in n; return the Axes."""
    for kind, marker in zip(KINDS, "osv^D", strict=True):
        label = f"{kind.name}, $n^{{{table.exponent('seconds', kind, d=d):.1f}}}$"
        ax.plot(
            table.lengths,
            table.column("seconds", kind, d=d),
            label=label,
            marker=marker,
            markersize=4,
        )
    ax.set(xscale="log", yscale="log", xlabel="n", title=f"d = {d}")
    ax.set_xticks(table.lengths, [f"{n:,}" for n in table.lengths], fontsize=8)
    ax.minorticks_off()
    ax.legend(fontsize=8)
    return ax


def _larger_half(values: list) -> list:
    """Return the last values: half of them and the middle one, at least two."""
    return values[-max(len(values) // 2 + 1, 2) :]
