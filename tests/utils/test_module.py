"""What every module offers: calls, the modules inside, the number of parameters, and its documentation."""

import inspect

import numpy as np
import pytest

from npformer import InputError, Module, layers
from npformer.models import Classifier, LanguageModel, Transformer, TransformerConfig


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
    chain = layers.PostNorm(layer, 2)
    assert chain.children() == [chain.sublayer, chain.dropout, chain.norm]
    assert len(chain.modules()) == 7


def test_n_parameters_counts_shared_table_once(make_model):
    tied, untied = make_model(tie="all"), make_model(tie="none")
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
