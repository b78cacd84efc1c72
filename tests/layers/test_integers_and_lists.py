"""Lists, integers, booleans and empty batches at the doors: each works, or is refused in one
line.
"""

import numpy as np
import pytest

from npformer import InputError, TransformerConfig, layers
from npformer.tasks import LabelSmoothingLoss
from npformer.testing import is_float
from npformer.testing.cases import CASES

BY_NAME = {case.name: case for case in CASES}
TAKES_FLOATS = [case.name for case in CASES if is_float(case.build(np.random.default_rng(0))[1][0])]
PARTS = [
    name
    for name in TAKES_FLOATS
    if not name.startswith(("Scaled", "Local", "Multi", "Self", "Cross", "Encoder", "Decoder"))
]
every_layer = pytest.mark.parametrize("name", TAKES_FLOATS)


def build(name, dtype="float32"):
    return BY_NAME[name].build(np.random.default_rng(0), dtype)


@every_layer
def test_only_arrays_of_floats_are_accepted(name):
    layer, (x, *rest) = build(name)
    given = {
        f"numbers of type {kind}": x.astype(kind)
        for kind in ("int32", "int64", "bool", "complex64")
    }
    for words, wrong in {**given, "a list": x.tolist(), "a NoneType": None, "a float": 3.0}.items():
        with pytest.raises(
            InputError, match=rf"\(.*\) got {words}: expected an array of floats, such as"
        ) as caught:
            layer.forward(wrong, *rest)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", PARTS)
def test_empty_batch_has_empty_output_and_no_gradient(name):
    layer, (x, *rest) = build(name)
    rest = [array[:0] if hasattr(array, "dtype") else array for array in rest]
    y = layer.forward(x[:0], *rest)
    dy = 1.0 if isinstance(y, float) else y
    dx = layer.backward(dy)
    dx = dx[0] if isinstance(dx, tuple) else dx
    assert dx.shape == (0, *x.shape[1:]) and (y == 0 if isinstance(y, float) else len(y) == 0)
    assert not any(p.grad.any() for p in layer.parameters())


@pytest.mark.parametrize("name", ["Embedding"])
def test_ids_may_be_a_list_or_empty(name):
    embedding = layers.Embedding(9, 4, rng=0)
    ids = [[1, 2], [8, 2]]
    np.testing.assert_array_equal(embedding.forward(ids), embedding.forward(np.array(ids)))
    y = embedding.forward(np.zeros((0, 3), int))
    assert y.shape == (0, 3, 4)
    embedding.backward(y)


def test_loss_targets_may_be_a_list():
    loss, logits = LabelSmoothingLoss(), np.random.default_rng(0).normal(size=(3, 5))
    assert loss.forward(logits, [1, 2, 0]) == loss.forward(logits, np.array([1, 2, 0]))


MAKE = {
    "Linear": lambda **k: layers.Linear(4, 3, **k),
    "LayerNorm": lambda **k: layers.LayerNorm(4, **k),
    "Embedding": lambda **k: layers.Embedding(9, 4, **k),
    "Generator": lambda **k: layers.Generator(9, 4, **k),
    "Generator with bias": lambda **k: layers.Generator(
        9, 4, bias=True, table=layers.Embedding(9, 4).table, **k
    ),
    "SinusoidalPositionalEncoding": lambda **k: layers.SinusoidalPositionalEncoding(4, **k),
    "LearnedPositionalEncoding": lambda **k: layers.LearnedPositionalEncoding(4, **k),
    "MultiHeadAttention": lambda **k: layers.MultiHeadAttention(4, 2, **k),
    "SelfAttention": lambda **k: layers.SelfAttention(4, 2, **k),
    "CrossAttention": lambda **k: layers.CrossAttention(4, 2, **k),
    "FeedForward": lambda **k: layers.FeedForward(4, 8, **k),
    "LSTM": lambda **k: layers.LSTM(4, 3, **k),
    "BidirectionalLSTM": lambda **k: layers.BidirectionalLSTM(4, 3, **k),
    "Convolution": lambda **k: layers.Convolution(4, 3, **k),
    "PostNorm": lambda **k: layers.PostNorm(layers.ReLU(), 4, **k),
    "PreNorm": lambda **k: layers.PreNorm(layers.ReLU(), 4, **k),
}


@pytest.mark.parametrize("name", MAKE)
def test_layer_with_non_float_dtype_is_rejected(name):
    for dtype in ("int32", "bool", "complex64", int, np.uint8, "S3"):
        with pytest.raises(InputError, match=r"expected .*float32") as caught:
            MAKE[name](dtype=dtype)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "float16", None, np.dtype("int8")])
def test_config_with_non_float_dtype_is_rejected(dtype):
    with pytest.raises(InputError, match=r"dtype = .*: expected one of float32, float64"):
        TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, dtype=dtype)
