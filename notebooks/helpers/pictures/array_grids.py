"""Arrays as grids of colored cells, next to each other as in a formula."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex
from matplotlib.patches import Rectangle

from npformer.utils.errors import InputError
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import (
    GREY,
    contrasting,
    ink,
    page_color,
    role_color,
    role_of,
    weight_colors,
)
from npformer.visualization.plots.figures import widest
from npformer.visualization.plots.fonts import drawable
from npformer.visualization.plots.heat_map import largest_magnitude

# inches
WIDEST_FIGURE = 10.0
HIGHEST_GRID = 6.0
GAP = 0.22
LETTER = 0.1  # the width of a letter of a name
DIGIT = 0.064  # the width of a digit in a cell
CELL = 0.26  # the height of a cell with a number, and the least width
LABELED_CELL = 0.17  # the least height or width of a cell with a label
FOOTER = 0.45  # the height of name and shape

MOST_ROWS_WITH_NUMBERS = 24
SIGN_POINTS = 15
NAME_POINTS = 10
LABEL_POINTS = 9
SMALL_POINTS = 7

# from -limit to limit: none of them is the color of a query, key or value
SIGNED_COLORS = ("#54378f", "#9484c0", "#cfc9e4", "#ffffff", "#ecd9b0", "#c99445", "#8a5a14")

Place = tuple[int, int]  # a row and a column
Labels = Sequence[str] | Mapping[str, Sequence[str]]  # for every array that they fit, or by name


@dataclass
class _Sign:
    """What a formula has between two arrays."""

    text: str


@dataclass
class _Grid:
    """One array as it is drawn."""

    name: str
    values: np.ndarray  # (rows, columns)
    shape: tuple[int, ...]
    row_labels: list[str]  # or none
    column_labels: list[str]
    marked: dict[Place, str]  # the color of a frame by its place
    numbers: list[str]  # of all cells, row by row
    signed: bool  # whether it has the colors of signed numbers


class _Cell(NamedTuple):
    width: float
    height: float
    has_numbers: bool


def show_arrays(
    formula: str = "",
    *,
    rows: Labels = (),
    columns: Labels = (),
    decimals: int = 2,
    limit: float | None = None,
    signed: Collection[str] = (),
    marked: Mapping[str, Collection[Place] | Mapping[Place, str]] | None = None,
    **arrays,
):
    """Draw arrays as grids of cells of one size, and return the figure.

    Floats are brown above zero and purple below, in one scale for all arrays. Where the rows of an
    array add up to one, as those of attention weights do, its cells go from the color of the page,
    0, to dark blue, 1, unless it is in `signed`. Of a mask what is True is filled. Integers, such
    as ids, have no color.

    Cells have their numbers where these fit. Below an array are its name, which has a color where
    it is a query, key or value, and its shape.

    Raises `InputError` for an array with several matrices, an array that the formula does not name,
    and labels or marks that do not fit.

    Arguments:
        formula: names of arrays and what is between them, separated by spaces; k.T is k transposed;
            by default the arrays are next to each other
        rows: a label per row, such as words, for every array with so many rows, or by name of an
            array
        columns: the same for columns
        decimals: the digits after the point, unless all numbers of an array are whole
        limit: the magnitude with the darkest color, by default the largest
        signed: names of arrays that are no weights, even if their rows add up to one
        marked: by name of an array, the (row, column) of entries with a frame, or a color by each
        arrays: arrays by name; a vector is a row

    >>> q = np.ones((2, 3))
    >>> figure = show_arrays("q · k.T = scores", q=q, k=q, scores=q @ q.T, rows=["the", "dog"])
    """
    marks = marked or {}
    _check_names(formula, arrays, rows, columns, marks, dict.fromkeys(signed))
    grids = {}
    for name, array in arrays.items():
        grids[name] = _grid_of(name, array, decimals, rows, columns, marks.get(name, ()))
        if name in signed:
            grids[name].signed = True
    parts: list[_Grid | _Sign] = []
    for word in formula.split() or arrays:
        name = word.removesuffix(".T")
        if name in grids:
            parts.append(grids[name] if name == word else _transposed(grids[name]))
        elif parts and isinstance(parts[-1], _Sign):
            parts[-1].text += f" {word}"
        else:
            parts.append(_Sign(word))
    _drop_repeated_labels(parts)

    if limit is None:
        magnitudes = [largest_magnitude(grid.values) for grid in grids.values() if grid.signed]
        limit = max(magnitudes, default=0) or 1.0
    return _drawn(parts, limit)


def _check_names(formula: str, arrays: Mapping, *by_name: object) -> None:
    """Raise `InputError` where a name is that of no array, or an array is not drawn."""
    if not arrays:
        raise InputError("show_arrays got no arrays: pass them by name, as in q=q")
    for names in by_name:
        for name in names if isinstance(names, Mapping) else ():
            if name not in arrays:
                raise InputError(f"there is no array {name}: expected {', '.join(arrays)}")
    words = [word.removesuffix(".T") for word in formula.split()]
    for name in arrays:
        if words and name not in words:
            raise InputError(f"the formula {formula!r} does not have {name}: name every array")


def _grid_of(
    name: str, array, decimals: int, rows: Labels, columns: Labels, marked: Collection
) -> _Grid:
    array = np.asarray(array)
    n_rows, n_columns = (1, 1, *array.shape)[-2:]
    if array.size != n_rows * n_columns or array.size == 0:
        raise InputError(
            f"{name} has the shape {array.shape}: expected one matrix, such as {name}[0]"
        )
    for row, column in marked:
        if not (0 <= row < n_rows and 0 <= column < n_columns):
            raise InputError(f"{name} of shape {array.shape} has no entry ({row}, {column})")
    values = array.reshape(n_rows, n_columns)
    return _Grid(
        name,
        values,
        array.shape,
        _labels_of(name, n_rows, "row", rows),
        _labels_of(name, n_columns, "column", columns),
        dict(marked) if isinstance(marked, Mapping) else dict.fromkeys(marked, ""),
        _numbers_of(values, decimals),
        _has_signs(values),
    )


def _labels_of(name: str, size: int, kind: str, labels: Labels) -> list[str]:
    if not isinstance(labels, Mapping):
        return list(labels) if len(labels) == size else []
    of_array = list(labels.get(name, []))
    if of_array and len(of_array) != size:
        raise InputError(
            f"{name} got {len(of_array)} {kind} labels: expected {size}, one for each {kind}"
        )
    return of_array


def _numbers_of(values: np.ndarray, decimals: int) -> list[str]:
    """Return the numbers of all cells, row by row.

    >>> _numbers_of(np.array([[0.5, -0.001]]), 2), _numbers_of(np.array([[1.0, -2.0]]), 2)
    (['0.50', '0.00'], ['1', '-2'])
    """
    if values.dtype == bool:
        return [""] * values.size
    if values.dtype.kind != "f":
        return [str(value) for value in values.ravel()]
    if (values == np.round(values)).all():
        decimals = 0
    rounded = values.round(decimals) + 0.0  # no -0.00
    return [f"{value:.{decimals}f}" for value in rounded.ravel()]


def _transposed(grid: _Grid) -> _Grid:
    n_rows, n_columns = grid.values.shape
    numbers = np.reshape(grid.numbers, (n_rows, n_columns)).T
    return _Grid(
        f"{grid.name}ᵀ",
        grid.values.T,
        (n_columns, n_rows),
        grid.column_labels,
        grid.row_labels,
        {(column, row): color for (row, column), color in grid.marked.items()},
        numbers.ravel().tolist(),
        grid.signed,
    )


def _drop_repeated_labels(parts: Sequence[_Grid | _Sign]) -> None:
    """Leave out the row labels of a grid that are those of the grid before it."""
    before: list[str] = []
    for part in parts:
        if isinstance(part, _Grid):
            labels = part.row_labels
            if labels == before:
                part.row_labels = []
            before = labels


def _has_signs(values: np.ndarray) -> bool:
    return values.dtype.kind == "f" and not _has_weights(values)


def _has_weights(values: np.ndarray) -> bool:
    """Return whether each row adds up to one, or is all zero because all is masked."""
    if values.dtype.kind != "f" or not (values >= 0).all():
        return False
    sums = values.sum(-1)
    is_one = np.isclose(sums, 1, atol=1e-3)
    return bool(is_one.any() and (is_one | (sums == 0)).all())


def _cell_for(parts: Sequence[_Grid | _Sign]) -> _Cell:
    """Return the size of the cells, with numbers where the figure does not get too wide by them."""
    grids = [part for part in parts if isinstance(part, _Grid)]
    n_rows = max(len(grid.values) for grid in grids)
    n_columns = sum(grid.values.shape[1] for grid in grids)
    has_row_labels = any(grid.row_labels for grid in grids)
    has_column_labels = any(grid.column_labels for grid in grids)

    longest = max(len(number) for grid in grids for number in grid.numbers)
    width = max(DIGIT * longest + 0.07, CELL)
    with_numbers = _Cell(width, CELL, True)
    if n_rows <= MOST_ROWS_WITH_NUMBERS and _total_width(parts, with_numbers) <= WIDEST_FIGURE:
        return with_numbers

    fixed = _total_width(parts, _Cell(0, 0, False))
    width = min(max(WIDEST_FIGURE - fixed, 1.0) / n_columns, CELL)
    if has_column_labels:
        width = max(width, LABELED_CELL)
    height = max(width, LABELED_CELL) if has_row_labels else width
    return _Cell(width, min(height, HIGHEST_GRID / n_rows), False)


def _total_width(parts: Sequence[_Grid | _Sign], cell: _Cell) -> float:
    return GAP + sum(_width(part, cell) + GAP for part in parts)


def _width(part: _Grid | _Sign, cell: _Cell) -> float:
    """Return the width of a sign, or of a grid with its row labels."""
    if isinstance(part, _Sign):
        return LETTER * len(part.text)
    return _labels_width(part) + _body_width(part, cell)


def _labels_width(grid: _Grid) -> float:
    return widest(grid.row_labels) + 0.08 if grid.row_labels else 0.0


def _body_width(grid: _Grid, cell: _Cell) -> float:
    """Return the width of the cells, or of the text below where that is wider."""
    text = max(LETTER * len(grid.name), DIGIT * len(str(grid.shape)))
    return max(cell.width * grid.values.shape[1], text)


def _drawn(parts: Sequence[_Grid | _Sign], limit: float):
    """Return the figure of all parts."""
    cell = _cell_for(parts)
    grids = [part for part in parts if isinstance(part, _Grid)]
    half = max(len(grid.values) for grid in grids) * cell.height / 2
    top = max(
        len(grid.values) * cell.height / 2 + widest(grid.column_labels) + 0.1 for grid in grids
    )
    middle = max(top, half)
    width = _total_width(parts, cell)
    height = middle + half + FOOTER

    # the Axes fill the figure, and their units are inches from its upper left corner
    figure, ax = new_figure(width=width, height=height)
    figure.set_layout_engine("none")
    ax.set_position([0, 0, 1, 1])
    ax.set_axis_off()
    left = GAP
    for part in parts:
        if isinstance(part, _Sign):
            x = left + _width(part, cell) / 2
            ax.text(x, middle, part.text, size=SIGN_POINTS, ha="center", va="center", color=ink())
        else:
            _draw_grid(ax, part, cell, left, middle, limit)
        left += _width(part, cell) + GAP
    if not cell.has_numbers and any(grid.signed for grid in grids):
        scale = f"darkest: ±{limit:.2g}"
        ax.text(width - 0.1, height - 0.08, scale, size=SMALL_POINTS, ha="right", va="bottom")
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="auto")
    return figure


def _draw_grid(ax, grid: _Grid, cell: _Cell, left: float, middle: float, limit: float) -> None:
    """Draw an array with its labels, name and shape, from `left` on."""
    n_rows, n_columns = grid.values.shape
    width = n_columns * cell.width
    start = left + _labels_width(grid) + (_body_width(grid, cell) - width) / 2
    top = middle - n_rows * cell.height / 2
    bottom = middle + n_rows * cell.height / 2

    fills = _fills_of(ax, grid, limit)
    extent = (start, start + width, bottom, top)
    ax.imshow(fills, extent=extent, interpolation="nearest", aspect="auto", zorder=1)
    _draw_lines(ax, extent, n_rows, n_columns)
    for (row, column), color in grid.marked.items():
        corner = (start + column * cell.width, top + row * cell.height)
        frame = Rectangle(corner, cell.width, cell.height, fill=False, zorder=3)
        frame.set(edgecolor=color or ink(), linewidth=2.5 if color else 2)
        ax.add_patch(frame)

    if cell.has_numbers:
        for place, number in enumerate(grid.numbers):
            row, column = divmod(place, n_columns)
            x = start + (column + 0.5) * cell.width
            y = top + (row + 0.5) * cell.height
            color = contrasting(fills[row, column, :3])
            ax.text(x, y, number, size=SMALL_POINTS, ha="center", va="center_baseline", color=color)

    _draw_labels(ax, grid, cell, start, top)
    center = start + width / 2
    color = ink()
    if role_of(grid.name.removesuffix("ᵀ")):
        color = role_color(role_of(grid.name.removesuffix("ᵀ")), to_hex(ink()))
    name = {"size": NAME_POINTS, "weight": "bold", "color": color, "parse_math": False}
    ax.text(center, bottom + 0.06, grid.name, ha="center", va="top", **name)
    ax.text(center, bottom + 0.25, str(grid.shape), size=SMALL_POINTS, ha="center", va="top")


def _fills_of(ax, grid: _Grid, limit: float) -> np.ndarray:
    """Return the colors of all cells (rows, columns, 4)."""
    values = grid.values
    if grid.signed:
        map_ = LinearSegmentedColormap.from_list("signed", SIGNED_COLORS).with_extremes(bad="0.6")
        return map_(Normalize(-limit, limit)(np.ma.masked_invalid(values)))
    if values.dtype.kind in "fb":  # weights or a mask
        return weight_colors(ax)(values.astype(float))
    empty = matplotlib.colors.to_rgba(page_color(ax))
    return np.broadcast_to(empty, (*values.shape, 4))


def _draw_lines(ax, extent: tuple, n_rows: int, n_columns: int) -> None:
    """Draw the lines around cells, or around the whole array where cells are small."""
    start, end, bottom, top = extent
    if (end - start) / n_columns < 0.1 or (bottom - top) / n_rows < 0.1:
        n_rows = 1
        n_columns = 1
    look = {"color": GREY, "linewidth": 0.5, "zorder": 2}
    ax.vlines(np.linspace(start, end, n_columns + 1), top, bottom, **look)
    ax.hlines(np.linspace(top, bottom, n_rows + 1), start, end, **look)


def _draw_labels(ax, grid: _Grid, cell: _Cell, start: float, top: float) -> None:
    labels, settings = drawable(grid.row_labels)
    settings["size"] = min(LABEL_POINTS, 0.85 * 72 * cell.height)  # 72 points an inch
    for row, label in enumerate(labels):
        y = top + (row + 0.5) * cell.height
        ax.text(start - 0.06, y, label, ha="right", va="center_baseline", **settings)
    labels, settings = drawable(grid.column_labels)
    settings["size"] = min(LABEL_POINTS, 0.85 * 72 * cell.width)
    for column, label in enumerate(labels):
        x = start + (column + 0.5) * cell.width
        ax.text(x, top - 0.06, label, ha="center", va="bottom", rotation=90, **settings)
