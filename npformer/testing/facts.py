"""Facts about a wrong array: what it is instead of the expected one, the most useful fact first.

Each function returns its fact if it holds on every draw, else None. So none is a guess: what a
fact says has been computed and compared with the wrong array.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .mismatch import TOLERANCE, Fact, Mismatch, broadcasts, error
from .wrong_region import wrong_region

CLOSE = 1e-4  # a smaller error is rounding, or a small number added
TOKENS = "the number of real tokens"
POSITIONS = "the number of positions"
OPERATIONS = {
    "times": np.multiply,
    "divided by": np.divide,
    "plus": np.add,
    "minus": np.subtract,
}
TERM_FACTORS = {"is missing": 0, "stands twice": 2, "has the wrong sign": -1}


def find(wrong: Mismatch) -> Fact | None:
    """Return the first fact that holds of a wrong array on every draw, or None."""
    # facts are about real numbers; of NaN and infinity nothing can be compared
    for array in [*wrong.got, *wrong.expected]:
        if array.dtype.kind != "f" or not np.isfinite(array).all():
            return None

    for find_fact in FACTS:
        fact = find_fact(wrong)
        if fact is not None:
            return fact
    return None


def nearly_right(wrong: Mismatch) -> Fact | None:
    """Return to how many digits the array is right."""
    largest_error = max(map(error, wrong.got, wrong.expected))
    if largest_error > CLOSE:
        return None

    # a little more than 1, so that an error of 1e-6, itself rounded, counts as 6 digits;
    # an error of 0 has no logarithm
    digits = math.floor(math.log10(1.001 / max(largest_error, 1e-15)))
    of_entry = " of its largest entry" if _has_several_entries(wrong) else ""
    return Fact("close", f"is right to {digits} digits{of_entry}")


def another_array(wrong: Mismatch) -> Fact | None:
    """Return which input was given back as it is, or that everything is zero."""
    if not any(got.any() for got in wrong.got):
        everywhere = " everywhere" if _has_several_entries(wrong) else ""
        return Fact("zeros", f"is 0{everywhere}")

    for name, arrays in wrong.arrays().items():
        if wrong.fits(arrays):
            return Fact(f"is {name}", f"is {name}, unchanged")
    return None


def wrong_term(wrong: Mismatch) -> Fact | None:
    """Return which of the terms of a sum is missing, occurs twice or has a factor."""
    if not wrong.terms:
        return None

    for problem, factor_or_factors in _term_problems(wrong):
        factors = np.broadcast_to(factor_or_factors, len(wrong.expected))
        for name in wrong.terms[0]:
            terms = [terms_of_draw[name] for terms_of_draw in wrong.terms]
            if wrong.fits(map(_multiply_term, wrong.expected, terms, factors)):
                text = f'is a sum in which the term "{name}" {problem}'
                return Fact(f"term: {name} {problem}", text)
    return None


def _multiply_term(expected: np.ndarray, term: np.ndarray, factor: float) -> np.ndarray:
    """Return a sum in which one of the terms has a factor."""
    # the expected sum has the term once already
    return expected + (factor - 1) * term


def factor(wrong: Mismatch) -> Fact | None:
    """Return the number by which an array is multiplied, by name if one fits on every draw."""
    if not wrong.same_shapes or not all(expected.any() for expected in wrong.expected):
        return None

    # the factor of each draw by least squares: if there is one at all, it is this one
    ratios = []
    for got, expected in _draws(wrong):
        ratios.append((got * expected).sum() / (expected * expected).sum())
    factors = np.array(ratios)
    if not factors.all() or not wrong.fits(map(np.multiply, factors, wrong.expected)):
        return None

    if (np.abs(factors + 1) <= TOLERANCE).all():
        return Fact("sign", "has the wrong sign, and is right otherwise")

    for name, values in _possible_factors(wrong):
        if (np.abs(values - factors) <= TOLERANCE * np.abs(factors)).all():
            reason = _describe_mean(wrong, name)
            return Fact(f"factor {name}", f"is right except for a factor {name}{reason}")

    if all(expected.size == 1 for expected in wrong.expected):
        return None  # a single number is some factor of any other

    if np.ptp(factors) <= TOLERANCE * np.abs(factors).max():
        return Fact("factor", f"is right except for a factor {factors[0]:.4g}")
    numbers = ", ".join(f"{c:.4g}" for c in factors[:3])
    differs = f"is right except for one factor, which differs from draw to draw ({numbers})"
    return Fact("factor", differs)


def with_an_input(wrong: Mismatch) -> Fact | None:
    """Return the input by which the right array is multiplied, divided or off."""
    for name, arrays in wrong.arrays().items():
        for aligned in broadcasts(arrays, wrong.expected):
            for words, operation in OPERATIONS.items():
                if wrong.fits(map(operation, wrong.expected, aligned)):
                    return Fact(f"{words} {name}", f"is the right one {words} {name}")
    return None


def row_factor(wrong: Mismatch) -> Fact | None:
    """Return that each row has a factor of its own."""
    if not wrong.same_shapes or wrong.ndim < 2:
        return None

    # rows of one or two entries, and whole numbers, are easily multiples of others by chance
    if not any(map(_has_distinctive_rows, wrong.expected)):
        return None

    if not wrong.fits(map(_scale_rows, wrong.expected, wrong.got)):
        return None
    words = "is right except for a factor of its own in each row, along the last axis"
    return Fact("row factor", words)


# the most useful one first: only the first that holds is reported
FACTS = (
    nearly_right,
    another_array,
    wrong_term,
    factor,
    with_an_input,
    wrong_region,
    row_factor,
)


def _term_problems(wrong: Mismatch) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what may be wrong with a term of a sum, and by which factor it is then multiplied."""
    for problem, number in TERM_FACTORS.items():
        yield problem, np.array(number)
    for name, values in _possible_factors(wrong):
        yield f"has a factor {name} too many", values


def _possible_factors(wrong: Mismatch) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what a factor may be, the simplest first: its name, and its value on each draw."""
    quantities = _distinct_quantities(wrong)
    yield "2", np.array(2.0)
    yield "1/2", np.array(0.5)

    for name, values in quantities.items():
        yield name, values
        yield f"1/{name}", 1 / values
        yield f"sqrt({name})", np.sqrt(values)
        yield f"1/sqrt({name})", 1 / np.sqrt(values)

    for (name_a, a), (name_b, b) in combinations(quantities.items(), 2):
        yield f"{name_a} * {name_b}", a * b
        yield f"1/({name_a} * {name_b})", 1 / (a * b)


def _distinct_quantities(wrong: Mismatch) -> dict[str, np.ndarray]:
    """Return the positive numbers that a factor may be made of, by name: one per draw.

    Of those that are equal on every draw the first has the name, so the order is that in which a
    reader would think of them.
    """
    quantities = _sizes(wrong)
    quantities.update(_scalar_inputs(wrong))
    quantities.update(_counts(wrong))
    for letter in wrong.sizes[0]:
        quantities[f"({letter} - 1)"] = quantities[letter] - 1

    distinct = {}
    seen = set()
    for name, values in quantities.items():
        values = values.astype("float64")
        key = tuple(values.tolist())
        if key in seen:
            continue
        seen.add(key)
        # roots and reciprocals of these numbers are tried too
        if values.min() > 0:
            distinct[name] = values
    return distinct


def _sizes(wrong: Mismatch) -> dict[str, np.ndarray]:
    """Return the sizes by their letters, and the width of a head where it has no letter."""
    quantities = {}
    for letter in wrong.sizes[0]:
        quantities[letter] = np.array([sizes[letter] for sizes in wrong.sizes])

    has_heads = "D" in quantities and "H" in quantities
    if not has_heads or "K" in quantities:
        return quantities
    if (quantities["D"] % quantities["H"] == 0).all():
        quantities["d_k"] = quantities["D"] // quantities["H"]
    return quantities


def _scalar_inputs(wrong: Mismatch) -> dict[str, np.ndarray]:
    """Return the inputs that are numbers, and of a probability such as dropout's also 1 - p."""
    quantities = {}
    for name, x in wrong.inputs[0].items():
        if not isinstance(x, int | float):
            continue
        values = np.array([inputs[name] for inputs in wrong.inputs])
        quantities[name] = values
        if values.min() > 0 and values.max() < 1:
            quantities[f"(1 - {name})"] = 1 - values
    return quantities


def _counts(wrong: Mismatch) -> dict[str, np.ndarray]:
    """Return what a mean may divide by: the positions of ids, real tokens, True in a mask."""
    quantities = {}
    for ids in wrong.arrays("iu").values():
        if wrong.padded and TOKENS not in quantities:
            n_tokens = []
            for x, pad_id in zip(ids, wrong.padding, strict=True):
                n_tokens.append((x != pad_id).sum())
            quantities[TOKENS] = np.array(n_tokens)
        if POSITIONS not in quantities:
            quantities[POSITIONS] = np.array(list(map(np.size, ids)))

    for name, masks in wrong.arrays("b").items():
        quantities[f"the number of True in {name}"] = np.array(list(map(np.sum, masks)))
    return quantities


def _describe_mean(wrong: Mismatch, name: str) -> str:
    """Describe a factor that looks like a mean or a sum over axes that the array does not have.

    name: of the factor, such as "1/B" or "1/(B * T)".
    """
    letters = name.removeprefix("1/").strip("()").split(" * ")
    own_letters = [wrong.letter(axis) for axis in range(wrong.ndim)]
    # a mean over an axis would have removed it, so an axis of the array was not averaged
    for letter in letters:
        if letter not in wrong.sizes[0] or letter in own_letters:
            return ""

    axes = " and ".join(letters)
    if name.startswith("1/"):
        return f", as if a mean over {axes} had been taken"
    return f", as if no mean but a sum over {axes} had been taken"


def _has_distinctive_rows(expected: np.ndarray) -> bool:
    has_fractions = (expected % 1).any()
    return bool(has_fractions and expected.shape[-1] > 2)


def _scale_rows(expected: np.ndarray, got: np.ndarray) -> np.ndarray:
    """Multiply each row of the expected array by the factor that brings it closest to the other."""
    factors = np.vecdot(got, expected) / np.vecdot(expected, expected)
    factors = np.nan_to_num(factors)  # a row of zeros has no factor
    return expected * factors[..., None]


def _draws(wrong: Mismatch) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the computed array and the expected one of each draw."""
    return zip(wrong.got, wrong.expected, strict=True)


def _has_several_entries(wrong: Mismatch) -> bool:
    """Tell whether an expected array has more than one entry."""
    return any(expected.size > 1 for expected in wrong.expected)
