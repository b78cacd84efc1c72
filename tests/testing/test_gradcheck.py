"""The gradient check itself: it fails where a gradient is wrong, leaves everything as it was, and
reports a table.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from npformer import InputError, Module, Parameter, gradcheck
from npformer.layers import Dropout, FeedForward, Linear, ReLU, ScaledDotProductAttention, Softmax
from npformer.testing import GradientReport, GradientRow, numeric_derivative


class Cube(Module):
    """y = gain * x^3; `spoil` changes the gradients that backward gives."""

    def __init__(self, spoil=lambda dx, dgain: (dx, dgain), size=4):
        self.gain = Parameter(np.linspace(1, 2, size))
        self.spoil = spoil

    def forward(self, x):
        return self.remember(self.gain.data * x**3, x)

    def backward(self, dy):
        (x,) = self.recall(dy)
        dx, dgain = self.spoil(3 * dy * self.gain.data * x**2, (dy * x**3).sum(0))
        self.gain.grad += dgain
        return dx


def x_of(seed=0, shape=(3, 4)):
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape)


def changed(array, index, change):
    array = array.copy()
    array[index] = change(array[index])
    return array


def test_correct_gradients_pass():
    report = gradcheck(Cube(), x_of(), rng=0)
    assert report.ok and report.largest_error < 1e-9
    assert [(row.name, row.shape) for row in report.rows] == [("input 0", (3, 4)), ("gain", (4,))]
    assert report.require_ok() is report


@pytest.mark.parametrize(
    ("factor", "error"),
    [(-1, 2), (0, 1), (4, 0.75), (1 + 1e-6, 1e-6), (np.nan, np.inf), (np.inf, np.inf)],
)
def test_incorrect_entry_of_an_input_is_found(factor, error):
    report = gradcheck(
        Cube(lambda dx, dgain: (changed(dx, (1, 2), lambda v: v * factor), dgain)), x_of(), rng=0
    )
    x_row, gain_row = report.rows
    assert not report.ok and x_row.worst == (1, 2) and x_row.error == report.largest_error
    assert x_row.error == pytest.approx(error, rel=1e-3) and np.isfinite(x_row.numeric)
    assert gain_row.error < 1e-7


def test_incorrect_entry_of_a_parameter_is_found():
    report = gradcheck(Cube(lambda dx, dgain: (dx, changed(dgain, 3, lambda v: v + 1e-5))), x_of())
    assert not report.ok and report.rows[1].worst == (3,) and report.rows[0].error < 1e-7


def test_nan_is_kept_when_correct_entries_follow():
    report = gradcheck(
        Cube(lambda dx, dgain: (changed(dx, (0, 0), lambda v: np.nan), dgain)), x_of()
    )
    assert not report.ok and report.rows[0].worst == (0, 0) and report.largest_error == np.inf


@pytest.mark.parametrize("of_inputs", [np.random.default_rng, lambda seed: seed])
@pytest.mark.parametrize("seed", [0, 1])
def test_dy_differs_from_an_input_of_the_same_seed(seed, of_inputs):
    class Square(Module):
        def forward(self, x):
            return self.remember(x * x, x)

        def backward(self, dy):
            (x,) = self.recall(dy)
            return 2 * x * x  # in place of 2 x dy

    x = np.random.default_rng(seed).normal(size=(6, 4))
    assert not gradcheck(Square(), x, rng=of_inputs(seed)).ok


def test_each_check_without_rng_draws_other_numbers():
    drawn = []

    class Recording(Cube):
        def backward(self, dy):
            drawn.append(dy)
            return super().backward(dy)

    assert gradcheck(Recording(), x_of()).ok
    first = drawn[0]
    drawn.clear()
    assert gradcheck(Recording(), x_of()).ok
    assert not np.isclose(first, drawn[0]).any()


def test_object_with_forward_and_backward_need_not_be_a_module():
    class Square:
        def __init__(self, factor):
            self.factor = factor

        def forward(self, x):
            self.x = x
            return x * x

        def backward(self, dy):
            return self.factor * dy * self.x

    report = gradcheck(Square(2), x_of(), rng=0)
    assert report.ok and report.title == "Square"
    assert gradcheck(Square(1), x_of(), rng=0).rows[0].finding == "is right except for a factor 1/2"


def test_parameters_layers_and_generators_of_any_object_are_found():
    class Net:
        def __init__(self, factor):
            self.factor = factor
            self.first = Linear(4, 5, rng=0, dtype="float64")
            self.dropout = Dropout(0.5, rng=0)
            self.scale = Parameter(np.ones(5))

        def forward(self, x):
            self.h = self.dropout(self.first(x))
            return self.h * self.scale.data

        def backward(self, dy):
            self.scale.grad += self.factor * (dy * self.h).sum(0)
            return self.first.backward(self.dropout.backward(dy * self.scale.data))

    x = np.random.default_rng(0).normal(size=(3, 4))
    names = ["input 0", "scale", "first.weight", "first.bias"]
    report = gradcheck(Net(1), x, rng=0)
    assert report.ok and sorted(row.name for row in report.rows) == sorted(names)
    wrong = gradcheck(Net(3), x, rng=0)
    assert [row.name for row in wrong.rows if row.error > 1e-6] == ["scale"]


def test_overwritten_gradient_is_an_error():
    class Overwriting(Cube):
        def backward(self, dy):
            self.gain.grad[...] = 0
            return super().backward(dy)

    with pytest.raises(
        AssertionError, match=r"a second one does not add to the gradient of gain: expected \+="
    ):
        gradcheck(Overwriting(), x_of(), rng=0)
    factor = (
        gradcheck(Overwriting(lambda dx, dgain: (dx, 2 * dgain)), x_of(), rng=0).rows[1].finding
    )
    assert factor == "is right except for a factor 2"


def in_place(array):
    array *= 2


@pytest.mark.parametrize(
    ("name", "when"),
    [("input 0", "forward"), ("input 0", "backward"), ("gain", "forward"), ("dy", "backward")],
)
def test_modified_array_is_named(name, when):
    class Changing(Cube):
        def forward(self, x):
            in_place({"input 0": x, "gain": self.gain.data}[name]) if when == "forward" else None
            self.x = x
            return super().forward(x)

        def backward(self, dy):
            dx = super().backward(dy)
            in_place({"input 0": self.x, "dy": dy}[name]) if when == "backward" else None
            return dx

    layer, x = Changing(), x_of()
    with pytest.raises(AssertionError, match=rf"changes {name}, which others need as it was"):
        gradcheck(layer, x, rng=0)
    np.testing.assert_array_equal(x, x_of())
    assert layer.gain.data.tolist() == np.linspace(1, 2, 4).tolist()


@pytest.mark.parametrize(
    ("layer", "kind"),
    [
        (Cube, "Cube"),
        (np.tanh, "ufunc"),
        (None, "NoneType"),
        (SimpleNamespace(forward=np.tanh), "SimpleNamespace"),
        (SimpleNamespace(backward=np.tanh), "SimpleNamespace"),
    ],
)
def test_object_that_is_not_a_layer_is_rejected(layer, kind):
    with pytest.raises(
        InputError, match=f"^gradcheck got {kind}: expected a layer, an object with"
    ):
        gradcheck(layer, x_of(), rng=0)


def test_nan_in_forward_fails():
    report = gradcheck(Cube(), x_of() * np.nan)
    assert not report.ok


def test_small_gradient_error_next_to_large_gradient_is_found():
    class TwoScales(Cube):
        def forward(self, x):
            return super().forward(x) * np.array([1, 1, 1, 1e3])

        def backward(self, dy):
            return super().backward(dy * np.array([1, 1, 1, 1e3])) * np.array([1.001, 1, 1, 1])

    report = gradcheck(TwoScales(), x_of(), rng=0)
    assert not report.ok and report.rows[0].worst[1] == 0
    assert report.rows[0].error == pytest.approx(1e-3, rel=0.01)


def test_rounding_next_to_a_large_gradient_is_no_error():
    class Shifted(Module):
        """A softmax does not change where all scores are shifted."""

        def __init__(self):
            self.shift = Parameter(np.ones(1))
            self.unused = Parameter(np.ones(1))
            self.softmax = Softmax()

        def forward(self, x):
            return self.softmax.forward(x + self.shift.data)

        def backward(self, dy):
            dx = self.softmax.backward(dy)
            self.shift.grad += dx.sum()
            return dx

    assert gradcheck(Shifted(), x_of(), rng=0).ok


def test_missing_gradient_is_an_error():
    missing = r"^Cube\(4\)\.backward gave nothing for input 0, expected a gradient of \(3, 4\)$"
    with pytest.raises(AssertionError, match=missing):
        gradcheck(Cube(lambda dx, dgain: (None, dgain)), x_of(), rng=0)


def test_gradient_of_wrong_shape_is_an_error():
    with pytest.raises(
        AssertionError, match=r"gave shape \(4,\) for input 0, expected a gradient of \(3, 4\)"
    ):
        gradcheck(Cube(lambda dx, dgain: (dx.sum(0), dgain)), x_of())


@pytest.mark.parametrize(
    ("output", "got"),
    [
        (lambda y: None, "nothing"),
        (lambda y: (y, y), "a tuple"),
        (lambda y: (y, y.sum(1)), "a tuple"),
        (lambda y: [y, y], "a list"),
    ],
)
def test_forward_without_return_or_of_several_arrays_is_rejected(output, got):
    class Other(Cube):
        def forward(self, x):
            return output(super().forward(x))

    message = rf"^Other\(4\)\.forward returned {got}: expected one array, as in return y$"
    with pytest.raises(InputError, match=message):
        gradcheck(Other(), x_of(), rng=0)


@pytest.mark.parametrize(
    ("returned", "got"),
    [
        (lambda dx: [dx], "list"),
        (lambda dx: (dx, dx), "ndarray, ndarray"),
        (lambda dx: dx.tolist(), "list"),
    ],
)
def test_gradients_as_a_list_or_too_many_are_rejected(returned, got):
    message = (
        f"Cube(4).backward gave {got}: expected an array for each input of forward, of which "
        "there are 1, several as a tuple"
    )
    with pytest.raises(InputError, match=re.escape(message)):
        gradcheck(Cube(lambda dx, dgain: (returned(dx), dgain)), x_of(), rng=0)


def test_array_that_cannot_be_checked_is_rejected():
    with pytest.raises(InputError, match=r"weight is float32: .* build with dtype='float64'"):
        gradcheck(Linear(4, 2), x_of(), rng=0)
    with pytest.raises(InputError, match=r"input 0 has the shape \(0, 4\): expected one entry"):
        gradcheck(Cube(), x_of(shape=(0, 4)), rng=0)
    with pytest.raises(InputError, match="entries = 0: expected 1 or more of each array, or None"):
        gradcheck(Cube(), x_of(), rng=0, entries=0)


@pytest.mark.parametrize("x", [np.arange(4), [1.0, 2.0], 2.0, np.ones(2, complex)])
def test_nothing_to_check_is_rejected(x):
    """A report without a row would say that all is right."""

    class Square:
        def forward(self, x):
            self.x = np.asarray(x)
            return self.x * self.x

        def backward(self, dy):
            return dy * self.x

    with pytest.raises(
        InputError, match="there is nothing to check: expected an array of float64 as input"
    ):
        gradcheck(Square(), x)


def test_gradcheck_restores_all_state():
    rng = np.random.default_rng(5)
    layer = ScaledDotProductAttention(dropout=0.5, rng=rng)
    layer.linear = Linear(2, 3, dtype="float64")
    layer.linear.weight.grad += 7
    inputs = x_of(0, (3, 4)), x_of(1, (5, 4)), x_of(2, (5, 2)), np.ones((3, 5), bool)
    before = [
        array.copy() for array in (*inputs, layer.linear.weight.data, layer.linear.weight.grad)
    ]
    state = rng.bit_generator.state
    assert gradcheck(layer, *inputs, rng=0).ok
    after = [*inputs, layer.linear.weight.data, layer.linear.weight.grad]
    assert all((a == b).all() for a, b in zip(before, after, strict=True))
    assert rng.bit_generator.state == state


def test_dropout_mask_is_the_same_in_every_forward():
    report = gradcheck(Dropout(0.5, rng=np.random.default_rng(0)), x_of())
    assert report.ok and gradcheck(Dropout(0.5), x_of(), rng=0).ok


def test_entries_limits_the_work():
    seen = []

    class Noting(Cube):
        def forward(self, x):
            seen.append(x.tobytes() + self.gain.data.tobytes())
            return super().forward(x)

    gradcheck(Noting(), x_of(), rng=0, entries=3)
    # three entries of two arrays, four forwards each, and three where none is moved
    assert (len(seen), len(set(seen))) == (3 + 3 * 2 * 4, 1 + 3 * 2 * 4)


def test_entries_are_drawn_by_rng():
    spoilt = Cube(lambda dx, dgain: (changed(dx, (1, 2), lambda v: -v), dgain))
    verdicts = {
        gradcheck(spoilt, x_of(), rng=np.random.default_rng(seed), entries=3).ok
        for seed in range(12)
    }
    assert verdicts == {True, False}


def test_tolerance_is_used():
    slightly_wrong = Cube(lambda dx, dgain: (dx * (1 + 1e-5), dgain))
    assert gradcheck(slightly_wrong, x_of(), tolerance=1e-4, rng=0).ok
    assert not gradcheck(slightly_wrong, x_of(), tolerance=1e-6, rng=0).ok


def test_report_is_a_table():
    lines = str(gradcheck(FeedForward(4, 5, rng=0, dtype="float64"), x_of())).splitlines()
    assert lines[0] == "FeedForward(4, 5)"
    assert lines[1].split() == ["shape", "rel.", "error", "worst", "entry"]
    assert [line.split()[0] for line in lines[3:]] == [
        "linear_1.weight",
        "linear_1.bias",
        "linear_2.weight",
        "linear_2.bias",
    ]
    assert re.fullmatch(r"  input 0 +\(3, 4\) +\d\.\de-\d\d  \(\d, \d\)", lines[2])


def test_require_ok_raises_with_the_table():
    report = gradcheck(Cube(lambda dx, dgain: (dx, 2 * dgain)), x_of(), rng=0)
    with pytest.raises(AssertionError, match="wrong gradients, tolerance 1e-07") as caught:
        report.require_ok()
    assert str(report) in str(caught.value) and "WRONG:" in str(report)


def test_report_has_both_values_of_an_incorrect_entry():
    report = gradcheck(Cube(lambda dx, dgain: (dx, 3 * dgain)), x_of(), rng=0)
    assert report.rows[1].analytic == pytest.approx(3 * report.rows[1].numeric)


def test_inputs_are_numbered_as_the_arguments_of_forward():
    """The first argument are ids, which have no gradient."""

    class Chosen(Module):
        def forward(self, ids, x):
            return self.remember(x[ids] ** 2, ids, x)

        def backward(self, dy):
            ids, x = self.recall(dy)
            dx = np.zeros(x.shape)
            np.add.at(dx, ids, 2 * x[ids] * dy)
            return None, dx

    report = gradcheck(Chosen(), np.array([2, 0, 2]), x_of(), rng=0)
    assert report.ok and [row.name for row in report.rows] == ["input 1"]


def test_columns_of_a_report_are_aligned():
    rows = [
        GradientRow("input 0", (2, 3), 5e-7, (1, 2), 2.0, 2.000001),
        GradientRow("layers.0.feed_forward.bias", (4,), 0.5, (3,), 2.0, 4.0, "is wrong"),
    ]
    report = GradientReport("A layer", rows, tolerance=5e-7)
    assert not report.ok
    assert str(report).splitlines() == [
        "A layer",
        "                                      shape  rel. error  worst entry",
        "  input 0                            (2, 3)     5.0e-07  (1, 2)",
        "  layers.0.feed_forward.bias           (4,)     5.0e-01  (3,)  WRONG: 2, not 4",
        "    layers.0.feed_forward.bias is wrong",
    ]
    assert GradientReport("A layer", rows[:1], tolerance=5e-7).ok


def test_inputs_may_be_read_only():
    x = x_of()
    x.setflags(write=False)
    assert gradcheck(Cube(), x, rng=0).ok


def test_gradient_of_zeros_is_right():
    class Zero(Module):
        def forward(self, x):
            return self.remember(0 * x)

        def backward(self, dy):
            self.recall(dy)
            return 0 * dy

    report = gradcheck(Zero(), x_of(), rng=0)
    assert report.rows == [GradientRow("input 0", (3, 4), 0, (0, 0), 0, 0)]


@pytest.mark.parametrize("close_to_kink", [3e-6, -3e-6])
def test_small_step_stays_on_one_side_of_a_kink(close_to_kink):
    assert gradcheck(ReLU(), np.array([close_to_kink, 1.0]), rng=0).ok


def test_large_step_changes_more_than_rounding_does():
    class Shifted(Module):
        def forward(self, x):
            return self.remember(x + 1e6)

        def backward(self, dy):
            self.recall(dy)
            return dy

    assert all(gradcheck(Shifted(), np.arange(2.0), rng=seed).ok for seed in range(5))


def test_entry_is_put_back_after_an_error():
    x = np.array([3.0, 5.0])
    with pytest.raises(ZeroDivisionError):
        numeric_derivative(x, (0,), 1.0, lambda: 1 // 0)
    assert x.tolist() == [3, 5]
