"""Numbers and arrays by which the right array was multiplied."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from .mismatch import TOLERANCE, Fact, Wrong, axis_letter, placed

TOKENS, POSITIONS = "the number of real tokens", "the number of positions"


def _constant(wrong: Wrong) -> np.ndarray | None:
    """Return the number per draw by which the right array was multiplied, or None."""
    if not all(e.any() for e in wrong.expected) or any(
        g.shape != e.shape for g, e in zip(wrong.got, wrong.expected, strict=True)
    ):
        return None
    factors = [float((g * e).sum() / (e * e).sum()) for g, e in zip(wrong.got, wrong.expected, strict=True)]
    fits = wrong.fits(c * e for c, e in zip(factors, wrong.expected, strict=True))
    return np.array(factors) if fits and all(factors) else None


def _quantities(wrong: Wrong) -> dict[str, np.ndarray]:
    """Return the numbers that a factor may be made of, by name: one per draw."""
    found = {letter: [sizes[letter] for sizes in wrong.sizes] for letter in wrong.sizes[0]}
    if {"D", "H"} <= found.keys() and "K" not in found and all(s["D"] % s["H"] == 0 for s in wrong.sizes):
        found["d_k"] = [s["D"] // s["H"] for s in wrong.sizes]
    for name, x in wrong.inputs[0].items():
        if isinstance(x, int | float) and not isinstance(x, bool):
            found[name] = [inputs[name] for inputs in wrong.inputs]
            if all(0 < value < 1 for value in found[name]):
                found[f"(1 - {name})"] = [1 - value for value in found[name]]
    for arrays in wrong.arrays("iu").values():
        if wrong.padded:
            found.setdefault(TOKENS, [(x != pad).sum() for x, pad in zip(arrays, wrong.padding, strict=True)])
        found.setdefault(POSITIONS, [x.size for x in arrays])
    for name, masks in wrong.arrays("b").items():
        found[f"the number of True in {name}"] = [np.count_nonzero(x) for x in masks]
    for letter in wrong.sizes[0]:
        found[f"({letter} - 1)"] = [sizes[letter] - 1 for sizes in wrong.sizes]
    numbers: dict[str, np.ndarray] = {}
    for name, values in found.items():
        if min(values) > 0 and not any(np.array_equal(values, other) for other in numbers.values()):
            numbers[name] = np.array(values, float)
    return numbers


class Expression(NamedTuple):
    """What a factor may be: its name, its value on each draw, and the letters whose product it is (or one over it)."""

    name: str
    values: np.ndarray
    product: tuple[str, ...] = ()
    over: tuple[str, ...] = ()


def _expressions(wrong: Wrong) -> Iterator[Expression]:
    """Yield what a factor may be, the simplest first."""
    known = _quantities(wrong)
    yield from (Expression(name, np.full(len(wrong.got), value)) for name, value in (("2", 2.0), ("1/2", 0.5)))
    for a, x in known.items():
        yield from (Expression(a, x, product=(a,)), Expression(f"1/{a}", 1 / x, over=(a,)))
        yield from (Expression(f"sqrt({a})", np.sqrt(x)), Expression(f"1/sqrt({a})", 1 / np.sqrt(x)))
    for (a, x), (b, y) in combinations(known.items(), 2):
        yield Expression(f"{a} * {b}", x * y, product=(a, b))
        yield Expression(f"1/({a} * {b})", 1 / (x * y), over=(a, b))
        yield from (Expression(f"{a}/{b}", x / y), Expression(f"{b}/{a}", y / x))


def names(wrong: Wrong, factors: np.ndarray) -> dict[str, Expression]:
    """Return what has the size of the factors on every draw, by name, the simplest first."""
    wanted = np.abs(factors)
    fitting = (one for one in _expressions(wrong) if (np.abs(one.values - wanted) <= TOLERANCE * wanted).all())
    return {one.name: one for one in fitting}


def factor(wrong: Wrong) -> Fact | None:
    """Return the factor by which an array is off, by name if one fits on every draw."""
    factors = _constant(wrong)
    if factors is None:
        return None
    if (np.abs(factors + 1) <= TOLERANCE).all():
        return Fact("sign", "has the wrong sign, and is right otherwise")
    minus, sign = ("minus ", "the sign and ") if (factors < 0).all() else ("", "")
    found = names(wrong, factors) if minus or (factors > 0).all() else {}
    if found:
        name, one = next(iter(found.items()))
        text = f"is right except for {sign}a factor {name}{'' if minus else _averaged(wrong, one)}"
        return Fact(f"{minus}factor {name}", text)
    if all(e.size == 1 for e in wrong.expected):
        return None  # a single number is some factor of any other
    if np.ptp(factors) <= TOLERANCE * np.abs(factors).max():
        return Fact(f"{minus}factor", f"is right except for {sign}a factor {abs(factors[0]):.4g}")
    shown = ", ".join(f"{c:.4g}" for c in factors[:3])
    return Fact("factor", f"is right except for one factor, which differs from draw to draw ({shown})")


def _averaged(wrong: Wrong, one: Expression) -> str:
    """Return the words for a factor that looks like a mean or a sum over axes that the array does not have."""
    own = [axis_letter(wrong, axis) for axis in range(wrong.ndim)]
    for letters, how in ((one.over, "a mean"), (one.product, "no mean but a sum")):
        if letters and all(a in wrong.sizes[0] and a not in own for a in letters):
            over = " and ".join(filter(None, [", ".join(letters[:-1]), letters[-1]]))
            return f", as if {how} over {over} had been taken"
    return ""


def array_factor(wrong: Wrong) -> Fact | None:
    """Return the input by which the right array was multiplied or divided."""
    for name, arrays in wrong.arrays().items():
        for way in placed(arrays, wrong.expected):
            for power, often in ((1, ""), (2, " twice")):
                pairs = [(e, a**power) for e, a in zip(wrong.expected, way, strict=True)]
                if wrong.fits(e * a for e, a in pairs):
                    return Fact(f"times {name}{often}", f"is the right one times {name}{often}")
                if all(a.all() for a in way) and wrong.fits(e / a for e, a in pairs):
                    return Fact(f"divided by {name}{often}", f"is the right one divided by {name}{often}")
    return None
