import numpy as np
import pytest

from npformer import Module
from npformer.layers import PostNorm, PreNorm
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of
from npformer_course.exercises.add_norm.teacher import sublayer_of

FORWARD = course.load("add_norm")
BACKWARD = course.load("add_norm_backward")
EPS = module_of(FORWARD.key).EPS


class ForwardInner(Module):
    """The sub-layer of the exercise that goes forward, with its dropout inside."""

    def __init__(self, w_1, w_2, drop):
        self.sublayer, self.drop = sublayer_of(w_1, w_2), drop

    def forward(self, x):
        return self.drop * self.sublayer(x)


class Inner(Module):
    """The sub-layer of the exercise that goes back, with its dropout inside."""

    def __init__(self, w_1, w_2, drop):
        self.w_1, self.w_2, self.drop = w_1, w_2, drop

    def forward(self, x):
        hidden = np.tanh(x @ self.w_1)
        return self.remember(self.drop * (hidden @ self.w_2), hidden)

    def backward(self, dy):
        (hidden,) = self.recall(dy)
        return (1 - hidden**2) * (self.drop * dy @ self.w_2.T) @ self.w_1.T


def layer_of(kind, inner_kind, inputs):
    """Return npformer's box with the sub-layer, gain and bias of a draw."""
    inner = inner_kind(inputs["w_1"], inputs["w_2"], inputs["drop"])
    layer = kind(inner, len(inputs["gain"]), dropout=0.0, eps=EPS, dtype="float64")
    layer.norm.gain.data[:] = inputs["gain"]
    layer.norm.bias.data[:] = inputs["bias"]
    return layer


def assert_near(found, right):
    for mine, theirs in zip(found, right, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-11)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("kind", "call"), [(PostNorm, "post"), (PreNorm, "pre")])
def test_key_equals_layer(kind, call, seed):
    forward, backward = Case(FORWARD, seed), Case(BACKWARD, seed)
    found = forward.values_of(FORWARD.key, FORWARD.calls)[call]
    for drawn, values in zip(forward.draws, found, strict=True):
        layer = layer_of(kind, ForwardInner, drawn.inputs)
        assert_near(values, [layer.forward(drawn.inputs["x"])])

    found = backward.values_of(BACKWARD.key, BACKWARD.calls)[f"{call}_backward"]
    for drawn, values in zip(backward.draws, found, strict=True):
        layer = layer_of(kind, Inner, drawn.inputs)
        layer.forward(drawn.inputs["x"])
        dx = layer.backward(drawn.inputs["dy"])
        assert_near(values, [dx, layer.norm.gain.grad, layer.norm.bias.grad])
