"""Gradient checkpointing: the results are those without it, bit for bit, in less memory."""

import copy
import pickle

import numpy as np
import pytest

from npformer.layers import Dropout
from npformer.models import (
    Classifier,
    ClassifierConfig,
    EncoderLayer,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from npformer.models.gradient_checkpointing import Checkpointed

SIZES = {"d_model": 8, "d_ff": 12, "n_heads": 2, "dropout": 0.3, "attention_dropout": 0.2}
IDS = np.array([[2, 8, 9, 4, 4, 5, 6], [2, 8, 5, 0, 0, 0, 0], [2, 3, 4, 5, 6, 7, 0]])
MODELS = {
    "Transformer": (
        Transformer,
        TransformerConfig,
        {"src_vocab_size": 11, "tgt_vocab_size": 11},
        (IDS[:, ::-1], IDS),
    ),
    "LanguageModel": (LanguageModel, LanguageModelConfig, {"vocab_size": 11}, (IDS,)),
    "Classifier": (Classifier, ClassifierConfig, {"vocab_size": 11, "n_classes": 3}, (IDS,)),
}
CASES = [
    ("Transformer", {}),
    ("Transformer", {"norm": "pre", "attention": "flash"}),
    ("LanguageModel", {"neighbors": 2}),
    ("Classifier", {}),
    ("Classifier", {"encoder": "lstm"}),
]
each_case = pytest.mark.parametrize(("name", "settings"), CASES, ids=str)


def build(name, n_layers=2, **settings):
    model, config, sizes, ids = MODELS[name]
    counts = {
        f"n_{stack}_layers": n_layers
        for stack in ("encoder", "decoder")
        if hasattr(config, f"n_{stack}_layers")
    }
    return model(config(**{**SIZES, **sizes, **counts, **settings}), rng=5), ids


def step(model, ids):
    """Run forward and backward; return the bits of logits, gradients and generators."""
    logits = model.forward(*ids)
    model.backward(np.random.default_rng(1).normal(size=logits.shape).astype("float32"))
    states = [str(rng.bit_generator.state) for rng in model.generators()]
    return logits.tobytes(), [p.grad.tobytes() for p in model.parameters()], states


def cached_bytes(model):
    arrays = {}
    for _, module in model.named_modules():
        for value in module._cache[1] if module._cache else ():
            for array in value if isinstance(value, tuple) else (value,):
                if isinstance(array, np.ndarray):
                    arrays[id(array)] = array.nbytes
    return sum(arrays.values())


@each_case
def test_checkpointing_changes_no_result(name, settings):
    (plain, ids), (checkpointed, _) = (
        build(name, **settings, gradient_checkpointing=on) for on in (False, True)
    )
    for _ in range(2):
        assert step(checkpointed, ids) == step(plain, ids)


def test_checkpointing_with_separate_random_generators():
    (plain, ids), (checkpointed, _) = (
        build("Classifier", gradient_checkpointing=on) for on in (False, True)
    )
    for model in (plain, checkpointed):
        for seed, name in enumerate(("self_attention", "feed_forward")):
            getattr(model.encoder.layers[0], name).dropout.rng = np.random.default_rng(seed)
        logits = model.forward(*ids)
        for rng in model.generators():
            rng.random(3)
        model.backward(logits)
    assert [p.grad.tobytes() for p in plain.parameters()] == [
        p.grad.tobytes() for p in checkpointed.parameters()
    ]
    for one, other in zip(plain.generators(), checkpointed.generators(), strict=True):
        assert one.bit_generator.state == other.bit_generator.state


def test_checkpointed_layer_keeps_parameter_names():
    (plain, _), (checkpointed, _) = (
        build("Transformer", gradient_checkpointing=on) for on in (False, True)
    )
    assert list(checkpointed.state_dict()) == list(plain.state_dict())
    layer = checkpointed.encoder.layers[0]
    assert isinstance(layer, Checkpointed) and layer.self_attention is layer.layer.self_attention
    assert [p for _, p in layer.named_parameters()] == layer.layer.parameters()


def test_forward_caches_only_the_inputs():
    (plain, ids), (checkpointed, _) = (
        build("Transformer", 6, gradient_checkpointing=on) for on in (False, True)
    )
    for model in (plain, checkpointed):
        model.forward(*ids)
    assert 0 < cached_bytes(checkpointed) < cached_bytes(plain) / 3
    layer = Checkpointed(EncoderLayer(ClassifierConfig(**SIZES, vocab_size=5, n_classes=2), rng=0))
    x = np.ones((2, 5, 8), "float32")
    layer.backward(layer.forward(x))
    assert cached_bytes(layer) == 0
    layer.eval().forward(x)
    assert cached_bytes(layer) == 0
    with pytest.raises(RuntimeError, match="no cached forward"):
        layer.backward(x)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_checkpointed_layer_can_be_copied_and_pickled(copied):
    layer = Checkpointed(Dropout(0.5, rng=4))
    x = np.ones(6)
    np.testing.assert_array_equal(copied(layer).forward(x), layer.forward(x))
