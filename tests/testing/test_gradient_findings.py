"""What a failing gradient check finds out about a wrong gradient."""

import numpy as np
import pytest

from npformer import Module, Parameter, gradcheck
from npformer.layers import LayerNorm, Linear
from npformer.testing.explain_gradients import MAX_ENTRIES
from tests.testing.test_gradcheck import Cube, x_of

X = np.random.default_rng(0).normal(size=(3, 5, 4))


def spoilt(base, spoil):
    """Return a layer of which backward's first gradient, or its parameters', are spoilt."""

    class Spoilt(base):
        def backward(self, dy):
            return spoil(self, super().backward(dy), dy)

    return Spoilt


def after(change):
    """Spoil the gradients of the parameters."""

    def spoil(layer, dx, dy):
        for _, p in layer.named_parameters():
            p.grad[...] = change(p.grad, dy)
        return dx

    return spoil


def findings(layer, *inputs):
    report = gradcheck(layer, *inputs, rng=0)
    assert not report.ok
    return {row.name: row.finding for row in report.rows}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda g, dy: g / len(dy),
            "is right except for a factor 1/B, as if a mean over B had been taken (B = 3)",
        ),
        (
            lambda g, dy: g / dy.shape[1],
            "is right except for a factor 1/T, as if a mean over T had been taken (T = 5)",
        ),
        (
            lambda g, dy: g / dy[..., 0].size,
            "is right except for a factor 1/(B * T), as if a mean over B and T",
        ),
        (lambda g, dy: g * len(dy) ** 0.5, "is right except for a factor sqrt(B) (B = 3)"),
        (lambda g, dy: -g, "has the wrong sign, and is right otherwise"),
        (lambda g, dy: 2 * g, "is right except for a factor 2"),
        (lambda g, dy: 1.25 * g, "is right except for a factor 1.25"),
        (lambda g, dy: 0 * g, "is 0 everywhere"),
        (lambda g, dy: g * (1 + 1e-5), "is right to 5 digits of its largest entry"),
    ],
)
def test_findings_about_parameters(change, text):
    found = findings(spoilt(Linear, after(change))(4, 6, dtype="float64"), X)
    assert found["input 0"] == "" and found["weight"].startswith(text)


def test_parameter_is_found_as_a_factor():
    class Gainless(LayerNorm):
        def backward(self, dy):
            return super().backward(dy) * self.gain.data

    layer = Gainless(4, dtype="float64")
    layer.gain.data[...] = [0.5, 2, -1, 3]
    assert findings(layer, X)["input 0"] == "is the right one times gain"


def test_gradient_at_masked_entries_is_reported():
    class Leaking(Module):
        """Adds what the mask lets pass; backward lets everything pass."""

        def __init__(self, leak):
            self.leak = leak

        def forward(self, x, mask):
            return self.remember(np.where(mask, x**2, 0), x, mask)

        def backward(self, dy):
            x, mask = self.recall(dy)
            return np.where(mask, 2 * x, self.leak(x)) * dy

    mask = np.random.default_rng(1).random(X.shape) > 0.4
    assert (
        findings(Leaking(lambda x: x), X, mask)["input 0"]
        == "is wrong only where the mask is False"
    )
    assert gradcheck(Leaking(lambda x: 0), X, mask, rng=0).ok


class Scale(Module):
    """y = gain * sin(x)."""

    def __init__(self):
        self.gain = Parameter(np.array([0.5, 2.0, -1.0, 3.0]))

    def forward(self, x):
        return self.remember(self.gain.data * np.sin(x), x)

    def backward(self, dy):
        (x,) = self.recall(dy)
        self.gain.grad += (dy * np.sin(x)).sum((0, 1))
        return dy * self.gain.data * np.cos(x)


def test_finding_is_printed_under_its_row():
    report = gradcheck(Cube(lambda dx, dgain: (dx, 2 * dgain)), x_of(), rng=0)
    lines = str(report).split("\n")
    assert lines[-1] == "    gain is right except for a factor 2" and "WRONG" in lines[-2]
    assert (
        "finding" not in str(gradcheck(Cube(), x_of(), rng=0))
        and len(str(gradcheck(Cube(), x_of(), rng=0)).split("\n")) == 4
    )


def test_gradcheck_restores_all_state():
    rng = np.random.default_rng(3)
    layer = spoilt(Scale, lambda layer, dx, dy: np.sin(dx))()
    layer.rng = np.random.default_rng(5)
    state, x, dgain = (
        layer.rng.bit_generator.state,
        rng.normal(size=(3, 5, 4)),
        layer.gain.grad.copy(),
    )
    before = x.copy(), layer.gain.data.copy()
    gradcheck(layer, x, rng=0)
    assert np.array_equal(x, before[0]) and np.array_equal(layer.gain.data, before[1])
    assert np.array_equal(layer.gain.grad, dgain) and layer.rng.bit_generator.state == state


def test_array_that_is_changed_in_place_is_reported():
    class Residual(Module):
        def __init__(self):
            self.linear = Linear(4, 4, rng=0, dtype="float64")

        def forward(self, x):
            h = 2 * x
            h += self.linear.forward(h)
            return self.remember(h)

        def backward(self, dy):
            self.recall(dy)
            return 2 * (dy + self.linear.backward(dy))

    expected = (
        "is wrong; an array that Linear(4, 4) keeps for backward is changed in place before it: "
        "write h = h + y in the place of h += y"
    )
    assert findings(Residual(), X) == {"input 0": "", "linear.weight": expected, "linear.bias": ""}
    report = gradcheck(Residual(), X, rng=0, entries=3)
    assert report.rows[1].finding == expected


def test_every_gradient_that_an_array_changed_in_place_spoils_says_so():
    class Twice(Module):
        def __init__(self):
            self.first = Linear(4, 4, rng=0, dtype="float64")
            self.second = Linear(4, 4, rng=1, dtype="float64")

        def forward(self, x):
            h = 2 * x
            y = self.first.forward(h) + self.second.forward(h)
            h += 1
            return self.remember(y)

        def backward(self, dy):
            self.recall(dy)
            return 2 * (self.first.backward(dy) + self.second.backward(dy))

    found = findings(Twice(), X)
    assert "is changed in place" in found["first.weight"]
    assert found["second.weight"] == found["first.weight"]


def test_limit_of_entries_is_of_wrong_gradients_alone():
    """The weight has more entries than are explained, and is right."""

    class WrongBias(Linear):
        def backward(self, dy):
            dx = super().backward(dy)
            self.bias.grad *= 2
            return dx

    layer = WrongBias(30, 20, dtype="float64")
    x = np.random.default_rng(1).normal(size=(3, 30))
    assert layer.weight.data.size > MAX_ENTRIES
    assert findings(layer, x)["bias"] == "is right except for a factor 2"


def test_short_rows_have_no_finding_about_their_mean():
    """Any error of a row of one feature is the same in all of the row."""

    class Wrong(Cube):
        def backward(self, dy):
            return super().backward(dy) + np.cos(37 * dy)

    x = np.random.default_rng(3).normal(size=(6, 1))
    assert findings(Wrong(size=1), x)["input 0"] == ""
