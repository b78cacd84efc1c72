"""Leading axes are free: (D,), (A, D), (A, B, D) and (A, B, C, D) give what the flattened (N, D)
gives.
"""

import numpy as np
import pytest

from npformer.layers import Dropout
from npformer.testing import is_float
from npformer.testing.cases import LAYER_CASES

BY_NAME = {case.name: case for case in LAYER_CASES}
SHAPES = ((), (2,), (2, 3), (2, 3, 4))
POSITION_WISE = [
    "Linear",
    "Linear without bias",
    "ReLU",
    "GELU",
    "SiLU",
    "Softmax",
    "Dropout",
    "LayerNorm",
    "Embedding",
    "Generator",
    "Generator with bias",
    "FeedForward",
    "FeedForward with GELU",
    "PostNorm",
    "PreNorm",
]


def build(name):
    """Return the layer of a case, its dropout switched off, and the first of its inputs."""
    layer, inputs = BY_NAME[name].build(np.random.default_rng(0))
    for _, module in layer.named_modules():
        if isinstance(module, Dropout):
            module.p = 0
    return layer, inputs[0]


def outputs_and_gradients(name, arrays, dy):
    """Return the output, the gradients of the arrays, and those of the parameters."""
    layer, _ = build(name)
    y = layer.forward(*arrays)
    gradients = layer.backward(dy.reshape(y.shape))
    return (
        y,
        gradients if isinstance(gradients, tuple) else (gradients,),
        [p.grad for p in layer.parameters()],
    )


@pytest.mark.parametrize("leading", SHAPES)
@pytest.mark.parametrize("name", POSITION_WISE)
def test_position_wise_layers(name, leading):
    rng = np.random.default_rng(1)
    layer, example = build(name)
    ids = not is_float(example)
    x = rng.integers(1, 9, leading) if ids else rng.normal(size=(*leading, example.shape[-1]))
    flat = x.reshape(-1) if ids else x.reshape(-1, x.shape[-1])
    dy = rng.normal(size=layer.forward(flat).shape)
    y, (dx,), parameter_gradients = outputs_and_gradients(name, (x,), dy)
    flat_y, (flat_dx,), flat_parameter_gradients = outputs_and_gradients(name, (flat,), dy)

    assert y.shape == (*leading, flat_y.shape[-1])
    np.testing.assert_allclose(y, flat_y.reshape(y.shape), rtol=1e-12)
    if ids:
        assert dx is None
    else:
        assert dx.shape == x.shape
        np.testing.assert_allclose(dx, flat_dx.reshape(x.shape), rtol=1e-12, atol=1e-14)
    for gradient, flat_gradient in zip(parameter_gradients, flat_parameter_gradients, strict=True):
        np.testing.assert_allclose(gradient, flat_gradient, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("leading", SHAPES)
@pytest.mark.parametrize("name", ["SinusoidalPositionalEncoding", "LearnedPositionalEncoding"])
def test_positional_encodings(name, leading):
    rng = np.random.default_rng(1)
    x, dy = rng.normal(size=(2, *leading, 7, 6))
    y, (dx,), parameter_gradients = outputs_and_gradients(name, (x,), dy)
    table_gradient = 0
    for index in np.ndindex(leading):
        one_y, (one_dx,), one_parameter_gradients = outputs_and_gradients(
            name, (x[index],), dy[index]
        )
        np.testing.assert_array_equal(y[index], one_y)
        np.testing.assert_array_equal(dx[index], one_dx)
        table_gradient = table_gradient + sum(one_parameter_gradients)
    np.testing.assert_allclose(sum(parameter_gradients), table_gradient, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("leading", SHAPES)
def test_scaled_dot_product_attention(leading):
    rng = np.random.default_rng(1)
    shapes = (7, 5), (8, 5), (8, 4)
    inputs = [rng.normal(size=(*leading, *shape)) for shape in shapes]
    mask = rng.random((*leading, 7, 8)) > 0.3
    dy = rng.normal(size=(*leading, 7, 4))
    y, gradients, _ = outputs_and_gradients("ScaledDotProductAttention", (*inputs, mask), dy)
    for index in np.ndindex(leading):
        ones = [x[index] for x in inputs]
        one_y, one_gradients, _ = outputs_and_gradients(
            "ScaledDotProductAttention", (*ones, mask[index]), dy[index]
        )
        np.testing.assert_allclose(y[index], one_y, rtol=1e-12)
        for gradient, one_gradient in zip(gradients, one_gradients, strict=True):
            np.testing.assert_allclose(gradient[index], one_gradient, rtol=1e-12, atol=1e-14)
