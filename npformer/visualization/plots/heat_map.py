"""Any matrix as a heat map."""

from collections.abc import Sequence

import numpy as np

from ...utils import InputError, import_optional

FEW = 40  # so many names along an axis can still be read
MANY = 256  # so many cells side by side still have a pixel each


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
    """Draw values (rows, columns) with red above 0, blue below, white at 0, and grey where there is no number.

    The colours reach as far below 0 as above, and are those of ColorBrewer's RdBu, which the colour-blind can tell
    apart (Harrower and Brewer 2003); the bar beside them begins at 0 where nothing is below. Where cells would be finer
    than pixels, neighbours share one, which shows that of the largest magnitude, so that a lone large value is never
    lost. Names take the place of the numbers along an axis, unless they are too many to read. `limit` is the magnitude
    with the darkest colour, by default the largest there is. Returns the Axes.

    Raises `InputError` unless values have two axes, and names are as many as rows or columns.
    """
    values = np.asarray(values, float)
    if values.ndim != 2 or values.size == 0:
        raise InputError(f"a heat map of shape {values.shape}: expected (rows, columns), both above 0")
    for kind, names, size in (("row", row_names, values.shape[0]), ("column", column_names, values.shape[1])):
        if len(names) not in (0, size):
            raise InputError(f"{len(names)} {kind} names for {size} {kind}s: give one for each, or none")
    n_rows, n_columns = values.shape
    cells, tall = largest_of_rows(values)
    cells, wide = largest_of_rows(cells.T)
    cells = cells.T  # each stands for `tall` rows and `wide` columns
    numbers = np.isfinite(cells)
    limit = limit or largest_magnitude(cells) or 1.0
    extent = (-0.5, cells.shape[1] * wide - 0.5, len(cells) * tall - 0.5, -0.5)
    colours = import_optional("matplotlib", "npformer").colormaps["RdBu_r"].with_extremes(bad="0.6")
    look = {"cmap": colours, "vmin": -limit, "vmax": limit, "aspect": "auto", "interpolation": "nearest"}
    image = ax.imshow(cells, extent=extent, **look)
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(n_rows - 0.5, -0.5), xlabel=column_label, ylabel=row_label)
    ticks = import_optional("matplotlib.ticker", "npformer").MaxNLocator
    for axis, names, size in ((ax.yaxis, row_names, n_rows), (ax.xaxis, column_names, n_columns)):
        if len(names) and size <= FEW:
            slanted = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if axis is ax.xaxis else {}
            axis.set_ticks(range(size), names, **slanted)
        elif size == 1:
            axis.set_ticks([])
        else:
            axis.set_major_locator(ticks(integer=True, nbins=8))
    ax.set_title(title, fontsize="medium")
    label = "value" if tall * wide == 1 else f"largest value of {tall * wide} in a cell"
    label += "" if numbers.all() else " (grey: not a number)"
    bar = ax.figure.colorbar(image, ax=ax, label=label, fraction=0.05)
    bar.formatter.set_powerlimits((-2, 4))
    bar.ax.set_ylim(-limit if (cells[numbers] < 0).any() else 0, limit)
    return ax


def largest_magnitude(values) -> float:
    """Return the largest magnitude of all that is a number, 0 where nothing is.

    >>> largest_magnitude([[1.0, -3.0], [float("nan"), float("inf")]])
    3.0
    """
    magnitudes = np.abs(np.asarray(values, float))
    return float(magnitudes[np.isfinite(magnitudes)].max(initial=0))


def largest_of_rows(values):
    """Fold values (rows, columns) to at most MANY rows; return them, and how many rows each stands for.

    Of the rows that are folded together each column keeps the value of the largest magnitude, or what is no number.

    >>> rows, height = largest_of_rows(np.arange(-300.0, 300.0)[:, None])
    >>> rows.shape, height, rows[0].tolist(), rows[-1].tolist()
    ((200, 1), 3, [-300.0], [299.0])
    """
    n_rows, n_columns = values.shape
    height = -(-n_rows // MANY)
    groups = np.pad(values, ((0, -n_rows % height), (0, 0))).reshape(-1, height, n_columns)
    magnitude = np.where(np.isfinite(groups), np.abs(groups), np.inf)
    return np.take_along_axis(groups, magnitude.argmax(1)[:, None], 1)[:, 0], height
