"""The findings of a gradient check that fails: a factor, a region, another array."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..backend import to_host
from .facts import find
from .hypotheses import WrongGradient, fitting_hypotheses
from .layer_gradients import LayerGradients
from .mismatch import Fact, Mismatch

MAX_ENTRIES = 500  # of all wrong gradients together: each is differentiated a few more times
STEP = 1e-4
NOISE = 1e-9
SEED = 1507, 6450  # unlikely to be the seed of an input
LETTERS = {1: "N", 2: "N", 3: "BT"}  # the axes of the first input that can be shortened


def explain(check: LayerGradients, names: list[str]) -> dict[str, str]:
    """Return what holds of the wrong gradients of these arrays.

    It also holds when the batch or the length is one less. There is no finding
    about a layer without inputs, or about more entries than can be differentiated soon.
    """
    n_entries = sum(check.arrays[name].size for name in names)
    if not check.inputs or n_entries > MAX_ENTRIES:
        return {}

    draws = []
    all_sizes = []
    # hypotheses divide by arrays that may have zeros, and what is then not finite fits nothing
    with np.errstate(all="ignore"):
        for one, lengths in _shortened(check):
            gradients = _gradients(one, names)
            if gradients:
                draws.append(gradients)
                all_sizes.append(lengths)
        if not draws:
            return {}

        # a length that is the same on all draws cannot be told from a constant factor
        varying = _varying_letters(all_sizes)
        sizes = []
        for lengths in all_sizes:
            sizes.append({letter: lengths[letter] for letter in varying})
        numbers = _numbers_of(check)
        findings = {}
        for name in names:
            wrong = [gradients[name] for gradients in draws]
            findings[name] = _explain_one(wrong, sizes, numbers, _lengths_of(check))
        return findings


def _explain_one(
    wrong: list[WrongGradient],
    sizes: Sequence[Mapping[str, int]],
    numbers: Mapping[str, float],
    lengths: Mapping[str, int],
) -> str:
    """Return what holds of one wrong gradient on every draw."""
    got = []
    right = []
    inputs = []
    for w in wrong:
        got.append(w.got)
        right.append(w.right)
        inputs.append({**numbers, **w.arrays})
    fact = find(Mismatch(got, right, sizes, inputs))
    if fact is None:
        return "; also ".join(fitting_hypotheses(wrong))

    texts = []
    if fact.id != "close":
        texts = fitting_hypotheses(wrong)
    # a hypothesis names the cause, of which a plain factor or a region is only the effect
    says_less = fact.id == "factor" or fact.id.startswith("only")
    if not (texts and says_less):
        texts = [fact.text + _describe_lengths(fact, sizes[0], lengths), *texts]
    return "; also ".join(texts)


def _describe_lengths(fact: Fact, varying: Mapping[str, int], lengths: Mapping[str, int]) -> str:
    """Return the values of the letters that a factor is made of, such as " (B = 3)"."""
    if "factor" not in fact.id:
        return ""
    used = re.findall(r"\b[A-Z]\b", fact.id)
    values = []
    for letter in varying:
        if letter in used:
            values.append(f"{letter} = {lengths[letter]}")
    return f" ({', '.join(values)})" if values else ""


def _varying_letters(all_lengths: Sequence[Mapping[str, int]]) -> list[str]:
    """Return the letters of the lengths that differ between draws."""
    first = all_lengths[0]
    letters = []
    for letter in first:
        if any(lengths[letter] != first[letter] for lengths in all_lengths):
            letters.append(letter)
    return letters


def _lengths_of(check: LayerGradients) -> dict[str, int]:
    """Return the lengths of the axes of the first input that can be shortened, by letter."""
    letters = LETTERS.get(np.ndim(check.inputs[0]), "")
    return dict(zip(letters, np.shape(check.inputs[0]), strict=False))


def _shortened(check: LayerGradients) -> list[tuple[LayerGradients, dict[str, int]]]:
    """Return the check, and one for each axis that can be one shorter, with their lengths."""
    lengths = _lengths_of(check)
    checks = [(check, lengths)]
    for axis, (letter, n) in enumerate(lengths.items()):
        if n > 1:
            checks.append((_cut(check, axis, n - 1), {**lengths, letter: n - 1}))
    return checks


def _numbers_of(check: LayerGradients) -> dict[str, float]:
    """Return the numbers that a wrong factor may be: sizes, and settings such as eps."""
    numbers: dict[str, float] = {}
    for array in check.arrays.values():
        for n in array.shape:
            # a factor of 2 is tried anyway
            if n > 2:
                numbers[str(n)] = n
    for name, value in vars(check.layer).items():
        if isinstance(value, float):
            numbers[name] = value
    return numbers


def _gradients(check: LayerGradients, names: list[str]) -> dict[str, WrongGradient]:
    """Return what is known of the gradients of these arrays.

    The result is empty where the layer refuses the inputs.
    """
    try:
        upstream = check.draw_upstream(np.random.default_rng(SEED))
        analytic = check.analytic(upstream)
        y = to_host(check.forward())
        dy = to_host(upstream)

        # ids and masks too, which have no gradient but occur in hypotheses
        arrays = {}
        for i, x in enumerate(check.inputs):
            if hasattr(x, "dtype"):
                arrays[f"input {i}"] = to_host(x).copy()
        for name, x in check.arrays.items():
            arrays[name] = to_host(x).copy()

        gradients = {}
        for name in names:
            jacobian = check.jacobian(name, STEP)
            # what is only rounding would make zeros look like wrong numbers
            size = np.abs(analytic[name]).max(initial=0.0)
            largest = max(np.abs(jacobian).max(initial=0.0), size)
            jacobian[np.abs(jacobian) <= NOISE * largest] = 0
            x = arrays[name]
            gradients[name] = WrongGradient(analytic[name], jacobian, x, y, dy, arrays)
        return gradients
    except Exception:  # a layer may refuse other inputs in whichever way it likes
        return {}


def _cut(check: LayerGradients, axis: int, length: int) -> LayerGradients:
    """Return the check with an axis of the first input cut, and of every input that has it."""
    n = check.inputs[0].shape[axis]
    index = (slice(None),) * axis + (slice(length),)
    inputs = []
    for x in check.inputs:
        shape = getattr(x, "shape", ())
        has_axis = len(shape) > axis and shape[axis] == n
        inputs.append(x[index].copy() if has_axis else x)
    return replace(check, inputs=inputs)
