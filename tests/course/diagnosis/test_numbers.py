"""The worst entry, shown where nothing else is known: its index, what came, what was expected."""

import re

import numpy as np

from npformer_course import course
from npformer_course.definition import Call
from tests.course.diagnosis.small_exercises import (
    SQUARES,
    edited,
    exercise,
    layer_norm,
    linear,
    product,
    report,
    said,
)


def test_worst_entry_and_number_of_differences_are_reported():
    edit = ("return rstd * (", "return np.sin(dy) * rstd * (")
    found = said(layer_norm, "dx", edit)
    assert found.kind == "numbers" and found.question
    pattern = r"at \[(\d+), (\d+), (\d+)\] your dx has (\S+), expected (\S+)"
    pattern += r"; (\d+) of (\d+) entries differ"
    *at, came, expected, wrong, all_of = re.fullmatch(pattern, found.text).groups()
    [part] = [p for p in report(layer_norm, edited(layer_norm, edit)).parts if p.name == "dx"]
    at = tuple(map(int, at))
    assert np.isclose(part.got[at], float(came), rtol=1e-3) and np.isclose(
        part.expected[at], float(expected), rtol=1e-3
    )
    differences = np.abs(part.got - part.expected)
    assert differences[at] == differences.max() and int(all_of) == differences.size
    assert int(wrong) == (differences > 1e-6 * np.abs(part.expected).max()).sum()


def test_rounding_differences_are_not_counted():
    edit = ("    return dx, dw, db", "    db = db + 1e-12\n    db[0] += 1\n    return dx, dw, db")
    [part] = [p for p in report(linear, edited(linear, edit)).parts if p.name == "db"]
    assert part.numbers.endswith(f"; 1 of {part.got.size} entries differ")


def test_rounding_differences_of_large_numbers_are_not_counted():
    def large_inputs(draw, D):
        return {"x": 1e3 * draw.normal(D, D), "w": 1e3 * draw.normal(D, D)}

    large = exercise("large", SQUARES, large_inputs, [Call(product, {"dx": 1})])
    wrong = "y = x @ w + 1e-3\n    y[0, 0] += 1e7\n    return y"
    part = report(large, edited(large, ("return x @ w", wrong))).parts[0]
    assert part.numbers.endswith(f"; 1 of {part.got.size} entries differ")


def test_numbers_are_reported_for_every_incorrect_part():
    parts = report(layer_norm, edited(layer_norm, ("return rstd * (", "return 2 * rstd * ("))).parts
    assert parts[0].finding.kind == "fact" and parts[0].numbers.startswith("at [")
    assert not any(part.numbers for part in parts[1:])


def test_integers_and_booleans_are_reported_unrounded():
    masks = course.load("masks")
    texts = [
        part.numbers
        for part in report(masks, edited(masks, ("ids != pad_id", "ids == pad_id"))).parts
    ]
    assert any(
        "has True, expected False" in text or "has False, expected True" in text for text in texts
    )
