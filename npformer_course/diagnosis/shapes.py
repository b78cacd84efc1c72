"""Results of another shape than expected: transposed, with an axis that was not summed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import numpy as np

from ..execution import as_array
from ..report import Finding
from ..tolerance import same
from .comparison import Comparison

Shape = tuple[int, ...]


def wrong_shape(comparison: Comparison) -> Finding | None:
    """Return how the shape of a result differs from the right one."""
    comparison = comparison.apart()
    if _shapes(comparison.got) == _shapes(comparison.right):
        return None
    # the most useful one first
    for check in (_transposed, _not_summed, _unchanged):
        finding = check(comparison)
        if finding:
            return finding
    return _otherwise(comparison)


def _letters(comparison: Comparison, shapes: Sequence[Shape]) -> str:
    """Return a shape in letters, each the only one that fits on every draw.

    A length that is the same on every draw may be a number. Empty where an axis has neither.
    """
    # the number of axes differs from draw to draw
    if len(set(map(len, shapes))) > 1:
        return ""
    axes = []
    for lengths in zip(*shapes, strict=True):
        letters = _letters_of_axis(comparison, lengths)
        if len(letters) == 1:
            axes.append(letters[0])
        elif len(set(lengths)) == 1:
            axes.append(str(lengths[0]))
        else:
            return ""
    if len(axes) == 1:
        return f"({axes[0]},)"
    return f"({', '.join(axes)})"


def _letters_of_axis(comparison: Comparison, lengths: Sequence[int]) -> list[str]:
    """Return the letters whose sizes are the lengths of an axis on every draw."""
    letters = []
    for letter in comparison.letters:
        sizes = [sample.sizes[letter] for sample in comparison.draws]
        if sizes == list(lengths):
            letters.append(letter)
    return letters


def _both_shapes(comparison: Comparison) -> tuple[str, str]:
    """Return the two shapes in letters, or in numbers on the first draw in which they differ."""
    # both in letters or both in numbers, so that they can be compared
    got = _letters(comparison, _shapes(comparison.got))
    right = _letters(comparison, _shapes(comparison.right))
    if got and right:
        return got, right
    first_got, first_right = comparison.pairs[_first_draw(comparison)]
    return str(first_got.shape), str(first_right.shape)


def _shapes(arrays: Sequence[np.ndarray]) -> list[Shape]:
    return [array.shape for array in arrays]


def _first_draw(comparison: Comparison) -> int:
    """Return the first draw in which the shapes differ."""
    for index, (got, right) in enumerate(comparison.pairs):
        if got.shape != right.shape:
            return index
    raise ValueError("the shapes are the same on every draw")


def _transposed(comparison: Comparison) -> Finding | None:
    """Say that the axes have another order, and whether the numbers are right otherwise."""
    n = comparison.right[0].ndim
    # with more axes there are too many orders to try
    if not 2 <= n <= 5 or set(map(np.ndim, [*comparison.got, *comparison.right])) != {n}:
        return None
    # several orders fit where two axes have the same length on every draw
    candidates = []
    for order in permutations(range(n)):
        transposed = [right.transpose(order) for right in comparison.right]
        if _shapes(transposed) == _shapes(comparison.got):
            candidates.append(transposed)
    if not candidates:
        return None

    got_shape, expected = _both_shapes(comparison)
    how = "the transpose of" if n == 2 else "in another order than"
    text = f"{comparison.name} has the shape {got_shape}, {how} {expected}"
    if any(map(comparison.fits, candidates)):
        text += "; transposed back, its numbers are right"
    return Finding("guard", "transposed", text, "What does each axis of your result stand for?")


def _not_summed(comparison: Comparison) -> Finding | None:
    """Say that the right numbers come out once the extra axes are summed or averaged."""
    pairs = comparison.pairs
    first_got, first_right = pairs[0]
    n_axes = first_got.ndim
    n_extra = n_axes - first_right.ndim
    if n_extra < 1:
        return None
    is_larger = False
    for got, right in pairs:
        if got.ndim - right.ndim != n_extra:
            return None
        if got.size > right.size:
            is_larger = True
    # axes of length 1 alone are another shape, not a missing sum
    if not is_larger:
        return None

    for axes in combinations(range(n_axes), n_extra):
        if _fits_after(np.sum, axes, pairs):
            return _missing_sum(comparison, "summed", axes)
        if _fits_after(np.mean, axes, pairs):
            return _missing_sum(comparison, "averaged", axes)
    return None


def _fits_after(
    reduction: Callable, axes: Sequence[int], pairs: Sequence[tuple[np.ndarray, np.ndarray]]
) -> bool:
    """Return whether the results are right once these axes are summed or averaged."""
    for got, right in pairs:
        if not same(reduction(got, axis=axes), right):
            return False
    return True


def _missing_sum(comparison: Comparison, how: str, axes: Sequence[int]) -> Finding:
    got_shape, expected = _both_shapes(comparison)
    names = []
    for axis in axes:
        # as the only axis of a shape, whose letters have brackets and a comma around them
        lengths = [(got.shape[axis],) for got in comparison.got]
        names.append(_letters(comparison, lengths).strip("(,)"))
    # an axis without a letter of its own makes all of them numbers
    if not all(map(str.isalpha, names)):
        names = [f"axis {axis}" for axis in axes]
    over = " and ".join(names)
    text = f"{comparison.name} has the shape {got_shape}, expected {expected}"
    text += f": it is not {how} over {over}"
    question = f"Over which axes does the text want it {how}, and which of your lines does that?"
    return Finding("guard", f"not {how}", text, question)


def _unchanged(comparison: Comparison) -> Finding | None:
    """Say that an input came back as it is."""
    names = comparison.case.exercise.argument_names(comparison.call)
    for name, own_name in names.items():
        if _is_input(comparison, name):
            text = f"{comparison.name} is {own_name}, unchanged: it {_shape_text(comparison)}"
            question = "Which of your lines should change it, and do they run?"
            return Finding("guard", "unchanged", text, question)
    return None


def _is_input(comparison: Comparison, name: str) -> bool:
    """Return whether the result is this input on every draw."""
    for draw, got in zip(comparison.draws, comparison.got, strict=True):
        value = as_array(draw.inputs[name])
        if isinstance(value, str) or not same(got, value):
            return False
    return True


def _otherwise(comparison: Comparison) -> Finding:
    """Name both shapes, and say whether it is the shape alone."""
    text = f"{comparison.name} {_shape_text(comparison)}"
    if all(_is_reshaped(got, right) for got, right in comparison.pairs):
        text += "; its numbers are right"
    question = "Write the shape behind every line: which is the first that surprises you?"
    if " entries" in text:
        question = "Take a short example: which entries of your result are too many, or missing?"
    return Finding("guard", "shape", text, question)


def _shape_text(comparison: Comparison) -> str:
    """Return both shapes in words; in numbers they come with the sizes of their draw."""
    got, expected = _both_shapes(comparison)
    index = _first_draw(comparison)
    first_got, first_right = comparison.pairs[index]
    is_in_numbers = got == str(first_got.shape) and got != "()"
    text = f"has the shape {got}, expected {expected}"
    # of a list, whose length no letter stands for
    if is_in_numbers and first_got.ndim == first_right.ndim == 1:
        text = f"has {len(first_got)} entries, expected {len(first_right)}"
    sizes = comparison.sizes_text(index)
    # letters say enough
    if is_in_numbers and sizes:
        text += f" (with {sizes})"
    return text


def _is_reshaped(got: np.ndarray, right: np.ndarray) -> bool:
    return got.size == right.size and same(got.reshape(right.shape), right)
