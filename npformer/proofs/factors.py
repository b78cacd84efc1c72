"""When a wrong array is the right one times a number or an array: which number, which array."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .comparisons import TOLERANCE, Fact, Wrong, axis_letter, placed

TOKENS = "the number of real tokens"


def constant(wrong: Wrong) -> np.ndarray | None:
    """Return the number a draw by which the right array was multiplied, or None."""
    if not all(e.any() for e in wrong.expected):
        return None
    factors = [float((g * e).sum() / (e * e).sum()) for g, e in zip(wrong.got, wrong.expected, strict=True)]
    fits = wrong.fits(c * e for c, e in zip(factors, wrong.expected, strict=True))
    return np.array(factors) if fits and all(factors) else None


def quantities(wrong: Wrong) -> dict[str, np.ndarray]:
    """Return the numbers that a factor may be made of, by name: one a draw."""
    found = {letter: [sizes[letter] for sizes in wrong.sizes] for letter in wrong.sizes[0]}
    if {"D", "H"} <= found.keys() and "K" not in found and all(s["D"] % s["H"] == 0 for s in wrong.sizes):
        found["d_k"] = [s["D"] // s["H"] for s in wrong.sizes]
    for name, x in wrong.inputs[0].items():
        if isinstance(x, int | float) and not isinstance(x, bool):
            found[name] = [inputs[name] for inputs in wrong.inputs]
            if all(0 < value < 1 for value in found[name]):
                found[f"(1 - {name})"] = [1 - value for value in found[name]]
    for arrays in wrong.arrays("iu").values():
        found.setdefault(TOKENS, [np.count_nonzero(x) for x in arrays])
    for name, masks in wrong.arrays("b").items():
        found[f"the number of True in {name}"] = [np.count_nonzero(x) for x in masks]
    for letter in wrong.sizes[0]:
        found[f"({letter} - 1)"] = [sizes[letter] - 1 for sizes in wrong.sizes]
    numbers = {name: np.array(values, float) for name, values in found.items()}
    return {name: values for name, values in numbers.items() if (values > 0).all()}


def expressions(wrong: Wrong) -> Iterator[tuple[str, np.ndarray, tuple[str, ...]]]:
    """Yield what a factor may be, the simplest first: its name, its value on each draw, and what is divided by."""
    known = quantities(wrong)
    yield "2", np.full(len(wrong.got), 2.0), ()
    yield "1/2", np.full(len(wrong.got), 0.5), ()
    for a, x in known.items():
        yield from ((a, x, ()), (f"1/{a}", 1 / x, (a,)))
        yield from ((f"sqrt({a})", np.sqrt(x), ()), (f"1/sqrt({a})", 1 / np.sqrt(x), ()))
    for (a, x), (b, y) in combinations(known.items(), 2):
        yield from ((f"{a} * {b}", x * y, ()), (f"1/({a} * {b})", 1 / (x * y), (a, b)))
        yield from ((f"{a}/{b}", x / y, ()), (f"{b}/{a}", y / x, ()))
        yield from ((f"sqrt({a}/{b})", np.sqrt(x / y), ()), (f"sqrt({b}/{a})", np.sqrt(y / x), ()))
    for a, x in known.items():
        yield from ((f"{a}^2", x * x, ()), (f"1/{a}^2", 1 / (x * x), ()))
        yield from ((f"2 * {a}", 2 * x, ()), (f"2/{a}", 2 / x, ()), (f"{a}/2", x / 2, ()))
    for trio in combinations(wrong.sizes[0], 3):
        product = np.prod([known[a] for a in trio], axis=0)
        yield from ((" * ".join(trio), product, ()), (f"1/({' * '.join(trio)})", 1 / product, trio))


def names(wrong: Wrong, factors: np.ndarray) -> list[tuple[str, tuple[str, ...]]]:
    """Return what has the size of the factors on every draw: names, the simplest first, with what is divided by."""
    wanted = np.abs(factors)
    return [
        (name, divisors)
        for name, values, divisors in expressions(wrong)
        if (np.abs(values - wanted) <= TOLERANCE * wanted).all()
    ]


def factor(wrong: Wrong) -> Fact | None:
    """Tell by which factor an array is off, by name where further draws leave one name that fits."""
    factors = constant(wrong)
    if factors is None or np.ptp(np.sign(factors)):
        return None
    scalar = all(e.size == 1 for e in wrong.expected)
    turned = bool(factors[0] < 0)
    if (np.abs(factors + 1) <= TOLERANCE).all():
        return Fact("sign", "has the wrong sign, and is right otherwise")
    found = names(wrong, factors)
    if len(found) > 1 and (more := wrong.more()):
        others = constant(more)
        if others is None or not (np.sign(others) == np.sign(factors[0])).all():
            return None
        still = names(more, others)
        found = [entry for entry in found if entry in still]
        if np.ptp(factors) <= TOLERANCE * np.abs(factors).max() and np.ptp(others) > TOLERANCE * np.abs(others).max():
            factors = np.concatenate([factors, others])
    sign = "the sign and " if turned else ""
    if found:
        name, divisors = found[0]
        own = [axis_letter(wrong, axis) for axis in range(wrong.ndim)]
        if divisors and not turned and all(a in wrong.sizes[0] and a not in own for a in divisors):
            over = " and ".join([", ".join(divisors[:-1]), divisors[-1]] if divisors[1:] else divisors)
            text = f"is right but for a factor {name}, as if a mean over {over} had been taken"
            return Fact(f"factor {name}", text)
        return Fact(f"{'minus ' * turned}factor {name}", f"is right but for {sign}a factor {name}")
    if np.ptp(factors) <= TOLERANCE * np.abs(factors).max():
        if scalar and len(factors) < 3:
            return None
        return Fact("factor", f"is right but for {sign}a factor {abs(factors[0]):.4g}")
    if scalar:
        return None
    shown = ", ".join(f"{abs(c):.4g}" for c in factors[:3])
    return Fact("factor", f"is right but for {sign}one factor, which differs from draw to draw ({shown})")


def array_factor(wrong: Wrong) -> Fact | None:
    """Tell which input the right array was multiplied or divided by."""
    for name, arrays in wrong.arrays().items():
        for way in placed(arrays, wrong.expected):
            for power, often in ((1, ""), (2, " twice")):
                pairs = [(e, a**power) for e, a in zip(wrong.expected, way, strict=True)]
                if wrong.fits(e * a for e, a in pairs):
                    return Fact(f"times {name}{often}", f"is the right one times {name}{often}")
                if all(a.all() for a in way) and wrong.fits(e / a for e, a in pairs):
                    return Fact(f"divided by {name}{often}", f"is the right one divided by {name}{often}")
    return None
