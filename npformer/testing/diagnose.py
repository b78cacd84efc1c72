"""The facts about a wrong array, each compared with the array before it is reported, the most useful first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .mismatch import TOLERANCE, Fact, Mismatch, agree, broadcasts
from .wrong_region import wrong_region

CLOSE = 1e-4  # a smaller error is rounding, or a small number added
MAX_WRONG_TERMS = 2
TOKENS, POSITIONS = "the number of real tokens", "the number of positions"
TIMES = {0: "is missing", 2: "stands twice", -1: "has the wrong sign"}


def find(wrong: Mismatch) -> Fact | None:
    """Return the first fact that holds of a wrong array on every draw, or None.

    >>> e = np.arange(1.0, 7.0).reshape(2, 3)
    >>> find(Mismatch([-e], [e], [{}], [{}])).text
    'has the wrong sign, and is right otherwise'
    """
    if not all(x.dtype.kind == "f" and np.isfinite(x).all() for x in [*wrong.got, *wrong.expected]):
        return None
    return next(filter(None, (fact(wrong) for fact in FACTS)), None)


def nearly_right(wrong: Mismatch) -> Fact | None:
    """Return to how many digits the array is right."""
    if not wrong.same_shapes or wrong.error > CLOSE:
        return None
    digits = math.floor(math.log10(1.001 / max(wrong.error, 1e-15)))
    return Fact("close", f"is right to {digits} digits{_if_several(wrong, ' of its largest entry')}")


def another_array(wrong: Mismatch) -> Fact | None:
    """Return which input was given back as it is, or that everything is zero."""
    if not any(g.any() for g in wrong.got):
        return Fact("zeros", f"is 0{_if_several(wrong, ' everywhere')}")
    for name, arrays in wrong.arrays().items():
        if wrong.fits(arrays):
            return Fact(f"is {name}", f"is {name}, unchanged")
    return None


def wrong_terms(wrong: Mismatch) -> Fact | None:
    """Return which of the terms of a sum are missing, occur twice or have a factor."""
    times = _coefficients(wrong)
    if times is None:
        return None
    terms = list(wrong.terms[0])
    off = [i for i in range(len(terms)) if (np.abs(times[:, i] - 1) > TOLERANCE).any()]
    if not 0 < len(off) <= min(MAX_WRONG_TERMS, len(terms) - 1):
        return None
    found = [(terms[i], _describe_times(wrong, times[:, i])) for i in off]
    if not all(how for _, how in found):
        return None
    id = ", ".join(f"{name} {how}" for name, how in found)
    return Fact(f"term: {id}", "is a sum in which " + ", and ".join(f'the term "{name}" {how}' for name, how in found))


def _coefficients(wrong: Mismatch) -> np.ndarray | None:
    """Return how often each term is in the array, one row per draw, or None where it is no sum of them."""
    if not wrong.terms or len(wrong.terms[0]) < 2:
        return None
    rows = []
    for got, expected, terms in zip(wrong.got, wrong.expected, wrong.terms, strict=True):
        parts = [np.broadcast_to(term, expected.shape) for term in terms.values()]
        if got.shape != expected.shape or not agree(sum(parts), expected):
            return None
        scale = np.abs(expected).max(initial=0.0) or 1.0
        columns = np.stack([part.ravel() for part in parts], -1) / scale
        found, _, rank, _ = np.linalg.lstsq(columns, got.ravel() / scale, rcond=1e-9)
        if rank < len(parts) or not agree(got, sum(c * part for c, part in zip(found, parts, strict=True))):
            return None
        rows.append(found)
    return np.array(rows)


def _describe_times(wrong: Mismatch, times: np.ndarray) -> str:
    """Describe how often a term is in the array: a whole number, or one that has a name on every draw, else ""."""
    whole = int(np.round(times[0]))
    if (np.abs(times - whole) <= TOLERANCE).all():
        sign = ", with the wrong sign" if whole < 0 else ""
        return TIMES.get(whole, f"stands {abs(whole)} times{sign}")
    sign = "the wrong sign and " if (times < 0).all() else ""
    name = _name_factor(wrong, times)
    return f"has {sign}a factor {name} too many" if name else ""


def _name_factor(wrong: Mismatch, factors: np.ndarray) -> str:
    """Return the simplest expression with the size of the factors on every draw, if all have one sign, else ""."""
    size = np.abs(factors)
    if np.ptp(np.sign(factors)) or not size.all():
        return ""
    fitting = (name for name, x in _expressions(wrong) if (np.abs(x - size) <= TOLERANCE * size).all())
    return next(fitting, "")


def _expressions(wrong: Mismatch) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what a factor may be, the simplest first: its name, and its value on each draw."""
    known = _quantities(wrong)
    yield from (("2", np.array(2.0)), ("1/2", np.array(0.5)))
    for a, x in known.items():
        yield from ((a, x), (f"1/{a}", 1 / x), (f"sqrt({a})", np.sqrt(x)), (f"1/sqrt({a})", 1 / np.sqrt(x)))
    for (a, x), (b, y) in combinations(known.items(), 2):
        yield from ((f"{a} * {b}", x * y), (f"1/({a} * {b})", 1 / (x * y)))


def _quantities(wrong: Mismatch) -> dict[str, np.ndarray]:
    """Return the numbers that a factor may be made of, by name: one per draw."""
    found = {letter: [sizes[letter] for sizes in wrong.sizes] for letter in wrong.sizes[0]}
    if {"D", "H"} <= found.keys() and "K" not in found and all(s["D"] % s["H"] == 0 for s in wrong.sizes):
        found["d_k"] = [s["D"] // s["H"] for s in wrong.sizes]
    for name, x in wrong.inputs[0].items():
        if isinstance(x, int | float) and not isinstance(x, bool):
            found[name] = [inputs[name] for inputs in wrong.inputs]
            if all(0 < value < 1 for value in found[name]):
                found[f"(1 - {name})"] = [1 - value for value in found[name]]
    for ids in wrong.arrays("iu").values():
        if wrong.padded:
            found.setdefault(TOKENS, [(x != pad).sum() for x, pad in zip(ids, wrong.padding, strict=True)])
        found.setdefault(POSITIONS, [x.size for x in ids])
    for name, masks in wrong.arrays("b").items():
        found[f"the number of True in {name}"] = [np.count_nonzero(x) for x in masks]
    found |= {f"({letter} - 1)": [sizes[letter] - 1 for sizes in wrong.sizes] for letter in wrong.sizes[0]}
    different: dict[str, np.ndarray] = {}
    for name, values in found.items():
        if min(values) > 0 and not any(np.array_equal(values, other) for other in different.values()):
            different[name] = np.array(values, float)
    return different


def factor(wrong: Mismatch) -> Fact | None:
    """Return the number by which an array is multiplied, by name if one fits on every draw."""
    if not wrong.same_shapes or not all(e.any() for e in wrong.expected):
        return None
    factors = np.array([(g * e).sum() / (e * e).sum() for g, e in zip(wrong.got, wrong.expected, strict=True)])
    if not factors.all() or not wrong.fits(c * e for c, e in zip(factors, wrong.expected, strict=True)):
        return None
    if (np.abs(factors + 1) <= TOLERANCE).all():
        return Fact("sign", "has the wrong sign, and is right otherwise")
    minus, sign = ("minus ", "the sign and ") if (factors < 0).all() else ("", "")
    if name := _name_factor(wrong, factors):
        mean = "" if minus else _describe_mean(wrong, name)
        return Fact(f"{minus}factor {name}", f"is right except for {sign}a factor {name}{mean}")
    if all(e.size == 1 for e in wrong.expected):
        return None  # a single number is some factor of any other
    if np.ptp(factors) <= TOLERANCE * np.abs(factors).max():
        return Fact(f"{minus}factor", f"is right except for {sign}a factor {abs(factors[0]):.4g}")
    shown = ", ".join(f"{c:.4g}" for c in factors[:3])
    return Fact("factor", f"is right except for one factor, which differs from draw to draw ({shown})")


def _describe_mean(wrong: Mismatch, name: str) -> str:
    """Describe a factor that looks like a mean or a sum over axes that the array does not have."""
    over, own = name.startswith("1/"), [wrong.letter(axis) for axis in range(wrong.ndim)]
    letters = name.removeprefix("1/").strip("()").split(" * ")
    if not all(letter in wrong.sizes[0] and letter not in own for letter in letters):
        return ""
    return f", as if {'a mean' if over else 'no mean but a sum'} over {' and '.join(letters)} had been taken"


def array_factor(wrong: Mismatch) -> Fact | None:
    """Return the input by which the right array is multiplied or divided."""
    for name, arrays in wrong.arrays().items():
        for way in broadcasts(arrays, wrong.expected):
            pairs = list(zip(wrong.expected, way, strict=True))
            if wrong.fits(e * a for e, a in pairs):
                return Fact(f"times {name}", f"is the right one times {name}")
            if all(a.all() for a in way) and wrong.fits(e / a for e, a in pairs):
                return Fact(f"divided by {name}", f"is the right one divided by {name}")
    return None


def offset(wrong: Mismatch) -> Fact | None:
    """Return the input by which the right array is off."""
    for name, arrays in wrong.arrays().items():
        for way in broadcasts(arrays, wrong.expected):
            for sign, word in ((1, "plus"), (-1, "minus")):
                pairs = zip(wrong.expected, way, strict=True)
                if all(a.any() for a in way) and wrong.fits(e + sign * a for e, a in pairs):
                    return Fact(f"{word} {name}", f"is the right one {word} {name}")
    return None


def _if_several(wrong: Mismatch, words: str) -> str:
    """Return the words where an expected array has several entries."""
    return words if any(e.size > 1 for e in wrong.expected) else ""


FACTS = (nearly_right, another_array, wrong_terms, factor, array_factor, wrong_region, offset)
