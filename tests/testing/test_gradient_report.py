"""What the gradient check reports: a table that names the worst entry, and a verdict."""

import re

import pytest
from test_gradcheck import Cube, x_of

from npformer import gradcheck
from npformer.layers import FeedForward
from npformer.testing import GradientReport, GradientRow


def test_the_tolerance_is_the_callers():
    slightly_wrong = Cube(lambda dx, dgain: (dx * (1 + 1e-5), dgain))
    assert gradcheck(slightly_wrong, x_of(), tolerance=1e-4).ok
    assert not gradcheck(slightly_wrong, x_of(), tolerance=1e-6).ok


def test_the_report_prints_as_a_table():
    lines = str(gradcheck(FeedForward(4, 5, rng=0, dtype="float64"), x_of())).splitlines()
    assert lines[0] == "FeedForward()"
    assert lines[1].split() == ["shape", "rel.", "error", "worst", "entry"]
    assert [line.split()[0] for line in lines[3:]] == [
        "linear_1.weight",
        "linear_1.bias",
        "linear_2.weight",
        "linear_2.bias",
    ]
    assert re.fullmatch(r"  input 0 +\(3, 4\) +\d\.\de-\d\d  \(\d, \d\)", lines[2])


def test_require_ok_raises_with_the_table():
    report = gradcheck(Cube(lambda dx, dgain: (dx, 2 * dgain)), x_of())
    with pytest.raises(AssertionError, match="wrong gradients, tolerance 1e-07") as caught:
        report.require_ok()
    assert str(report) in str(caught.value) and "WRONG:" in str(report)


def test_the_verdict_says_what_backward_gave_and_what_it_should_have_been():
    row = GradientRow("gain", (2,), 0.5, (1,), 2.0, 4.0)
    assert str(GradientReport("wrong", [row])).endswith("(1,)  WRONG: 2, not 4")
    report = gradcheck(Cube(lambda dx, dgain: (dx, 3 * dgain)), x_of())
    assert report.rows[1].analytic == pytest.approx(3 * report.rows[1].numeric)
