"""What a failing gradient check finds out about a wrong gradient."""

from dataclasses import dataclass

import numpy as np
import pytest

from npformer import Module, Parameter, gradcheck
from npformer.layers import FeedForward, LayerNorm, Linear
from npformer.testing import explain_gradients
from tests.testing.test_gradcheck import Cube, x_of
from tests.testing.wrong_backwards import A_MEAN, ORDER

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


FACTOR = "is right except for a factor"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda g, dy: g / len(dy), f"{FACTOR} 1/B, as if a mean over B had been taken (B = 3)"),
        (
            lambda g, dy: g / dy.shape[1],
            f"{FACTOR} 1/T, as if a mean over T had been taken (T = 5)",
        ),
        (
            lambda g, dy: g / dy[..., 0].size,
            f"{FACTOR} 1/(B * T), as if a mean over B and T had been taken (B = 3, T = 5)",
        ),
        (
            lambda g, dy: g * dy[..., 0].size,
            f"{FACTOR} B * T, as if no mean but a sum over B and T had been taken (B = 3, T = 5)",
        ),
        (lambda g, dy: g * len(dy) ** 0.5, f"{FACTOR} sqrt(B) (B = 3)"),
        (lambda g, dy: -g, "has the wrong sign, and is right otherwise"),
        (lambda g, dy: 2 * g, f"{FACTOR} 2"),
        (lambda g, dy: 1.25 * g, f"{FACTOR} 1.25"),
        (lambda g, dy: 0 * g, "is 0 everywhere"),
        (lambda g, dy: g * (1 + 1e-5), "is right to 5 digits of its largest entry"),
        (lambda g, dy: g * (1 + 5e-7), "is right to 6 digits of its largest entry"),
    ],
)
def test_findings_about_parameters(change, text):
    found = findings(spoilt(Linear, after(change))(4, 6, dtype="float64"), X)
    assert found["input 0"] == "" and found["weight"] == text


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((3, 4), f"{FACTOR} 1/N, as if a mean over N had been taken (N = 3)"),
        ((2, 5, 4), f"{FACTOR} 1/B, as if a mean over B had been taken (B = 2)"),
        ((7, 1, 4), f"{FACTOR} 1/B, as if a mean over B had been taken (B = 7)"),
        ((7, 5, 2, 4), f"{FACTOR} 1/7"),  # which axes a layer takes cannot be known
    ],
)
def test_first_axes_have_the_letters_of_a_batch(shape, text):
    mean = spoilt(Linear, after(lambda g, dy: g / len(dy)))(4, 6, dtype="float64")
    assert findings(mean, np.random.default_rng(0).normal(size=shape))["weight"] == text


def test_small_gradients_are_not_taken_for_rounding():
    class SmallSquare(Module):
        def forward(self, x):
            return self.remember(1e-12 * x * x, x)

        def backward(self, dy):
            (x,) = self.recall(dy)
            return 1e-12 * dy * x

    assert findings(SmallSquare(), X)["input 0"].startswith(f"{FACTOR} 1/2")


def test_layer_that_refuses_other_lengths_has_a_finding():
    class OfThree(Linear):
        def forward(self, x):
            if x.shape[:2] != (3, 5):
                raise KeyError("another length")
            return super().forward(x)

    mean = spoilt(OfThree, after(lambda g, dy: g / len(dy)))(4, 6, dtype="float64")
    assert findings(mean, X)["weight"] == f"{FACTOR} 1/3"


def test_all_inputs_of_a_batch_are_shortened():
    class Product(Module):
        def forward(self, x, gate, scale):
            return self.remember(x * gate * scale, x, gate, scale)

        def backward(self, dy):
            x, gate, scale = self.recall(dy)
            dscale = (dy * x * gate).sum((0, 1))
            return dy * gate * scale / len(dy), dy * x * scale, dscale

    gate, scale = np.random.default_rng(1).normal(size=X.shape), np.array([0.5, 2.0, -1.0, 3.0])
    found = findings(Product(), X, gate, scale)
    assert found == {"input 0": f"{FACTOR} 1/B (B = 3)", "input 1": "", "input 2": ""}


def test_region_is_named_by_a_letter_of_the_batch():
    def spoil(layer, dx, dy):
        dx[-1] *= 3
        return dx

    expected = "is wrong only at the last index along axis 0 (N)"
    assert findings(spoilt(Cube, spoil)(), x_of(shape=(5, 4)))["input 0"] == expected


@pytest.mark.parametrize("factor", [0.7, X < 1], ids=["number", "mask"])
def test_cause_takes_the_place_of_its_effect(factor):
    """The effect is a factor, or that a region is wrong."""

    class Multiple(Module):
        def forward(self, x, factor):
            return self.remember(x * factor)

        def backward(self, dy):
            self.recall(dy)
            return dy

    assert findings(Multiple(), X, factor) == {"input 0": "is dy, unchanged"}


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
    @dataclass  # which has no hash
    class Residual(Module):
        linear: Linear

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
    layer = Residual(Linear(4, 4, rng=0, dtype="float64"))
    assert findings(layer, X) == {"input 0": "", "linear.weight": expected, "linear.bias": ""}
    report = gradcheck(layer, X, rng=0, entries=3)
    assert report.rows[1].finding == expected


def test_every_gradient_that_an_array_changed_in_place_spoils_says_so():
    class Twice(Module):
        def __init__(self):
            self.first = Linear(4, 4, rng=0, dtype="float64")
            self.second = FeedForward(4, 5, rng=1, dtype="float64")

        def forward(self, x):
            h = 2 * x
            y = self.first.forward(h) + self.second.forward(h)
            h += 1
            return self.remember(y)

        def backward(self, dy):
            self.recall(dy)
            return 2 * (self.first.backward(dy) + self.second.backward(dy))

    found = findings(Twice(), X)
    # the first that backward comes to is named
    assert "an array that Linear(4, 4) keeps" in found["first.weight"]
    assert found["second.linear_1.weight"] == found["first.weight"]


def test_limit_of_entries_is_of_wrong_gradients_alone():
    """The weight has more entries than are explained, and is right."""

    class WrongBias(Linear):
        def backward(self, dy):
            dx = super().backward(dy)
            self.bias.grad *= 2
            return dx

    layer = WrongBias(30, 20, dtype="float64")
    x = np.random.default_rng(1).normal(size=(3, 30))
    assert layer.weight.data.size > explain_gradients.MAX_ENTRIES
    assert findings(layer, x)["bias"] == f"{FACTOR} 2"


@pytest.mark.parametrize(("most", "text"), [(24, f"{FACTOR} 2"), (23, "")])
def test_too_many_wrong_gradients_are_not_explained(most, text, monkeypatch):
    monkeypatch.setattr(explain_gradients, "MAX_ENTRIES", most)
    twice = spoilt(Linear, after(lambda g, dy: 2 * g))(4, 6, bias=False, dtype="float64")
    assert findings(twice, X)["weight"] == text


def test_checked_entries_alone_are_not_explained():
    report = gradcheck(Cube(lambda dx, dgain: (dx, 2 * dgain)), x_of(), rng=0, entries=4)
    assert not report.ok and report.rows[1].finding == ""


def test_layer_without_inputs_has_no_finding():
    class Constant(Module):
        def __init__(self):
            self.gain = Parameter(np.ones(4))

        def forward(self):
            return self.remember(self.gain.data**2)

        def backward(self, dy):
            self.recall(dy)
            self.gain.grad += dy

    assert findings(Constant()) == {"gain": ""}


@pytest.mark.parametrize(("width", "text"), [(4, A_MEAN), (3, "")])
def test_short_rows_have_no_finding_about_their_mean(width, text):
    """In a row of three numbers multiples of two rows fit by chance, in a row of one even one."""
    norm = spoilt(LayerNorm, lambda layer, dx, dy: dx + dy.sum(-1, keepdims=True) ** 2)
    x = np.random.default_rng(3).normal(size=(6, width))
    assert findings(norm(width, dtype="float64"), x)["input 0"] == text


@pytest.mark.parametrize(("width", "text"), [(4, ORDER), (3, "")])
def test_few_entries_are_in_another_order_by_chance(width, text):
    reversed_ = spoilt(Cube, lambda layer, dx, dy: dx[:, ::-1])
    assert findings(reversed_(size=width), x_of(shape=(1, width)))["input 0"] == text


def test_zeros_are_not_said_to_be_something_else():
    class Reversed(Module):
        """Its output is a view of the input, and its Jacobian has a diagonal of zeros."""

        def forward(self, x):
            return self.remember(x[..., ::-1])

        def backward(self, dy):
            self.recall(dy)
            return 0 * dy

    assert findings(Reversed(), X) == {"input 0": "is 0 everywhere"}
