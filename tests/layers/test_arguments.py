"""The arguments of every layer: wrong sizes are refused, and each other argument has its effect.

The layers are found by the names and annotations of their arguments, so a new layer is tested too.
"""

import inspect

import numpy as np
import pytest

from npformer import InputError, layers

SIZE = 16  # d_model, n_heads, max_len and all other sizes
LAYERS = [name for name in layers.__all__ if isinstance(getattr(layers, name), type)]


def arguments_of(name):
    return inspect.signature(getattr(layers, name)).parameters


def sizes_of(name):
    """Return the names of the arguments that are sizes; some may also be None."""
    found = []
    for argument in arguments_of(name).values():
        if argument.annotation in (int, int | None) and argument.name != "pad_id":
            found.append(argument.name)
    return found


def each_layer_with(argument, *, without=None):
    names = [name for name in LAYERS if argument in arguments_of(name) and name != without]
    return pytest.mark.parametrize("name", names)


def build(name, **arguments):
    sizes = dict.fromkeys(sizes_of(name), SIZE)
    if "sublayer" in arguments_of(name):
        arguments["sublayer"] = layers.ReLU()
    return getattr(layers, name)(**{**sizes, **arguments})


def inside(layer, attribute):
    """Return an attribute of each module in a layer that has it."""
    modules = [module for _, module in layer.named_modules()]
    return [getattr(module, attribute) for module in modules if hasattr(module, attribute)]


# -- sizes --

SIZES = [(name, size) for name in LAYERS for size in sizes_of(name)]
# they are refused by the Linear inside, with its names
NAMES_OF_LINEAR = {"d_model": "d_in", "d_ff": "d_out"}


@pytest.mark.parametrize("wrong", [0, -SIZE, 2.5, True])
@pytest.mark.parametrize(("name", "size"), SIZES)
def test_wrong_size_is_refused_by_its_name(name, size, wrong):
    refused = size
    if name in ("FeedForward", "SwiGLU"):
        refused = NAMES_OF_LINEAR[size]
    with pytest.raises(InputError, match=f"^{refused} = {wrong}: expected an integer >= 1$"):
        build(name, **{size: wrong})


def test_sizes_are_found():
    assert ("Linear", "d_in") in SIZES
    assert ("LocalAttention", "block_size") in SIZES  # int | None
    assert len(SIZES) > 50


# -- other arguments --


@each_layer_with("dropout")
def test_dropout_has_the_given_probability(name):
    probabilities = [dropout.p for dropout in inside(build(name, dropout=0.25), "dropout")]
    assert set(probabilities) == {0.25}


@each_layer_with("dropout")
def test_dropout_draws_from_the_given_generator(name):
    rng = np.random.default_rng(0)
    generators = build(name, dropout=0.25, rng=rng).generators()
    assert len(generators) == 1 and generators[0] is rng


@each_layer_with("eps")
def test_eps_is_the_given_one(name):
    assert set(inside(build(name, eps=0.25), "eps")) == {0.25}


@each_layer_with("causal", without="Convolution")  # which has no attention
@pytest.mark.parametrize("causal", [False, True])
def test_causal_reaches_the_attention(name, causal):
    assert set(inside(build(name, causal=causal), "causal")) == {causal}


@each_layer_with("bias")
@pytest.mark.parametrize("bias", [False, True])
def test_every_matrix_has_a_bias_or_none_has(name, bias):
    biases = inside(build(name, bias=bias), "bias")
    assert biases
    assert all((array is not None) == bias for array in biases)


@each_layer_with("init")
def test_every_matrix_is_initialized_as_given(name):
    uniform = build(name, init="glorot", rng=0)
    normal = build(name, init="glorot_normal", rng=0)
    for one, other in zip(uniform.parameters(), normal.parameters(), strict=True):
        if one.data.ndim == 2:
            # a uniform distribution ends where a normal one of its variance still has values
            end = np.abs(one.data).max()
            assert (np.abs(other.data) > end).mean() == pytest.approx(0.083, abs=0.06)


@each_layer_with("dtype")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_array_has_the_given_dtype(name, dtype):
    layer = build(name, dtype=dtype)
    arrays = [parameter.data for parameter in layer.parameters()]
    # the tables of positions are no Parameters, because nothing in them is learned
    for attribute in ("table", "sin", "cos"):
        arrays += [x for x in inside(layer, attribute) if isinstance(x, np.ndarray)]
    assert {array.dtype for array in arrays} == {np.dtype(dtype)}


def test_defaults_of_all_layers():
    found = {}
    for name in LAYERS:
        for argument in arguments_of(name).values():
            if argument.default is not argument.empty:
                found.setdefault(argument.name, set()).add(argument.default)
    assert found == {
        "activation": {"relu"},
        "attention": {None},
        "base": {10000.0},
        "bias": {True, False},  # Generator and SwiGLU have none, as in the paper and in Llama
        "block_size": {128, None},
        "causal": {False},
        "d_k": {None},
        "d_v": {None},
        "dilation": {1},
        "dropout": {0.0, 0.1},  # of attention weights, and of a sub-layer
        "dtype": {"float32"},
        "eps": {1e-6, 0.1},  # of norms, and of label smoothing
        "gain": {1.0},
        "init": {"glorot"},
        "interleaved": {True},
        "max_len": {512},
        "norm": {None},
        "pad_id": {0},
        "pairs": {"neighbors"},
        "rng": {None},
        "scale": {None},
        "table": {None},
        "width": {3},
    }
