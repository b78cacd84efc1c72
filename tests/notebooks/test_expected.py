"""A line that a learner writes is kept where it is right, and replaced where it is not."""

import numpy as np
import pytest

from helpers.expected import Expected

ROWS = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def test_right_line_is_returned(capsys):
    yours = ROWS + 1e-6
    assert Expected(rows=ROWS).check(rows=yours) is yours
    assert capsys.readouterr().out == "rows: right\n"


@pytest.mark.parametrize(
    ("yours", "said"),
    [
        (ROWS.T, "its shape is (3, 2), and should be (2, 3)"),
        (ROWS * [1, 1, 2], "its shape is right, and 2 of its 6 entries are not"),
        ("the rows", "it is no array of numbers"),
        (..., ""),
    ],
)
def test_other_lines_are_replaced_and_the_message_says_why(yours, said, capsys):
    assert np.array_equal(Expected(rows=ROWS).check(rows=yours), ROWS)
    outcome = "wrong" if said else "not written yet"
    printed = [f"rows: {outcome}; the notebook continues with npformer's rows"]
    if said:
        printed.append(f"  {said}")
    assert capsys.readouterr().out.splitlines() == printed


@pytest.mark.parametrize("yours", [ROWS.T, ...])
def test_cell_that_runs_again_does_not_check_npformers_array(yours, capsys):
    expected = Expected(rows=ROWS)
    rows = expected.check(rows=yours)
    said = capsys.readouterr().out
    rows = expected.check(rows=rows)
    Expected(rows=ROWS).check(rows=rows)
    assert capsys.readouterr().out == 2 * said
    expected.check(rows=rows.copy())
    assert capsys.readouterr().out == "rows: right\n"


def test_a_wrong_number_is_shown(capsys):
    assert Expected(slope=-12.0).check(slope=-60.0) == -12
    assert capsys.readouterr().out.splitlines()[1] == "  it is -60, and should be another number"


@pytest.mark.parametrize(("whole", "is_right"), [(2.637e-4, False), (3.637e-4 * 1.00005, True)])
def test_a_small_number_is_right_to_four_digits(whole, is_right, capsys):
    Expected(whole=3.637e-4).check(whole=whole)
    assert capsys.readouterr().out.startswith("whole: right" if is_right else "whole: wrong")


def test_whole_numbers_are_compared_exactly(capsys):
    expected = Expected(cut=730_217)
    assert expected.check(cut=730_217.0).dtype.kind == "i"
    expected.check(cut=730_217.7)
    expected.check(cut=730_218)
    assert capsys.readouterr().out.splitlines() == [
        "cut: right",
        "cut: wrong; the notebook continues with npformer's cut",
        "  whole numbers are expected",
        "cut: wrong; the notebook continues with npformer's cut",
        "  it is 730218, and should be another number",
    ]


@pytest.mark.parametrize("dtype", [bool, int, float])
def test_zeros_and_ones_become_booleans_where_these_are_expected(dtype):
    allowed = np.tri(3, dtype=bool)
    yours = Expected(allowed=allowed).check(allowed=np.tri(3, dtype=dtype))
    np.testing.assert_array_equal(~yours, ~allowed)


def test_what_a_notebook_does_to_an_array_does_not_change_what_is_expected():
    expected = Expected(rows=ROWS)
    expected.check(rows=...)[0] = 0
    assert np.array_equal(expected.check(rows=...), ROWS)


def test_a_mistake_that_is_known_is_named_and_others_are_not(capsys):
    expected = Expected(rows=ROWS)
    expected.say("it is twice as large", rows=2 * ROWS)
    assert np.array_equal(expected.check(rows=2 * ROWS), ROWS)
    expected.check(rows=3 * ROWS)
    said = capsys.readouterr().out.splitlines()
    assert said[1::2] == [
        "  it is twice as large",
        "  its shape is right, and 6 of its 6 entries are not",
    ]
