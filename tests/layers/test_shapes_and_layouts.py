"""Neither leading axes nor the layout of arrays in memory change what a layer computes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npformer.layers import Dropout
from npformer.testing import is_float
from npformer.testing.cases import LAYER_CASES
from tests.layers.drawn_arrays import TOLERANCES, dtypes, in_layout, layouts, leading_axes, seeds
from tests.property_test import property_test

# OpenBLAS for AVX-512 raises this flag now and then for narrow matrices, without a cause
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in matmul")

BY_NAME = {case.name: case for case in LAYER_CASES}
POSITION_WISE = [
    "Linear",
    "Linear without bias",
    "ReLU",
    "GELU",
    "GELUTanh",
    "SiLU",
    "Softmax",
    "LayerNorm",
    "RMSNorm",
    "SwiGLU",
    "SwiGLU with bias",
    "Embedding",
    "Generator",
    "Generator with bias",
    "FeedForward",
    "FeedForward with GELU",
    "FeedForward without bias",
    "PostNorm",
    "PreNorm",
]
# of a sequence, whose leading axes are free
SEQUENCE_WISE = [
    "SinusoidalPositionalEncoding",
    "LearnedPositionalEncoding",
    "RotaryPositionalEncoding",
    "RotaryPositionalEncoding, halves",
    "ScaledDotProductAttention",
]


def build(name, dtype="float64"):
    """Return the layer of a case, its dropout switched off, and its inputs."""
    layer, inputs = BY_NAME[name].build(np.random.default_rng(0), dtype)
    for _, module in layer.named_modules():
        if isinstance(module, Dropout):
            module.p = 0
    return layer, inputs


def results(name, dtype, inputs, dy):
    """Return the output, the gradients of the inputs, and those of the parameters."""
    layer, _ = build(name, dtype)
    y = layer.forward(*inputs)
    gradients = layer.backward(dy.reshape(y.shape))
    if not isinstance(gradients, tuple):
        gradients = (gradients,)
    floats = [dx for dx in gradients if dx is not None]
    return y, floats, [p.grad for p in layer.parameters()]


def assert_close(came, expected, dtype):
    for one, other in zip(came, expected, strict=True):
        assert one.dtype == dtype
        np.testing.assert_allclose(one, other, rtol=0, atol=10 * TOLERANCES[dtype])


@property_test
@given(data=st.data())
def test_layout_of_arrays_does_not_matter(data):
    name, dtype = data.draw(st.sampled_from(sorted(BY_NAME))), data.draw(dtypes)
    layer, inputs = build(name, dtype)
    rng = np.random.default_rng(data.draw(seeds))
    dy = rng.normal(size=layer.forward(*inputs).shape).astype(dtype)
    y, gradients, of_parameters = results(name, dtype, inputs, dy)

    inputs = [in_layout(x, data.draw(layouts)) for x in inputs]
    came = results(name, dtype, inputs, in_layout(dy, data.draw(layouts)))
    assert_close([came[0], *came[1], *came[2]], [y, *gradients, *of_parameters], dtype)


@property_test
@given(data=st.data())
def test_position_wise_layer_equals_itself_on_flat_positions(data):
    name, dtype = data.draw(st.sampled_from(POSITION_WISE)), data.draw(dtypes)
    leading = data.draw(leading_axes)
    rng = np.random.default_rng(data.draw(seeds))
    layer, [example] = build(name, dtype)
    if is_float(example):
        x = rng.normal(size=(*leading, example.shape[-1])).astype(dtype)
        flat = x.reshape(-1, x.shape[-1])
    else:
        x = rng.integers(1, 9, leading)
        flat = x.reshape(-1)
    dy = rng.normal(size=layer.forward(flat).shape).astype(dtype)

    flat_y, flat_gradients, flat_of_parameters = results(name, dtype, [flat], dy)
    y, gradients, of_parameters = results(name, dtype, [x], dy)
    assert y.shape == (*leading, flat_y.shape[-1])
    assert all(dx.shape == x.shape for dx in gradients)
    flattened = [array.reshape(-1, array.shape[-1]) for array in (y, *gradients)]
    assert_close(flattened, [flat_y, *flat_gradients], dtype)
    assert_close(of_parameters, flat_of_parameters, dtype)


@pytest.mark.parametrize("name", SEQUENCE_WISE)
@property_test
@given(leading=leading_axes, dtype=dtypes, seed=seeds)
def test_sequences_do_not_see_each_other(name, leading, dtype, seed):
    rng = np.random.default_rng(seed)
    layer, inputs = build(name, dtype)
    drawn = []
    for x in inputs:
        shape = (*leading, *x.shape[-2:])
        drawn.append(
            rng.normal(size=shape).astype(dtype) if is_float(x) else rng.random(shape) > 0.3
        )
    dy = rng.normal(size=layer.forward(*drawn).shape).astype(dtype)
    y, gradients, of_parameters = results(name, dtype, drawn, dy)

    sums = [np.zeros_like(gradient) for gradient in of_parameters]
    for index in np.ndindex(leading):
        ones = results(name, dtype, [x[index] for x in drawn], dy[index])
        assert_close([y[index], *(dx[index] for dx in gradients)], [ones[0], *ones[1]], dtype)
        for total, one in zip(sums, ones[2], strict=True):
            total += one
    assert_close(of_parameters, sums, dtype)
