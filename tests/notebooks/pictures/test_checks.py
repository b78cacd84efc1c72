"""Bars of gradient checks end at the error, and say whether it is within the tolerance."""

import numpy as np
import pytest

import npformer as npf
from helpers.pictures import show_checks
from helpers.planted_bugs import check_norm


def test_bars_end_at_errors_and_name_failures():
    reports = {"hidden": check_norm(np.ones(4)), "shown": check_norm([1.0, 2.0, 3.0])}
    [ax] = show_checks(reports).axes
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert ends == pytest.approx([report.largest_error for report in reports.values()], rel=1e-3)
    assert [text.get_text().split()[-1] for text in ax.texts] == ["passes", "FAILS"]


def test_error_of_zero_has_a_place_on_the_axis():
    report = npf.gradcheck(npf.layers.Softmax(), np.ones((2, 1)), rng=0)
    [ax] = show_checks({"one key": report}).axes
    assert ax.patches[0].get_width() >= 0
