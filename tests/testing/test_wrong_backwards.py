"""What a gradient check says about 35 wrong backwards, case by case."""

from collections import Counter

import pytest

from npformer import gradcheck
from tests.testing.wrong_backwards import LAYERS, WRONG_BACKWARDS, make, spoilt

POINTS = "is wrong only", "has the entries of"  # says where, not why


@pytest.mark.parametrize("name", LAYERS)
def test_correct_backwards_pass(name):
    layer, inputs = make(name)
    assert gradcheck(layer, *inputs, rng=0).ok


@pytest.mark.parametrize(("mistake", "name", "wrong", "finding"), WRONG_BACKWARDS)
def test_finding(mistake, name, wrong, finding):
    layer, inputs = make(name)
    report = gradcheck(spoilt(layer, wrong), *inputs, rng=0)
    assert {row.finding for row in report.rows if row.error > report.tolerance} == {finding}


def test_counts():
    findings = [finding for *_, finding in WRONG_BACKWARDS]
    counts = Counter(
        "silent" if not x else "pointed to" if x.startswith(POINTS) else "named" for x in findings
    )
    assert counts == {"named": 21, "pointed to": 6, "silent": 8}
