"""A heat map of any matrix."""

from collections.abc import Sequence

import numpy as np

from ...utils import InputError, import_optional

MAX_NAMES = 40  # along an axis, for names to be readable


def plot_heat_map(
    ax,
    values,
    *,
    title: str = "",
    row_label: str = "",
    column_label: str = "",
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
    limit: float | None = None,
):
    """Draw values (rows, columns), red above 0, blue below, white at 0, gray where not a number; return the Axes.

    Names replace the numbers along an axis, unless there are too many. `limit` is the magnitude with the darkest
    color, by default the largest.

    Raises `InputError` unless values have two axes, and there are as many names as rows or columns.
    """
    values = np.asarray(values, float)
    if values.ndim != 2 or values.size == 0:
        raise InputError(
            f"a heat map of shape {values.shape}: expected (rows, columns), both above 0"
        )
    for kind, names, size in (
        ("row", row_names, values.shape[0]),
        ("column", column_names, values.shape[1]),
    ):
        if len(names) not in (0, size):
            raise InputError(
                f"{len(names)} {kind} names for {size} {kind}s: give one for each, or none"
            )
    is_number = np.isfinite(values)
    limit = limit or largest_magnitude(values) or 1.0
    colors = import_optional("matplotlib", "npformer").colormaps["RdBu_r"].with_extremes(bad="0.6")
    look = {
        "cmap": colors,
        "vmin": -limit,
        "vmax": limit,
        "aspect": "auto",
        "interpolation": "nearest",
    }
    image = ax.imshow(np.where(is_number, values, np.nan), **look)
    ax.set(xlabel=column_label, ylabel=row_label)
    ticks = import_optional("matplotlib.ticker", "npformer").MaxNLocator
    for axis, names in ((ax.yaxis, row_names), (ax.xaxis, column_names)):
        if 0 < len(names) <= MAX_NAMES:
            slanted = (
                {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
                if axis is ax.xaxis
                else {}
            )
            axis.set_ticks(range(len(names)), names, **slanted)
        else:
            axis.set_major_locator(ticks(integer=True, nbins=8))
    ax.set_title(title, fontsize="medium")
    label = "value" if is_number.all() else "value (gray: not a number)"
    bar = ax.figure.colorbar(image, ax=ax, label=label, fraction=0.05)
    bar.formatter.set_powerlimits((-2, 4))
    bar.ax.set_ylim(-limit if (values[is_number] < 0).any() else 0, limit)
    return ax


def largest_magnitude(values) -> float:
    """Return the largest magnitude of all finite numbers, 0 where there are none.

    >>> largest_magnitude([[1.0, -3.0], [float("nan"), float("inf")]])
    3.0
    """
    magnitudes = np.abs(np.asarray(values, float))
    return float(magnitudes[np.isfinite(magnitudes)].max(initial=0))
