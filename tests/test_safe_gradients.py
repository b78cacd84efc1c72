"""Uses that would give wrong gradients without a word: each ends in an error, or works."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from npformer import InputError, Module, Transformer, layers
from npformer.tasks import Objective, TranslationBatch
from npformer.testing.cases import CASES

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 4))
BY_NAME = {case.name: case for case in CASES}


@pytest.mark.parametrize(
    "layer",
    [layers.Softmax(), layers.Linear(4, 4), layers.LayerNorm(4), layers.Dropout(0.0)],
    ids=lambda layer: layer.display_name,
)
def test_output_cannot_be_changed_before_backward(layer):
    p = layer.forward(X)
    with pytest.raises(ValueError, match="read-only"):
        p[np.arange(5), 0] -= 1
    with pytest.raises(ValueError, match="read-only"):
        p += X
    # the caller's own array, and all in eval mode, stay as they are
    assert X.flags.writeable
    assert layer.eval().forward(X).flags.writeable


def test_output_of_flash_attention_cannot_be_changed():
    query = X[None]
    attention = layers.FlashAttention()
    y = attention.forward(query, query, query)
    with pytest.raises(ValueError, match="read-only"):
        y += query


@pytest.mark.parametrize("name", ["Linear", "LayerNorm", "Generator", "Softmax", "ReLU", "SiLU"])
@pytest.mark.parametrize("dtype", ["int8", "int64", "bool", "float16", "complex128"])
def test_backward_takes_floats_alone(name, dtype):
    layer, inputs = BY_NAME[name].build(np.random.default_rng(0))
    y = layer.forward(*inputs)
    dy = np.ones(y.shape, dtype)
    with pytest.raises(InputError, match=rf"backward got numbers of type {dtype}: expected an arr"):
        layer.backward(dy)
    assert not any(p.grad.any() for p in layer.parameters())
    layer.backward(dy.real.astype("float64"))


@pytest.mark.parametrize("kind", ["matrix", "MaskedArray"])
@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", ["Linear", "LayerNorm", "GELU", "Softmax", "Dropout"])
def test_matrices_and_masked_arrays_are_refused(name, kind):
    layer, (x, *_) = BY_NAME[name].build(np.random.default_rng(0))
    x = x.reshape(-1, x.shape[-1])
    make = np.matrix if kind == "matrix" else np.ma.masked_array
    with pytest.raises(InputError, match=f"got a {kind}: expected an array of floats"):
        layer.forward(make(x))
    y = layer.forward(x)
    with pytest.raises(InputError, match=f"backward got a {kind}: expected an array of floats"):
        layer.backward(make(y))


def test_half_precision_has_a_softmax_and_nothing_else():
    layer = layers.Softmax()
    y = layer.forward(X.astype("float16"))
    assert y.dtype == "float16"
    with pytest.raises(InputError, match="backward got numbers of type float16"):
        layer.backward(y)
    for layer in (layers.LayerNorm(4), layers.Linear(4, 2, rng=0), layers.ReLU()):
        with pytest.raises(InputError, match="got numbers of type float16"):
            layer.forward(X.astype("float16"))
    loss = layers.LabelSmoothingLoss()
    with pytest.raises(InputError, match="got numbers of type float16"):
        loss.forward(X.astype("float16"), np.ones(5, int))
    with pytest.raises(InputError, match="a Parameter of type float16"):
        layers.LayerNorm(4, dtype="float16")


def test_numpy_numbers_as_settings_keep_float32():
    wide = np.float64(2)
    x = X.astype("float32")
    assert layers.Embedding(5, 4, scale=wide).forward([1]).dtype == "float32"
    assert layers.LayerNorm(4, eps=wide).forward(x).dtype == "float32"
    assert layers.RMSNorm(4, eps=wide).forward(x).dtype == "float32"
    assert layers.Linear(4, 3, gain=wide).forward(x).dtype == "float32"
    loss = layers.LabelSmoothingLoss(eps=np.float64(0.1), pad_id=None)
    loss.forward(x, np.zeros(5, int))
    assert loss.backward().dtype == "float32"


def test_failed_forward_leaves_nothing_for_backward():
    model = Transformer.tiny(9, 9, rng=0)
    good = np.array([[4, 5, 6]])
    bad = np.array([[2, 99, 4]])
    logits = model(good, good)
    with pytest.raises(InputError, match="99"):
        model(good + 1, bad)
    with pytest.raises(RuntimeError, match="no cached forward"):
        model.backward(logits)

    attention = layers.SelfAttention(4, 2, dtype="float64")
    y = attention(X[None])
    with pytest.raises(InputError, match="a mask of shape"):
        attention(2 * X[None], np.ones((3, 3), bool))
    with pytest.raises(RuntimeError, match="no cached forward"):
        attention.backward(y)


def test_interrupted_forward_leaves_nothing_for_backward():
    class Interrupted(Module):
        def __init__(self):
            self.linear = layers.Linear(4, 4, rng=0)

        def forward(self, x):
            self.linear.forward(x)
            raise KeyboardInterrupt

    layer = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        layer(X)
    with pytest.raises(RuntimeError, match="no cached forward"):
        layer.linear.backward(X)


def test_failed_forward_of_an_objective_leaves_nothing():
    objective = Objective(Transformer.tiny(9, 9, rng=0))
    objective.forward(TranslationBatch.of([[4, 5]], [[6]]))
    with pytest.raises(InputError, match="99"):
        objective.forward(TranslationBatch.of([[4, 5]], [[99]]))
    with pytest.raises(RuntimeError, match="no cached forward"):
        objective.backward()


def test_evaluation_between_forward_and_backward_forgets_nothing():
    model = Transformer.tiny(9, 9, rng=0)
    ids = np.array([[4, 5, 6]])
    logits = model(ids, ids)
    with model.evaluating():
        model(ids, ids)
    model.backward(logits)


def test_evaluating_blocks_may_overlap():
    model = Module()
    model.dropout = layers.Dropout(0.5)
    first = model.evaluating()
    second = model.dropout.evaluating()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert model.training and not model.dropout.training
    second.__exit__(None, None, None)
    assert model.dropout.training

    with model.evaluating(), model.evaluating():
        assert not model.dropout.training
    assert model.dropout.training


def test_threads_that_evaluate_one_model_drop_nothing():
    layer = layers.Dropout(0.5)
    x = np.ones(50)

    def evaluate(_):
        with layer.evaluating():
            return bool((layer.forward(x) == 1).all())

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(evaluate, range(400)))
    assert layer.training


def test_layer_may_know_its_parent():
    class Child(Module):
        def __init__(self):
            self.linear = layers.Linear(2, 3, rng=0)

    class Parent(Module):
        def __init__(self):
            self.child = Child()
            self.child.parent = self

    parent = Parent()
    assert [name for name, _ in parent.named_parameters()] == [
        "child.linear.weight",
        "child.linear.bias",
    ]
    assert repr(parent).count("Linear(2, 3)") == 1
    assert parent.eval().child.linear.training is False
