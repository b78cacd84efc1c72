"""The facts about a wrong array, each compared with the array before it is reported, the most useful first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .mismatch import TOLERANCE, Fact, Mismatch, broadcasts, error
from .wrong_region import wrong_region

CLOSE = 1e-4  # a smaller error is rounding, or a small number added
TOKENS, POSITIONS = "the number of real tokens", "the number of positions"
OPERATIONS = {"times": np.multiply, "divided by": np.divide, "plus": np.add, "minus": np.subtract}
TIMES = {"is missing": 0, "stands twice": 2, "has the wrong sign": -1}


def find(wrong: Mismatch) -> Fact | None:
    """Return the first fact that holds of a wrong array on every draw, or None."""
    if not all(x.dtype.kind == "f" and np.isfinite(x).all() for x in [*wrong.got, *wrong.expected]):
        return None
    return next(filter(None, (fact(wrong) for fact in FACTS)), None)


def nearly_right(wrong: Mismatch) -> Fact | None:
    """Return to how many digits the array is right."""
    off = max(map(error, wrong.got, wrong.expected))
    if off > CLOSE:
        return None
    digits = math.floor(math.log10(1.001 / max(off, 1e-15)))
    return Fact(
        "close", f"is right to {digits} digits{_if_several(wrong, ' of its largest entry')}"
    )


def another_array(wrong: Mismatch) -> Fact | None:
    """Return which input was given back as it is, or that everything is zero."""
    if not any(g.any() for g in wrong.got):
        return Fact("zeros", f"is 0{_if_several(wrong, ' everywhere')}")
    for name, arrays in wrong.arrays().items():
        if wrong.fits(arrays):
            return Fact(f"is {name}", f"is {name}, unchanged")
    return None


def wrong_term(wrong: Mismatch) -> Fact | None:
    """Return which of the terms of a sum is missing, occurs twice or has a factor."""
    times = TIMES | {f"has a factor {name} too many": x for name, x in _expressions(wrong)}
    for how, x in times.items() if wrong.terms else ():
        factors = np.broadcast_to(x, len(wrong.expected))
        for name in wrong.terms[0]:
            draws = zip(wrong.expected, wrong.terms, factors, strict=True)
            if wrong.fits(e + (c - 1) * terms[name] for e, terms, c in draws):
                return Fact(f"term: {name} {how}", f'is a sum in which the term "{name}" {how}')
    return None


def _expressions(wrong: Mismatch) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what a factor may be, the simplest first: its name, and its value on each draw."""
    known = _quantities(wrong)
    yield from (("2", np.array(2.0)), ("1/2", np.array(0.5)))
    for a, x in known.items():
        yield from (
            (a, x),
            (f"1/{a}", 1 / x),
            (f"sqrt({a})", np.sqrt(x)),
            (f"1/sqrt({a})", 1 / np.sqrt(x)),
        )
    for (a, x), (b, y) in combinations(known.items(), 2):
        yield from ((f"{a} * {b}", x * y), (f"1/({a} * {b})", 1 / (x * y)))


def _quantities(wrong: Mismatch) -> dict[str, np.ndarray]:
    """Return the numbers that a factor may be made of, by name: one per draw."""
    quantities = {letter: [sizes[letter] for sizes in wrong.sizes] for letter in wrong.sizes[0]}
    if (
        {"D", "H"} <= quantities.keys()
        and "K" not in quantities
        and all(s["D"] % s["H"] == 0 for s in wrong.sizes)
    ):
        quantities["d_k"] = [s["D"] // s["H"] for s in wrong.sizes]
    for name, x in wrong.inputs[0].items():
        if isinstance(x, int | float) and not isinstance(x, bool):
            quantities[name] = [inputs[name] for inputs in wrong.inputs]
            if all(0 < value < 1 for value in quantities[name]):
                quantities[f"(1 - {name})"] = [1 - value for value in quantities[name]]
    for ids in wrong.arrays("iu").values():
        if wrong.padded:
            quantities.setdefault(
                TOKENS, [(x != pad).sum() for x, pad in zip(ids, wrong.padding, strict=True)]
            )
        quantities.setdefault(POSITIONS, [x.size for x in ids])
    for name, masks in wrong.arrays("b").items():
        quantities[f"the number of True in {name}"] = [np.count_nonzero(x) for x in masks]
    quantities |= {
        f"({letter} - 1)": [sizes[letter] - 1 for sizes in wrong.sizes] for letter in wrong.sizes[0]
    }
    names: dict[tuple, str] = {}
    for name, values in quantities.items():
        names.setdefault(tuple(map(float, values)), name)
    return {name: np.array(values) for values, name in names.items() if min(values) > 0}


def factor(wrong: Mismatch) -> Fact | None:
    """Return the number by which an array is multiplied, by name if one fits on every draw."""
    if not wrong.same_shapes or not all(e.any() for e in wrong.expected):
        return None
    factors = np.array(
        [(g * e).sum() / (e * e).sum() for g, e in zip(wrong.got, wrong.expected, strict=True)]
    )
    if not factors.all() or not wrong.fits(
        c * e for c, e in zip(factors, wrong.expected, strict=True)
    ):
        return None
    if (np.abs(factors + 1) <= TOLERANCE).all():
        return Fact("sign", "has the wrong sign, and is right otherwise")
    matching = (
        name
        for name, x in _expressions(wrong)
        if (np.abs(x - factors) <= TOLERANCE * np.abs(factors)).all()
    )
    if name := next(matching, None):
        return Fact(
            f"factor {name}", f"is right except for a factor {name}{_describe_mean(wrong, name)}"
        )
    if all(e.size == 1 for e in wrong.expected):
        return None  # a single number is some factor of any other
    if np.ptp(factors) <= TOLERANCE * np.abs(factors).max():
        return Fact("factor", f"is right except for a factor {factors[0]:.4g}")
    numbers = ", ".join(f"{c:.4g}" for c in factors[:3])
    return Fact(
        "factor", f"is right except for one factor, which differs from draw to draw ({numbers})"
    )


def _describe_mean(wrong: Mismatch, name: str) -> str:
    """Describe a factor that looks like a mean or a sum over axes that the array does not have."""
    over, own = name.startswith("1/"), [wrong.letter(axis) for axis in range(wrong.ndim)]
    letters = name.removeprefix("1/").strip("()").split(" * ")
    if not all(letter in wrong.sizes[0] and letter not in own for letter in letters):
        return ""
    return f", as if {'a mean' if over else 'no mean but a sum'} over {' and '.join(letters)} had been taken"


def with_an_input(wrong: Mismatch) -> Fact | None:
    """Return the input by which the right array is multiplied, divided or off."""
    for name, arrays in wrong.arrays().items():
        for way in broadcasts(arrays, wrong.expected):
            for word, operation in OPERATIONS.items():
                if wrong.fits(operation(e, a) for e, a in zip(wrong.expected, way, strict=True)):
                    return Fact(f"{word} {name}", f"is the right one {word} {name}")
    return None


def row_factor(wrong: Mismatch) -> Fact | None:
    """Return that each row has a factor of its own."""
    rows = (
        wrong.same_shapes
        and wrong.ndim > 1
        and any((e % 1).any() and e.shape[-1] > 2 for e in wrong.expected)
    )
    pairs = zip(wrong.got, wrong.expected, strict=True)
    if rows and wrong.fits(
        e * np.nan_to_num(np.vecdot(g, e) / np.vecdot(e, e))[..., None] for g, e in pairs
    ):
        return Fact(
            "row factor", "is right except for a factor of its own in each row, along the last axis"
        )
    return None


def _if_several(wrong: Mismatch, words: str) -> str:
    """Return the words where an expected array has several entries."""
    return words if any(e.size > 1 for e in wrong.expected) else ""


FACTS = (nearly_right, another_array, wrong_term, factor, with_an_input, wrong_region, row_factor)
