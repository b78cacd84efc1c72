"""Any matrix as a heat map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError, require

FEW = 40  # so many names along an axis can still be read


def plot_heat_map(
    ax,
    values,
    *,
    title: str = "",
    row_label: str = "",
    column_label: str = "",
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
):
    """Draw values (rows, columns) with red above 0, blue below, white at 0, and grey where there is no number.

    The colours reach as far below 0 as above, and are those of ColorBrewer's RdBu, which the colour-blind can tell
    apart (Harrower and Brewer 2003). Names take the place of the numbers along an axis, unless they are too many to
    read. Returns the Axes. Raises `InputError` unless values have two axes, and names are as many as rows or columns.
    """
    values = np.asarray(values, float)
    if values.ndim != 2 or values.size == 0:
        raise InputError(f"a heat map of shape {values.shape}: expected (rows, columns), both above 0")
    for kind, names, size in (("row", row_names, values.shape[0]), ("column", column_names, values.shape[1])):
        if len(names) not in (0, size):
            raise InputError(f"{len(names)} {kind} names for {size} {kind}s: give one for each, or none")
    numbers = np.isfinite(values)
    limit = float(np.abs(values[numbers]).max(initial=0)) or 1.0
    colours = require("matplotlib", "npformer").colormaps["RdBu_r"].with_extremes(bad="0.6")
    image = ax.imshow(values, cmap=colours, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")
    ticks = require("matplotlib.ticker", "npformer").MaxNLocator
    for axis, names, size in ((ax.yaxis, row_names, values.shape[0]), (ax.xaxis, column_names, values.shape[1])):
        if len(names) and size <= FEW:
            slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if axis is ax.xaxis else {}
            axis.set_ticks(range(size), names, **slanted)
        elif size == 1:
            axis.set_ticks([])
        else:
            axis.set_major_locator(ticks(integer=True, nbins=8))
    ax.set_xlabel(column_label)
    ax.set_ylabel(row_label)
    ax.set_title(title, fontsize="medium")
    label = "value" if numbers.all() else "value (grey: not a number)"
    ax.figure.colorbar(image, ax=ax, label=label, fraction=0.05).formatter.set_powerlimits((-2, 4))
    return ax
