"""Blanks: what is printed about an array of a notebook, and which array comes back."""

import sys

import numpy as np
import pytest

from npformer import InputError
from npformer_course import exercise

rng = np.random.default_rng(0)
DY = rng.normal(size=(2, 3, 5))
X = rng.normal(size=(2, 3, 5))
RSTD = 1 / np.sqrt(X.var(-1, keepdims=True) + 0.1)
XHAT = (X - X.mean(-1, keepdims=True)) * RSTD
GAIN = np.linspace(0.5, 2, 5)
DXHAT = DY * GAIN
ALONG_XHAT = XHAT * (DXHAT * XHAT).mean(-1, keepdims=True)
DX = RSTD * (DXHAT - DXHAT.mean(-1, keepdims=True) - ALONG_XHAT)
REPLACED = "the notebook continues with npformer's"


def blank(**changed):
    inputs = {"dy": DY, "xhat": XHAT, "rstd": RSTD, "gain": GAIN} | changed
    return exercise("layer_norm_backward").on(**inputs)


@pytest.mark.parametrize("array", [DX, DX.astype(np.float32), DX.tolist()])
def test_right_array_is_returned(array, capsys):
    returned = blank().check(dx=array)
    assert returned is array or isinstance(array, list)
    assert isinstance(returned, np.ndarray) and capsys.readouterr().out == "dx: right\n"


def test_array_of_single_precision_may_have_its_rounding(capsys):
    single = {
        name: array.astype(np.float32)
        for name, array in (("dy", DY), ("xhat", XHAT), ("rstd", RSTD), ("gain", GAIN))
    }
    blank(**single).check(dx=(DX * (1 + 1e-5)).astype(np.float32))
    blank().check(dx=DX * (1 + 1e-5))
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "dx: right" and second.startswith("dx: wrong")


@pytest.mark.parametrize("array", [None, ...])
def test_array_that_is_not_written_is_replaced(array, capsys):
    replacement = blank().check(dx=array)
    assert capsys.readouterr().out == f"dx: not written yet; {REPLACED} dx\n"
    np.testing.assert_allclose(replacement, DX)


@pytest.mark.parametrize(
    ("array", "fact", "question"),
    [
        (
            -DX,
            "dx has the wrong sign, and is right otherwise",
            "Which sign does the formula give it, and which of your lines makes yours?",
        ),
        (
            DX.T,
            "dx has the shape (5, 3, 2), in another order than (2, 3, 5); transposed back, its "
            "numbers are right",
            "What does each axis of your result stand for?",
        ),
        (
            DX[0],
            "dx has the shape (3, 5), expected (2, 3, 5)",
            "Write the shape behind every line: which is the first that surprises you?",
        ),
        (
            RSTD * (DXHAT - ALONG_XHAT),
            "dx has a part along the vector of ones, as if the mean did not depend on x",
            "Add 1 to every feature of x. What happens to y, and so what must dx add up to?",
        ),
        (
            DX + np.arange(6.0).reshape(2, 3, 1) + 1,
            "each row of dx differs from the right one by a constant",
            "Does the formula take a mean or "
            "a sum along the last axis there, and do your lines take the same one?",
        ),
        (
            DX * DX,
            "at [0, 0, 4] your dx has 2.604, expected -1.614; 30 of 30 entries differ",
            "Work out this one entry by hand, from the text: which of your lines is the first to give "
            "something else?",
        ),
        (
            "dx",
            "dx is a str, and not an array of numbers",
            "What does the expression that you return make: numbers, or an object that holds some?",
        ),
    ],
)
def test_array_that_is_not_right_is_replaced(array, fact, question, capsys):
    replacement = blank().check(dx=array)
    assert capsys.readouterr().out == f"dx: wrong; {REPLACED} dx\n  {fact}\n  {question}\n"
    np.testing.assert_allclose(replacement, DX)


@pytest.mark.parametrize("array", [-DX, None])
def test_cell_that_runs_again_does_not_check_npformers_array(array, capsys):
    shared = blank()
    dx = shared.check(dx=array)
    said = capsys.readouterr().out
    dx = shared.check(dx=dx)
    dx = blank().check(dx=dx)
    assert capsys.readouterr().out == 2 * said

    # its values under another name, or in an array of the student's, are theirs
    shared.check(dx=dx.copy())
    shared.check(dbias=dx)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "dx: right" and second.startswith("dbias: wrong")

    dx[0, 0, 0] += 1
    shared.check(dx=dx)
    assert "wrong only at the first index" in capsys.readouterr().out


def test_step_of_the_solution_is_compared(capsys):
    blank().check(dxhat=DXHAT)
    np.testing.assert_allclose(blank().check(dxhat=DY), DXHAT)
    assert capsys.readouterr().out.splitlines()[:3] == [
        "dxhat: right",
        f"dxhat: wrong; {REPLACED} dxhat",
        "  dxhat is dy, unchanged",
    ]


def test_several_arrays(capsys):
    dx, dgain, dbias = blank().check(dx=DX, dgain=(DY * XHAT).mean((0, 1)), dbias=None)
    assert capsys.readouterr().out.splitlines()[:3] == [
        "dx: right, dgain: wrong, dbias: not written yet;",
        f"  {REPLACED} dgain and dbias",
        "  dgain is a mean over the positions",
    ]
    assert dx is DX
    np.testing.assert_allclose(dgain, (DY * XHAT).sum((0, 1)))
    np.testing.assert_allclose(dbias, DY.sum((0, 1)))


def test_mistake_is_named_only_if_no_other_gives_the_same(capsys):
    def over_positions(first, last):
        one = {"dy": DY[first:last], "xhat": XHAT[first:last], "rstd": RSTD[first:last]}
        dxhat = DXHAT[first:last]
        along_ones = dxhat.mean(1, keepdims=True)
        along_xhat = (dxhat * one["xhat"]).mean(1, keepdims=True)
        blank(**one).check(dx=one["rstd"] * (dxhat - along_ones - one["xhat"] * along_xhat))
        return capsys.readouterr().out

    assert "the two means run over the positions, along axis 1" in over_positions(0, 2)
    # of one sentence that is the mean over all positions too, which is another mistake
    assert "your dx has" in over_positions(0, 1)


def test_later_changes_of_the_inputs_do_not_matter(capsys):
    dy = DY.copy()
    with_dy = blank(dy=dy)
    dy[:] = 0
    with_dy.check(dx=DX)
    assert capsys.readouterr().out == "dx: right\n"


def test_other_axes_are_allowed(capsys):
    x = np.array([1.0, 2.0])
    exercise("softmax").on(x=x).check(y=np.exp(x) / np.exp(x).sum())
    assert capsys.readouterr().out == "y: right\n"


def test_result_decides_between_functions_with_the_same_inputs(capsys):
    ids = np.array([[3, 4, 0]])
    masks = exercise("masks").on(ids=ids, pad_id=0)
    assert masks.check(padding_mask=None).shape == (1, 1, 3)
    assert masks.check(target_mask=None).shape == (1, 3, 3)


def test_profiler_of_before_is_kept():
    def profile(frame, event, argument):
        pass

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        blank()
        assert sys.getprofile() is profile
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(
    ("id", "inputs", "message"),
    [
        (
            "layer_norm_backward",
            {"dy": DY, "x": X},
            "got the inputs dy and x: expected dy, xhat, rstd and gain",
        ),
        ("linear", {}, "got the inputs nothing: expected x, w and b; or dy, x and w"),
        (
            "linear",
            {"x": np.ones((2, 3)), "w": np.ones((4, 5)), "b": 0},
            r"cannot use the inputs x \(2, 3\), w \(4, 5\) and b \(\): ValueError: ",
        ),
        ("bug_hunt", {"seal": 1}, "has no blanks: expected an exercise whose functions take"),
    ],
)
def test_inputs_that_no_function_takes_are_refused(id, inputs, message):
    with pytest.raises(InputError, match=f"exercise {id} {message}") as error:
        exercise(id).on(**inputs)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("names", [["dz"], ["dx", "dz"], []])
def test_results_that_no_function_has_are_refused(names):
    got = " and ".join(names) or "nothing"
    expected = r"expected dx, dgain or dbias, as in check\(dx=dx\)"
    with pytest.raises(InputError, match=f"got {got} to check: {expected}"):
        blank().check(**dict.fromkeys(names))
