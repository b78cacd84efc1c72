"""What every module offers: calls, the modules inside, the number of parameters, and its
documentation.
"""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest

from npformer import InputError, Module, layers
from npformer.models import Classifier, LanguageModel, Transformer, TransformerConfig
from npformer.utils.wrap_methods import wrap_methods


@dataclass
class OwnConfig:
    d: int


def test_call_equals_forward():
    layer, x = layers.Linear(3, 5, rng=0), np.ones((2, 3), "float32")
    assert np.array_equal(layer(x), layer.forward(x))


def test_modules_are_recursive_and_children_are_direct():
    layer = layers.FeedForward(2, 3)
    assert [type(module).__name__ for module in layer.modules()] == [
        "FeedForward",
        "Linear",
        "ReLU",
        "Linear",
    ]
    names = ["part", "part.linear_1", "part.activation", "part.linear_2"]
    assert [name for name, _ in layer.named_modules("part.")] == names
    chain = layers.PostNorm(layer, 2)
    assert chain.children() == [chain.sublayer, chain.dropout, chain.norm]
    assert len(chain.modules()) == 7


def test_n_parameters_counts_shared_table_once(make_model):
    tied, untied = make_model(tie_embeddings="all"), make_model(tie_embeddings="none")
    table = tied.config.src_vocab_size * tied.config.d_model
    assert untied.n_parameters - tied.n_parameters == 2 * table
    assert tied.n_parameters == sum(array.size for array in tied.state_dict().values())


@pytest.mark.parametrize("name", ["forward", "backward"])
def test_every_layer_documents_its_methods(name):
    public = [getattr(layers, layer) for layer in layers.__all__]
    classes = [layer for layer in public if isinstance(layer, type)]
    assert all(inspect.getdoc(getattr(layer, name)) for layer in classes)
    with pytest.raises(NotImplementedError, match=f"Module has no {name}"):
        getattr(Module(), name)(0)


@pytest.mark.parametrize("model", [Transformer, Classifier, LanguageModel])
def test_model_requires_its_own_config_class(model):
    wrong = [None, {"d_model": 4}, TransformerConfig(src_vocab_size=9, tgt_vocab_size=9)]
    for config in wrong[: 2 if model is Transformer else 3]:
        with pytest.raises(
            InputError,
            match=f"config is a {type(config).__name__}: expected a {model.__name__}Config",
        ):
            model(config)


class Nested(Module):
    """Layers in a dictionary, and in a list of lists."""

    def __init__(self):
        self.parts = {"first": layers.Linear(4, 4, rng=0), "last": (layers.Dropout(0.5, rng=1),)}
        self.blocks = [[layers.Linear(4, 4, bias=False, rng=2)]]


def test_layers_in_nested_containers_are_part_of_the_model():
    model = Nested()
    names = ["parts.first.weight", "parts.first.bias", "blocks.0.0.weight"]
    assert [name for name, _ in model.named_parameters()] == names
    assert list(model.state_dict()) == names and model.n_parameters == 36
    assert not model.eval().parts["last"][0].training
    assert len(model.generators()) == 1
    model.blocks[0][0].weight.grad += 1
    model.zero_grad()
    assert not model.blocks[0][0].weight.grad.any()


def test_layer_that_knows_its_parent_is_found_once():
    model = layers.PostNorm(layers.FeedForward(2, 3, rng=0), 2)
    model.sublayer.parent = model
    assert len(model.modules()) == 7 and len(model.parameters()) == 6
    assert "sublayer: FeedForward(2, 3)" in repr(model)


def test_a_module_can_be_a_dataclass():
    @dataclass
    class Doubled(Module):
        inner: Module

        def forward(self, x):
            return self.remember(2 * self.inner.forward(x))

    doubled = Doubled(layers.ReLU())
    with doubled.evaluating():
        assert not doubled.training and not doubled.inner.training
        assert doubled(np.ones(2)).tolist() == [2, 2]
    assert doubled.training and doubled.inner.training


def test_what_is_cached_is_no_part_of_a_layer():
    layer = layers.ReLU()
    layer.remember(np.ones(2), layers.Linear(2, 3), np.random.default_rng(0))
    assert layer.children() == layer.parameters() == layer.generators() == []


def test_array_in_the_place_of_a_parameter_is_refused():
    layer = layers.Linear(3, 2, rng=0)
    weight = layer.weight
    with pytest.raises(InputError, match=r"Linear\.weight is a Parameter, got a ndarray"):
        layer.weight = np.zeros((3, 2), "float32")
    assert layer.weight is weight
    layer.weight.data = np.zeros((3, 2), "float32")
    assert layer.weight is weight and not weight.data.any()


def test_call_passes_keywords_on():
    attention = layers.SelfAttention(4, 2, rng=0)
    x = np.random.default_rng(0).normal(size=(1, 3, 4)).astype("float32")
    mask = layers.causal_mask(3)
    assert np.array_equal(attention(x, mask=mask), attention.forward(x, mask))


def test_causal_self_attention_sees_no_later_position():
    attention = layers.SelfAttention(8, 2, causal=True, rng=0)
    x = np.random.default_rng(0).normal(size=(1, 5, 8)).astype("float32")
    y = attention(x)
    x[0, 3] += 1
    assert (attention(x)[0, :3] == y[0, :3]).all() and (attention(x)[0, 3:] != y[0, 3:]).any()
    with pytest.raises(InputError, match="causal=True, but the attention is not causal"):
        layers.SelfAttention(8, 2, causal=True, attention=layers.ScaledDotProductAttention())


def test_unknown_keyword_names_the_class_that_was_called():
    with pytest.raises(TypeError, match=r"MultiHeadAttention.*'heads'"):
        layers.MultiHeadAttention(8, 2, heads=3)
    with pytest.raises(TypeError, match=r"Transformer\.tiny\(\) has no setting 'layers'"):
        Transformer.tiny(9, 9, layers=3)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_astype_is_a_copy_that_computes_in_the_other_type(positions):
    model = Transformer.tiny(9, 8, positions=positions, dropout=0.0, rng=0)
    src, tgt = np.array([[4, 5, 3]]), np.array([[2, 6]])
    model.backward(model(src, tgt))
    model(src, tgt)
    wide = model.astype("float64")
    for p, wide_p in zip(model.parameters(), wide.parameters(), strict=True):
        np.testing.assert_array_equal(wide_p.grad, p.grad)
    with pytest.raises(RuntimeError, match="no cached forward"):
        wide.backward(np.ones((1, 2, 8)))
    logits = wide(src, tgt)
    assert logits.dtype == "float64" and wide.config.dtype == "float64"
    assert all(p.data.dtype == p.grad.dtype == "float64" for p in wide.parameters())
    np.testing.assert_allclose(logits, model(src, tgt), rtol=1e-4, atol=1e-5)
    assert model.parameters()[0].data.dtype == "float32" and model.config.dtype == "float32"
    assert len(wide.parameters()) == len(model.parameters())  # shared tables stay shared
    with pytest.raises(InputError, match="dtype = 'float16': expected 'float32' or 'float64'"):
        model.astype("float16")


@pytest.mark.parametrize("preset", ["tiny", "base", "big"])
def test_presets_share_the_targets_table_with_the_generator(preset, monkeypatch):
    monkeypatch.setattr(
        Transformer, "__init__", lambda self, config, rng: vars(self).update(c=config, rng=rng)
    )
    model = getattr(Transformer, preset)(20, 30, rng=5)
    assert model.rng == 5
    config = model.c
    assert (config.src_vocab_size, config.tgt_vocab_size, config.tie_embeddings) == (
        20,
        30,
        "target",
    )
    assert config == getattr(TransformerConfig, preset)(
        src_vocab_size=20, tgt_vocab_size=30, tie_embeddings="target"
    )


@pytest.mark.parametrize("config", [{"d": 4}, OwnConfig(4)])
def test_astype_leaves_a_config_of_ones_own(config):
    class Own(Module):
        def __init__(self):
            self.config = config
            self.linear = layers.Linear(4, 4, rng=0)

    copy = Own().astype("float64")
    assert copy.linear.weight.data.dtype == "float64" and copy.config == config


def test_grouped_queries_draw_each_matrix_once():
    class Counting(np.random.Generator):
        n = 0

        def uniform(self, *arguments):
            Counting.n += 1
            return super().uniform(*arguments)

    layers.GroupedQueryAttention(8, 4, 2, rng=Counting(np.random.PCG64(0)))
    assert Counting.n == 4


@pytest.mark.parametrize("training", [True, False])
def test_mode_is_restored_after_an_error_in_evaluation(training):
    model = layers.FeedForward(2, 3).train(training)
    with pytest.raises(KeyError), model.evaluating():
        assert not any(module.training for module in model.modules())
        raise KeyError
    assert all(module.training is training for module in model.modules())


def test_wrapped_method_comes_back_after_nested_blocks():
    relu = layers.ReLU()

    def wrapped(*numbers):
        notes = [lambda forward, x, number=number: forward(x) + number for number in numbers]
        return wrap_methods([(relu, "forward", note) for note in notes])

    with wrapped(10):
        with wrapped(100, 1000):
            assert relu.forward(np.ones(1)) == 1111
        assert relu.forward(np.ones(1)) == 11
    assert "forward" not in vars(relu)


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex64"])
def test_weights_that_are_not_floats_are_refused(dtype):
    layer = layers.Linear(3, 2, rng=0)
    before = layer.state_dict()
    with pytest.raises(InputError, match="such as bias: got shape None, expected"):
        layer.load_state_dict({**before, "bias": np.ones(2, dtype)})
    assert all((layer.state_dict()[name] == before[name]).all() for name in before)
