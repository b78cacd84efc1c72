"""What a gradient check says about 35 wrong backwards, case by case."""

from collections import Counter

import pytest
from wrong_backwards import WRONG_BACKWARDS, Layer, make

from npformer import gradcheck

POINTS = "is wrong only", "has the entries of"  # says where, not why
TOLERANCE = 1e-7


@pytest.mark.parametrize("kind", Layer.__subclasses__())
def test_the_right_backwards_pass(kind):
    layer, inputs = make(kind)
    assert gradcheck(layer, *inputs).ok


@pytest.mark.parametrize("case", WRONG_BACKWARDS, ids=lambda case: f"{case.layer.__name__}: {case.name}")
def test_finding(case):
    layer, inputs = make(case.layer, case.wrong)
    wrong = [row for row in gradcheck(layer, *inputs).rows if row.error > TOLERANCE]
    assert wrong and {row.finding for row in wrong} == {case.finding}


def test_counts():
    findings = [case.finding for case in WRONG_BACKWARDS]
    counts = Counter("silent" if not x else "pointed to" if x.startswith(POINTS) else "named" for x in findings)
    assert counts == {"named": 21, "pointed to": 6, "silent": 8}
