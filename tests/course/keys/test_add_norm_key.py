import numpy as np
import pytest

from npformer import Module
from npformer.layers import PostNorm, PreNorm
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of

EXERCISE = course.load("add_norm")
KEY = module_of(EXERCISE.key)


class Inner(Module):
    """The exercise's sub-layer, with its dropout inside."""

    def __init__(self, w_1, w_2, drop):
        self.w_1, self.w_2, self.drop = w_1, w_2, drop

    def forward(self, x):
        hidden = np.tanh(x @ self.w_1)
        return self.remember(self.drop * (hidden @ self.w_2), hidden)

    def backward(self, dy):
        (hidden,) = self.recall(dy)
        return (1 - hidden**2) * (self.drop * dy @ self.w_2.T) @ self.w_1.T


@pytest.mark.parametrize("kind", [PostNorm, PreNorm])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("index", range(3))
def test_key_equals_layer(kind, seed, index):
    inputs = Case(EXERCISE, seed).draws[index].inputs
    inner = Inner(*(inputs[name] for name in ("w_1", "w_2", "drop")))
    layer = kind(inner, len(inputs["gain"]), dropout=0.0, eps=KEY.EPS, dtype="float64")
    layer.norm.gain.data[:], layer.norm.bias.data[:] = inputs["gain"], inputs["bias"]
    right = [
        layer.forward(inputs["x"]),
        layer.backward(inputs["dy"]),
        layer.norm.gain.grad,
        layer.norm.bias.grad,
    ]

    name = {PostNorm: "post", PreNorm: "pre"}[kind]
    answers = Case(EXERCISE, seed).values_of(EXERCISE.key, EXERCISE.calls)
    found = [*answers[name][index], *answers[f"{name}_backward"][index]]
    for mine, theirs in zip(found, right, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-11)
