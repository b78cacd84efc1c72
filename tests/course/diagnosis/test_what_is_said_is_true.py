"""Right answers spoilt at random: what is said of them holds on draws that were not seen."""

import re
import zlib
from itertools import combinations

import numpy as np
import pytest

from npformer_course.case import Case
from npformer_course.definition import module_of
from npformer_course.diagnosis.mistake_pairs import with_both
from npformer_course.diagnosis.worst_entry import UNSAID
from npformer_course.execution import make_call
from npformer_course.inputs import make_draw
from tests.course.diagnosis.small_exercises import (
    attention,
    dropout,
    embedding,
    heads,
    layer_norm,
    linear,
    loss,
    report,
    softmax,
    squares,
)

EXERCISES = [layer_norm, linear, softmax, attention, embedding, heads, loss, dropout, squares]
SPOILERS = [
    "y * 2",
    "y * -1",
    "y / 3.7",
    "y * y.shape[0]",
    "y / (y.shape[0] or 1)",
    "y * y.size ** 0.5",
    "y / x.shape[0]",
    "y * x.shape[-1]",
    "y + 1",
    "y + 1e-5",
    "y * (1 + 1e-5)",
    "y * (1 + 1e-3)",
    "y ** 2",
    "np.abs(y)",
    "np.sin(y)",
    "0 * y",
    "y[::-1]",
    "np.swapaxes(y, 0, -1)",
    "y.reshape(y.shape[::-1])",
    "np.roll(y, 1, 0)",
    "np.roll(y, 1, -1)",
    "y.mean(-1, keepdims=True) + 0 * y",
    "y.sum(0) + 0 * y",
    "y.sum(0)",
    "y[..., :1]",
    "y.ravel()",
    "y[None]",
    "np.where(np.arange(y.shape[-1]) == 0, 0, y)",
    "np.where(np.arange(y.shape[-1]) > 0, 2 * y, y)",
    "np.where(np.arange(y.shape[0]).reshape(-1, *[1] * (y.ndim - 1)) == len(y) - 1, y + 1, y)",
    "y.astype('f4')",
    "y.astype('f2')",
    "y.round(1)",
    "y.astype(int)",
    "np.sort(y, -1)",
    "np.where(y > 0, y, 0)",
    "y * x.ravel()[0]",
    "y + x.ravel()[0]",
    "y - x if x.shape == y.shape else y + 2",
    "x if x.shape == y.shape else -y",
    "y * x if x.shape == y.shape else y / 2",
    "np.where(y == 0, 0.1, y)",
    "np.log(y)",
    "y / 0",
    "y * 1j",
]
NUMBER = {"the number of real tokens": "tokens", "the number of positions": "positions"}


def spoilt(exercise, rng):
    """Return code in which each function's results pass through spoilers; x is its first input."""
    chosen = [SPOILERS[i] for i in rng.integers(len(SPOILERS), size=rng.integers(1, 3))]
    names = re.findall(r"^def (\w+)\(", exercise.key, re.MULTILINE)
    code = (
        exercise.key
        + "\n\ndef spoil(y, x):\n    y = np.asarray(y)\n    x = np.atleast_1d(x).astype(float)\n"
    )
    code += "".join(f"    y = {one}\n" for one in chosen) + "    return y\n\n"
    code += "def spoiling(function, which):\n    def run(*a):\n        y = function(*a)\n"
    code += "        if not isinstance(y, tuple): return spoil(y, a[0])\n"
    code += "        return tuple(spoil(v, a[0]) if i == which else v for i, v in enumerate(y))\n"
    code += "    return run\n"
    which = rng.integers(3)
    return code + "".join(
        f"{name} = spoiling({name}, {which})\n" for name in names if "slowly" not in name
    ), chosen


def fresh(exercise, code, part):
    """Yield what comes, what is right, and the draw, on draws that no check has used."""
    student, right = module_of(code), module_of(exercise.key)
    [(call, index)] = [
        (c, list(c.parts).index(part.name)) for c in exercise.calls if part.name in c.parts
    ]
    for i in range(100, 106):
        drawn = make_draw(exercise, 7, i)
        answers = [make_call(module, call, drawn.inputs) for module in (student, right)]
        if all(a.state == "done" for a in answers):
            yield *(a.values[index] for a in answers), answers[1].values, drawn


def is_pair(exercise, code, part):
    """Tell whether the two mistakes that are named give the answer's numbers on other draws."""
    by_id = {mistake.id: mistake for mistake in exercise.mistakes}
    text = with_both(exercise, *(by_id[id] for id in part.finding.id.split(" + ")))
    theirs = fresh(exercise, code, part)
    ours = fresh(exercise, text, part)
    return all(near(one[0], other[0]) for one, other in zip(theirs, ours, strict=True))


def value(name, drawn, array):
    """Return what a factor's name is worth on a draw."""
    ids = drawn.inputs.get("ids", np.ones(1))
    known = {"sqrt": np.sqrt, "tokens": np.count_nonzero(ids), "positions": ids.size}
    kept = {
        k: np.count_nonzero(x)
        for k, x in drawn.inputs.items()
        if str(getattr(x, "dtype", "")) == "bool"
    }
    for long, short in NUMBER.items():
        name = name.replace(long, short)
    name = re.sub(r"the number of True in (\w+)", lambda m: str(kept.get(m[1])), name)
    scalars = {k: x for k, x in drawn.inputs.items() if isinstance(x, int | float)}
    return eval(name.replace("^", "**"), known | scalars | dict(drawn.sizes))


def near(a, b):
    return a.shape == b.shape and np.allclose(
        a, b, rtol=1e-5, atol=1e-5 * np.abs(b).max(initial=0.0)
    )


def holds(found, got, expected, others, drawn):
    """Tell whether a fact is true of an array; None where it is not known how to tell."""
    id, x = found.id, {k: v for k, v in drawn.inputs.items() if isinstance(v, np.ndarray)}
    if id.startswith("factor "):
        return near(got, value(id.removeprefix("factor "), drawn, got) * expected)
    if id == "factor":
        return near(got, (got * expected).sum() / (expected * expected).sum() * expected)
    if id == "row factor":
        products = (
            (got * expected).sum(-1, keepdims=True),
            (expected * expected).sum(-1, keepdims=True),
        )
        return near(got, expected * np.nan_to_num(products[0] / products[1]))
    if id == "sign":
        return near(got, -expected)
    if id == "close":
        return near(got, expected) or np.abs(got - expected).max() <= 2e-4 * np.abs(expected).max()
    if id == "zeros":
        return not got.any()
    if id == "transposed":
        return sorted(got.shape) == sorted(expected.shape) and near(
            np.sort(got, None), np.sort(expected, None)
        )
    if id == "other places":
        return near(np.sort(got, None), np.sort(expected, None))
    if id.startswith("is "):
        return near(got, x[id.split()[1]])
    if id in ("another result", "exchanged"):
        return any(near(got, np.asarray(other)) for other in others)
    if match := re.fullmatch(r"(times|divided by) (\w+)", id):
        with np.errstate(all="ignore"):
            a = x[match[2]] ** (1.0 if match[1] == "times" else -1.0)
            return any(near(got, expected * w) for w in placements(a, expected))
    if match := re.fullmatch(r"(plus|minus) (\w+)", id):
        sign = 1 if match[1] == "plus" else -1
        return any(near(got, expected + sign * w) for w in placements(x[match[2]], expected))
    if id == "moved by one":
        pairs = [(np.moveaxis(got, k, 0), np.moveaxis(expected, k, 0)) for k in range(got.ndim)]
        return any(near(g[:-1], e[1:]) or near(g[1:], e[:-1]) for g, e in pairs)
    if id.endswith(" everywhere"):
        reduced = [getattr(expected, id.split()[0])(k, keepdims=True) for k in range(got.ndim)]
        return any(near(got, np.broadcast_to(r, got.shape)) for r in reduced)
    if id.startswith("only "):
        bad = np.abs(got - expected) > 1e-5 * np.abs(expected).max()
        return any(not (bad & ~place).any() for place in places(id, x, expected))
    return None


def places(id, x, like):
    """Yield where an id allows an array to be wrong, as boolean arrays."""
    ids = x.get("ids", np.zeros(0, int))
    if match := re.fullmatch(r"only where (\w+) is (negative|positive|0)", id):
        yield {"negative": x[match[1]] < 0, "positive": x[match[1]] > 0, "0": x[match[1]] == 0}[
            match[2]
        ]
    for axis in range(like.ndim):
        i = np.moveaxis(
            np.broadcast_to(np.arange(like.shape[axis]), np.moveaxis(like, axis, -1).shape),
            -1,
            axis,
        )
        last = i == like.shape[axis] - 1
        found = {
            "at the last": last,
            "before the last": ~last,
            "at the first": i == 0,
            "after the first": i > 0,
        }
        yield from (place for name, place in found.items() if id.startswith(f"only {name}"))
        if id.startswith("only at one"):
            yield from (i == k for k in range(like.shape[axis]))
    for mask in (a for a in x.values() if a.dtype == bool):
        for place in placements(mask if "True" in id and "any" not in id else ~mask, like):
            yield np.broadcast_to(place, like.shape)
        for place in placements(~mask.any(-1), like) if "any" in id else ():
            yield np.broadcast_to(place, like.shape)
    if "padding" in id or "ids" in id:
        counts = np.bincount(ids.ravel(), minlength=len(like))
        rows = (counts > 1) | (np.arange(len(counts)) == 0) | ((counts == 0) & ("absent" in id))
        yield (
            np.broadcast_to(rows[: len(like), None], like.shape)
            if like.ndim == 2 and len(rows) == len(like)
            else ids == 0
        )


def placements(a, like):
    shapes = [a.shape + (1,) * k for k in range(like.ndim - a.ndim + 1)]
    return [
        a.reshape(s)
        for s in shapes
        if all(m in (1, n) for m, n in zip(s[::-1], like.shape[::-1], strict=False))
    ]


@pytest.mark.long
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_findings_are_true(exercise):
    rng = np.random.default_rng(zlib.crc32(exercise.id.encode()))
    for seed in range(15):
        code, chosen = spoilt(exercise, rng)
        with np.errstate(all="ignore"):
            for part in report(exercise, code, seed).parts:
                if part.outcome == "right" or not part.call:
                    continue
                assert part.finding.text and part.finding.text != UNSAID
                if " + " in part.finding.id:
                    assert is_pair(exercise, code, part)
                if part.finding.kind != "fact":
                    continue
                for got, expected, others, drawn in fresh(exercise, code, part):
                    true = holds(part.finding, np.asarray(got), expected, others, drawn)
                    assert true is not False, (chosen, part.finding, drawn.sizes)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_correct_answer_gets_no_remark(exercise):
    for seed in range(5):
        assert not any(part.finding.text for part in report(exercise, exercise.key, seed).parts)
    case = Case(exercise, 0)
    for text in exercise.alternatives:
        assert not any(
            part.finding.text for part in report(exercise, f"{exercise.stub}\n{text}").parts
        )
    assert case.expected


def test_two_mistakes_that_are_named_give_the_numbers_on_other_draws():
    n_named = 0
    for pair in combinations(layer_norm.mistakes[:8], 2):
        text = with_both(layer_norm, *pair)
        for part in report(layer_norm, text).parts if text else ():
            if " + " in part.finding.id:  # these two, or two others that come to the same
                n_named += 1
                assert is_pair(layer_norm, text, part)
    assert n_named
