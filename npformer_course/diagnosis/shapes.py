"""Results of another shape than expected: transposed, with an axis that was not summed."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

from ..report import Finding
from ..tolerance import same
from .comparison import Comparison


def wrong_shape(part: Comparison) -> Finding | None:
    """Return how the shape of a result differs from the right one."""
    part = part.apart()
    if all(got.shape == right.shape for got, right in zip(part.got, part.right, strict=True)):
        return None
    return _transposed(part) or _not_summed(part) or _otherwise(part)


def _letters(part: Comparison, shapes: list[tuple[int, ...]]) -> str:
    """Return a shape in letters, those that alone fit on every draw; empty where an axis has none."""
    if len({len(shape) for shape in shapes}) > 1:
        return ""
    axes = []
    for lengths in zip(*shapes, strict=True):
        fitting = [
            letter
            for letter in part.draws[0].sizes
            if all(one.sizes[letter] == n for one, n in zip(part.draws, lengths, strict=True))
        ]
        axes.append(
            fitting[0] if len(fitting) == 1 else str(lengths[0]) if len({*lengths}) == 1 else ""
        )
    return "" if "" in axes else f"({', '.join(axes)}{',' * (len(axes) == 1)})"


def _both_shapes(part: Comparison) -> tuple[str, str]:
    """Return the two shapes in letters, or those of the first draw in which they differ in numbers."""
    got, expected = [g.shape for g in part.got], [e.shape for e in part.right]
    texts = _letters(part, got), _letters(part, expected)
    if "" not in texts:
        return texts
    return next((str(c), str(w)) for c, w in zip(got, expected, strict=True) if c != w)


def _transposed(part: Comparison) -> Finding | None:
    """Say that the axes have another order, and whether the numbers are right otherwise."""
    n = part.right[0].ndim
    if not 2 <= n <= 5 or any(g.ndim != n for g in part.got):
        return None
    pairs = list(zip(part.got, part.right, strict=True))
    orders = [
        o for o in permutations(range(n)) if all(g.shape == e.transpose(o).shape for g, e in pairs)
    ]
    if not orders:
        return None
    got, expected = _both_shapes(part)
    text = f"{part.name} has the shape {got}, {'the transpose of' if n == 2 else 'in another order than'} {expected}"
    if any(all(same(g, e.transpose(o)) for g, e in pairs) for o in orders):
        text += "; transposed back, its numbers are right"
    return Finding("guard", "transposed", text, "What does each axis of your result stand for?")


def _not_summed(part: Comparison) -> Finding | None:
    """Say that the right numbers come out once the extra axes are summed or averaged."""
    pairs = list(zip(part.got, part.right, strict=True))
    extra = pairs[0][0].ndim - pairs[0][1].ndim
    if (
        extra < 1
        or any(g.ndim - e.ndim != extra for g, e in pairs)
        or not any(g.size > e.size for g, e in pairs)
    ):
        return None
    for axes in combinations(range(pairs[0][0].ndim), extra):
        for how, reduce in (("summed", np.sum), ("averaged", np.mean)):
            if all(same(reduce(g, axis=axes), e) for g, e in pairs):
                got, expected = _both_shapes(part)
                names = [
                    _letters(part, [(g.shape[axis],) for g in part.got]).strip("(,)")
                    for axis in axes
                ]
                over = " and ".join(
                    names if all(map(str.isalpha, names)) else [f"axis {axis}" for axis in axes]
                )
                text = f"{part.name} has the shape {got}, expected {expected}: it is not {how} over {over}"
                question = f"Over which axes does the text want it {how}, and which of your lines does that?"
                return Finding("guard", f"not {how}", text, question)
    return None


def _otherwise(part: Comparison) -> Finding:
    """Name both shapes, with the sizes of the draw where they are in numbers, and whether it is the shape alone."""
    got, expected = _both_shapes(part)
    pairs = list(zip(part.got, part.right, strict=True))
    i = next(i for i, (g, e) in enumerate(pairs) if g.shape != e.shape)
    sizes = ", ".join(f"{letter} = {size}" for letter, size in part.draws[i].sizes.items())
    numeric = got == str(part.got[i].shape) and got != "()" and sizes
    text = f"{part.name} has the shape {got}, expected {expected}" + (
        f" (with {sizes})" if numeric else ""
    )
    if all(g.size == e.size and same(g.reshape(e.shape), e) for g, e in pairs):
        text += "; its numbers are right"
    return Finding(
        "guard",
        "shape",
        text,
        "Write the shape behind every line: which is the first that surprises you?",
    )
