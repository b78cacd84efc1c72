"""Table 1 as measured, next to the paper's: as text and a plot."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...utils import InputError
from .layer_kinds import KINDS, Kind, Size
from .measurements import Cost, layers_between_ends

NARROW = 4  # d of the layers through which gradients are followed: no path depends on it


class Table1(NamedTuple):
    """The measured costs, each kind at every length and width, all at one k and r.

    Arguments:
        costs: The costs.
        k: The width of a convolution's kernel.
        r: The neighbors that restricted self-attention sees.
    """

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
        """Return the costs of a kind at one n, or at one d, by the other in order.

        Arguments:
            what: "seconds" or "multiply_adds".
            kind: The kind.
            n: The length, for a column over d.
            d: The width, for a column over n.
        """
        column = []
        for cost in sorted(self.costs, key=lambda cost: (cost.n, cost.d)):
            if cost.kind == kind.name and n in (None, cost.n) and d in (None, cost.d):
                column.append(getattr(cost, what))
        return column

    def exponent(
        self, what: str, kind: Kind, *, n: int | None = None, d: int | None = None
    ) -> float:
        """Return the exponent in d of a `column` at one n, or in n at one d.

        It is fitted over the larger half of the sizes.

        Raises `InputError` unless there are two sizes or more, each measured once.
        """
        # a power of n is a straight line in logarithms; small sizes are all overhead
        sizes = self.lengths if n is None else self.widths
        costs = self.column(what, kind, n=n, d=d)
        if len(costs) != len(sizes) or len(sizes) < 2:
            raise InputError(
                f"{len(costs)} costs of {kind.name} at {len(sizes)} sizes: expected two different "
                "sizes or more, each measured once, to fit an exponent"
            )
        log_sizes = np.log(_larger_half(sizes))
        log_costs = np.log(_larger_half(costs))
        return float(np.polyfit(log_sizes, log_costs, 1)[0])

    def operations(self) -> str:
        """Return the paper's first column, and the exponents of multiply-adds and seconds.

        Both are those of forward and backward.
        """
        d = self.widths[0]
        n = self.lengths[-1]
        lines = [f"{'operations':18}{'paper':12}{'multiply-adds':16}seconds"]
        for kind in KINDS:
            line = f"{kind.name:18}{kind.operations:12}"
            for what in ("multiply_adds", "seconds"):
                in_n = self.exponent(what, kind, d=d)
                in_d = self.exponent(what, kind, n=n)
                line += f"{f'n^{in_n:.2f} d^{in_d:.2f}':16}"
            lines.append(line.rstrip())

        lengths = _larger_half(self.lengths)
        widths = _larger_half(self.widths)
        lines.append(
            f"exponents fitted over n from {lengths[0]} to {lengths[-1]} at d = {d}, "
            f"d from {widths[0]} to {widths[-1]} at n = {n}"
        )
        return "\n".join(lines)

    def path_lengths(self, lengths: Sequence[int] = (16, 32, 64)) -> str:
        """Return the paper's other two columns.

        These are sequential products in a layer, and layers from end to end, which are found by
        following gradients.
        """
        head = "".join(f"{f'n={n}':>6}" for n in lengths)
        lines = [f"{'':18}{'sequential':11}{head}   {'path':9}{head}"]
        for kind in KINDS:
            steps = ""
            layers = ""
            for n in lengths:
                size = Size(n, NARROW, self.k, self.r)
                steps += f"{kind.steps(size):6}"
                layers += f"{layers_between_ends(kind, size):6}"
            lines.append(f"{kind.name:18}{kind.sequential:11}{steps}   {kind.path:9}{layers}")
        return "\n".join(lines)


def plot_layer_costs(ax: Any, table: Table1, d: int) -> Any:
    """Draw the seconds of each kind of layer over n at one d; return the Axes.

    The legend has their exponents in n.
    """
    for kind, marker in zip(KINDS, "osv^D", strict=True):
        exponent = table.exponent("seconds", kind, d=d)
        label = f"{kind.name}, $n^{{{exponent:.1f}}}$"
        seconds = table.column("seconds", kind, d=d)
        ax.plot(table.lengths, seconds, label=label, marker=marker, markersize=4)
    ax.set(xscale="log", yscale="log", xlabel="n", title=f"d = {d}")
    ax.set_xticks(table.lengths, [f"{n:,}" for n in table.lengths], fontsize=8)
    ax.minorticks_off()
    ax.legend(fontsize=8)
    return ax


def _larger_half(values: list) -> list:
    """Return the last values: half of them and the middle one, at least two."""
    return values[-max(len(values) // 2 + 1, 2) :]
