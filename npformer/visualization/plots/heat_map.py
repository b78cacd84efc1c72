"""A heat map of any matrix."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...utils import InputError, import_optional

MAX_NAMES = 40  # along an axis, for names to be readable


def plot_heat_map(
    ax: Any,
    values: Any,
    *,
    title: str = "",
    row_label: str = "",
    column_label: str = "",
    row_names: Sequence[str] = (),
    column_names: Sequence[str] = (),
    limit: float | None = None,
) -> Any:
    """Draw a matrix: red above 0, blue below, white at 0, gray where masked or not a number.

    The Axes are returned. Raises `InputError` unless values have two axes, and there are as many
    names as rows or columns.

    Arguments:
        ax: The Axes.
        values: The values (rows, columns).
        title: The title.
        row_label: What the rows are.
        column_label: What the columns are.
        row_names: Names in place of the numbers of rows, unless there are too many.
        column_names: The same for columns.
        limit: The magnitude with the darkest color, by default the largest.
    """
    values = np.ma.asarray(values, float).filled(np.nan)
    if values.ndim != 2 or values.size == 0:
        raise InputError(
            f"a heat map of shape {values.shape}: expected (rows, columns), both above 0"
        )
    _check_names("row", row_names, values.shape[0])
    _check_names("column", column_names, values.shape[1])

    is_number = np.isfinite(values)
    # the colors of -limit and limit must differ, also where all values are 0
    limit = limit or largest_magnitude(values) or 1.0
    colors = import_optional("matplotlib", "npformer").colormaps["RdBu_r"]
    image = ax.imshow(
        np.where(is_number, values, np.nan),
        cmap=colors.with_extremes(bad="0.6"),
        vmin=-limit,
        vmax=limit,
        aspect="auto",
        interpolation="nearest",
    )
    ax.set(xlabel=column_label, ylabel=row_label)
    _set_names(ax.yaxis, row_names)
    _set_names(ax.xaxis, column_names, rotation=45, ha="right", rotation_mode="anchor")
    ax.set_title(title, fontsize="medium")

    label = "value" if is_number.all() else "value (gray: not a number)"
    bar = ax.figure.colorbar(image, ax=ax, label=label, fraction=0.05)
    bar.formatter.set_powerlimits((-2, 4))
    # without negative values the lower half of the bar would show colors that do not occur
    lowest = 0.0
    if (values[is_number] < 0).any():
        lowest = -limit
    bar.ax.set_ylim(lowest, limit)
    return ax


def _check_names(kind: str, names: Sequence[str], size: int) -> None:
    """Raise `InputError` unless there is a name for each row or column, or none."""
    if len(names) not in (0, size):
        raise InputError(
            f"{len(names)} {kind} names for {size} {kind}s: give one for each, or none"
        )


def _set_names(axis: Any, names: Sequence[str], **text_settings: Any) -> None:
    """Put names along an axis, or numbers where there are none or too many."""
    if 0 < len(names) <= MAX_NAMES:
        axis.set_ticks(range(len(names)), names, **text_settings)
    else:
        ticks = import_optional("matplotlib.ticker", "npformer").MaxNLocator
        axis.set_major_locator(ticks(integer=True, nbins=8))


def largest_magnitude(values: Any) -> float:
    """Return the largest magnitude of all finite numbers, 0 where there are none.

    >>> largest_magnitude([[1.0, -3.0], [float("nan"), float("inf")]])
    3.0
    """
    magnitudes = np.abs(np.asarray(values, float))
    return float(magnitudes[np.isfinite(magnitudes)].max(initial=0))
