"""When a result has another shape than it should: transposed, an axis too few, an axis that was not summed."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np

from ..report import Finding
from ..tolerance import same
from .part import View
from .swapped_results import exchanged


def shape(view: View) -> Finding | None:
    """Tell how the shape of a result differs from the right one."""
    shapes = [(g.shape, e.shape) for g, e in zip(view.got, view.right, strict=True)]
    differ = [came != wanted for came, wanted in shapes]
    if not any(differ):
        return None
    looks = (exchanged, transposed, unsummed, too_many, lacking)
    return next(filter(None, (look(view) for look in looks)), None) or otherwise(view, differ.index(True))


def letters(view: View, shapes: list[tuple[int, ...]]) -> str:
    """Return a shape in letters, those that alone fit on every draw; empty where an axis has none."""
    if len({len(shape) for shape in shapes}) > 1:
        return ""
    axes = []
    for lengths in zip(*shapes, strict=True):
        fitting = [
            letter
            for letter in view.drawn[0].sizes
            if all(one.sizes[letter] == n for one, n in zip(view.drawn, lengths, strict=True))
        ]
        axes.append(fitting[0] if len(fitting) == 1 else str(lengths[0]) if len({*lengths}) == 1 else "")
    return "" if "" in axes else f"({', '.join(axes)}{',' * (len(axes) == 1)})"


def both(view: View) -> tuple[str, str]:
    """Return the two shapes in letters, or those of the first draw in which they differ in numbers."""
    came, wanted = [g.shape for g in view.got], [e.shape for e in view.right]
    texts = letters(view, came), letters(view, wanted)
    if "" not in texts:
        return texts
    return next((str(c), str(w)) for c, w in zip(came, wanted, strict=True) if c != w)


def said(id: str, text: str, question: str) -> Finding:
    """Return a finding of this room."""
    return Finding("guard", id, text, question)


def transposed(view: View) -> Finding | None:
    """Tell that the axes stand in another order, and whether the numbers are right otherwise."""
    n = view.right[0].ndim
    if n < 2 or n > 5 or any(g.ndim != n for g in view.got):
        return None
    pairs = list(zip(view.got, view.right, strict=True))
    orders = [o for o in permutations(range(n)) if all(g.shape == e.transpose(o).shape for g, e in pairs)]
    if not orders:
        return None
    right = any(all(same(g, e.transpose(o)) for g, e in pairs) for o in orders)
    came, wanted = both(view)
    what = "the transpose of" if n == 2 else "in another order than"
    text = f"{view.name} has the shape {came}, {what} {wanted}"
    text += "; transposed back, its numbers are right" if right else ""
    return said("transposed", text, "What does each axis of your product stand for?")


def unsummed(view: View) -> Finding | None:
    """Tell that the right numbers come out once the axes too many are summed or averaged."""
    extra = view.got[0].ndim - view.right[0].ndim
    if extra < 1 or any(g.ndim - e.ndim != extra for g, e in zip(view.got, view.right, strict=True)):
        return None
    pairs = list(zip(view.got, view.right, strict=True))
    if not any(g.size > e.size for g, e in pairs):
        return None
    for axes in combinations(range(view.got[0].ndim), extra):
        for how, reduce in (("summed", np.sum), ("averaged", np.mean)):
            if all(same(reduce(g, axis=axes), e) for g, e in pairs):
                came, wanted = both(view)
                over = " and ".join(axis_names(view, axes))
                text = f"{view.name} has the shape {came}, expected {wanted}: it is not {how} over {over}"
                question = "How many places does one number of it feed, and what of their gradients?"
                if not view.is_gradient:
                    question = f"Over which axes does the text want it {how}, and which of your lines does that?"
                return said(f"not {how}", text, question)
    return None


def axis_names(view: View, axes: tuple[int, ...]) -> list[str]:
    """Return letters for axes of what came, or their numbers."""
    names = [letters(view, [(g.shape[axis],) for g in view.got]).strip("(,)") for axis in axes]
    return names if all(map(str.isalpha, names)) else [f"axis {axis}" for axis in axes]


def too_many(view: View) -> Finding | None:
    """Tell that there are axes of length 1 that should not be, or that should."""
    pairs = list(zip(view.got, view.right, strict=True))
    if all(squeezed(g.shape) == squeezed(e.shape) and g.ndim != e.ndim for g, e in pairs):
        came, wanted = both(view)
        right = all(same(g.reshape(e.shape), e) for g, e in pairs)
        text = f"{view.name} has the shape {came}, expected {wanted}" + ("; its numbers are right" if right else "")
        return said(
            "axes of length 1",
            text,
            "Write the shape behind every line: where do axes of length 1 come in or go, and where should they?",
        )
    return None


def squeezed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without its ones."""
    return tuple(n for n in shape if n != 1)


def lacking(view: View) -> Finding | None:
    """Tell which axes are lacking, or too many, where only one choice fits every draw."""
    pairs = [(g.shape, e.shape) for g, e in zip(view.got, view.right, strict=True)]
    for (one, other), word in (((0, 1), "is lacking"), ((1, 0), "is too many")):
        extra = len(pairs[0][other]) - len(pairs[0][one])
        if extra != 1 or any(len(pair[other]) - len(pair[one]) != 1 for pair in pairs):
            continue
        fitting = [
            axis
            for axis in range(len(pairs[0][other]))
            if all(pair[other][:axis] + pair[other][axis + 1 :] == pair[one] for pair in pairs)
        ]
        if len(fitting) == 1:
            came, wanted = both(view)
            text = f"{view.name} has the shape {came}, expected {wanted}: axis {fitting[0]} {word}"
            return said(
                f"axis {word}",
                text,
                "Write the shape behind every line: where does this axis come in or go, and where should it?",
            )
    return None


def otherwise(view: View, i: int) -> Finding:
    """Say both shapes."""
    came, wanted = both(view)
    sizes = ", ".join(f"{letter} = {size}" for letter, size in view.drawn[i].sizes.items())
    numeric = came == str(view.got[i].shape) and came != "()" and sizes
    text = f"{view.name} has the shape {came}, expected {wanted}" + (f" (with {sizes})" if numeric else "")
    return said("shape", text, "Write the shape behind every line: where does it first differ from what you wanted?")
