"""Layers that recompute: bit for bit what they are without it, but for what stays in memory between the two ways."""

import copy
import pickle
from contextlib import nullcontext
from itertools import islice

import numpy as np
import pytest
from npformer.models.recompute import Recomputed, recomputed

import npformer as npf
from npformer.layers import Dropout, LayerNorm, Linear
from npformer.models import (
    Classifier,
    ClassifierConfig,
    DecoderLayer,
    EncoderLayer,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from npformer.testing.cases.inputs import holey_mask
from npformer.training import load_checkpoint, save_checkpoint
from npformer.visualization.hooks import wrapped

SIZES = {"d_model": 8, "d_ff": 12, "n_heads": 2, "dropout": 0.3, "attention_dropout": 0.2}
SRC = np.array([[4, 5, 6, 7, 8, 9, 4], [9, 8, 7, 6, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0]])
TGT = np.array([[2, 8, 9, 4, 4], [2, 8, 5, 0, 0], [2, 3, 0, 0, 0]])
KINDS = {
    "Transformer": (Transformer, TransformerConfig, {"src_vocab_size": 11, "tgt_vocab_size": 11}, (SRC, TGT)),
    "LanguageModel": (LanguageModel, LanguageModelConfig, {"vocab_size": 11}, (SRC,)),
    "Classifier": (Classifier, ClassifierConfig, {"vocab_size": 11, "n_classes": 3}, (SRC,)),
}
MODELS = [
    ("Transformer", {}),
    ("Transformer", {"neighbours": 3, "activation": "gelu", "dtype": "float64"}),
    ("LanguageModel", {}),
    ("Classifier", {}),
    ("Classifier", {"reader": "lstm"}),
    ("Classifier", {"reader": "convolution"}),
]
each_model = pytest.mark.parametrize(("name", "settings"), MODELS, ids=str)
each_norm = pytest.mark.parametrize("norm", ["post", "pre"])


def build(name, *, layers=2, rng=0, **settings):
    """Return a model, and what its forward takes."""
    kind, config, vocabularies, ids = KINDS[name]
    numbers = {"n_encoder_layers": layers, "n_decoder_layers": layers}
    numbers.pop({"LanguageModel": "n_encoder_layers", "Classifier": "n_decoder_layers"}.get(name), None)
    return kind(config(**{**SIZES, **vocabularies, **numbers, **settings}), rng=rng), ids


def both(name, **settings):
    """Return the model that remembers, the model that recomputes, and what their forward takes."""
    plain, ids = build(name, **settings)
    return plain, build(name, recompute=True, **settings)[0], ids


def upstream(y):
    return np.random.default_rng(1).normal(size=y.shape).astype(y.dtype)


def gradients(model):
    return [p.grad.tobytes() for p in model.parameters()]


def states(model):
    return [str(rng.bit_generator.state) for rng in model.generators()]


def layers_of(model):
    return [
        layer for column in ("encoder", "decoder") if hasattr(model, column) for layer in vars(model)[column].layers
    ]


def remembered(model):
    """Return how many bytes of arrays lie in the memories of all layers, each array once."""
    found = {}

    def look(thing):
        if isinstance(thing, np.ndarray):
            while isinstance(thing.base, np.ndarray):
                thing = thing.base
            found[id(thing)] = thing.nbytes
        elif isinstance(thing, (tuple, list, dict)):
            for part in thing.values() if isinstance(thing, dict) else thing:
                look(part)

    for _, module in model.named_modules():
        look(module._memory)
    return sum(found.values())


@each_norm
@each_model
def test_logits_gradients_and_random_states_are_those_without_it_time_after_time(name, settings, norm):
    plain, frugal, ids = both(name, norm=norm, **settings)
    for _ in range(3):
        y, again = plain.forward(*ids), frugal.forward(*ids)
        assert again.tobytes() == y.tobytes() and states(frugal) == states(plain)
        plain.backward(upstream(y)), frugal.backward(upstream(y))
        assert gradients(frugal) == gradients(plain) and states(frugal) == states(plain)
        assert any(p.grad.any() for p in frugal.parameters())


@each_norm
@pytest.mark.parametrize("kind", [EncoderLayer, DecoderLayer])
def test_gradients_of_inputs_are_those_without_it(kind, norm):
    rng = np.random.default_rng(3)
    x, memory = (rng.normal(size=(3, length, 8)).astype("float32") for length in (5, 7))
    inputs = (x, memory) if kind is DecoderLayer else (x,)
    masks = {"mask": holey_mask(rng, 3, 5, 5)}
    masks |= {"memory_mask": holey_mask(rng, 3, 5, 7)} if kind is DecoderLayer else {}
    config = TransformerConfig(**SIZES, src_vocab_size=5, tgt_vocab_size=5, norm=norm)
    found = []
    for one in (kind, recomputed(kind)):
        layer = one(config, rng=0)
        y = layer.forward(*inputs, **masks)
        returned = layer.backward(upstream(y))
        arrays = [y, *(returned if isinstance(returned, tuple) else (returned,))]
        assert len(arrays) == 1 + len(inputs)
        found.append(([array.tobytes() for array in arrays], gradients(layer)))
    assert found[0] == found[1]


def test_without_cross_attention_dmemory_stays_0():
    layer = recomputed(DecoderLayer)(LanguageModelConfig(**SIZES, vocab_size=5), rng=0, reads_memory=False)
    y = layer.forward(np.ones((2, 3, 8), "float32"), None, np.tri(3, dtype=bool))
    assert layer.backward(y)[1] == 0


@pytest.mark.parametrize("how", [{}, {"workers": 2}, {"workers": 3, "accumulate": 2}], ids=str)
def test_updates_and_a_resume_are_those_without_it(make_trainer, tmp_path, how):
    plain = make_trainer(n_decoder_layers=2, **how)
    expected = list(plain.updates(2))
    frugal = make_trainer(n_decoder_layers=2, recompute=True, **how)
    records = list(islice(frugal.updates(2), len(expected) // 2))
    save_checkpoint(tmp_path / "checkpoint.safetensors", frugal)
    taken_up = make_trainer(n_decoder_layers=2, recompute=True, seed=99, **how)
    load_checkpoint(tmp_path / "checkpoint.safetensors", taken_up)
    assert records + list(taken_up.updates(2)) == expected
    assert taken_up.optimizer.flat.data.tobytes() == plain.optimizer.flat.data.tobytes()
    assert [str(rng.bit_generator.state) for rng in taken_up.generators()] == [
        str(rng.bit_generator.state) for rng in plain.generators()
    ]
    for objective in taken_up.replicas.objectives:
        assert all(isinstance(layer, Recomputed) for layer in layers_of(objective.model))


@pytest.mark.parametrize("bits", [np.random.SFC64, np.random.MT19937, np.random.Philox, np.random.PCG64DXSM])
def test_every_kind_of_generator_is_put_back(bits):
    (plain, _), (frugal, ids) = (
        build("Transformer", recompute=on, rng=np.random.Generator(bits(5))) for on in (False, True)
    )
    for model in (plain, frugal):
        model.backward(model.forward(*ids))
    assert gradients(frugal) == gradients(plain) and states(frugal) == states(plain)


def test_what_others_draw_between_forward_and_backward_stays_drawn():
    plain, frugal, ids = both("Transformer")
    numbers = []
    for model in (plain, frugal):
        y = model.forward(*ids)
        [rng] = model.generators()
        rng.random(3)
        model.backward(y)
        numbers.append(rng.random())
    assert numbers[0] == numbers[1] and gradients(frugal) == gradients(plain)


def test_layers_with_generators_of_their_own_each_get_their_own_back():
    plain, frugal, ids = both("Classifier")
    for model in (plain, frugal):
        for seed, (_, module) in enumerate(model.named_modules()):
            if isinstance(module, Dropout):
                module.rng = np.random.default_rng(seed)
        model.backward(model.forward(*ids))
    assert len(states(frugal)) > 5
    assert gradients(frugal) == gradients(plain) and states(frugal) == states(plain)


def test_names_are_those_without_it():
    plain, frugal, _ = both("Transformer")
    assert repr(frugal) == repr(plain)
    assert list(frugal.state_dict()) == list(plain.state_dict())
    assert [name for name, _ in frugal.named_modules()] == [name for name, _ in plain.named_modules()]
    assert frugal.state_dict().keys() >= {"encoder.layers.0.self_attention.sublayer.w_query.weight"}
    assert isinstance(frugal.decoder.layers[1], DecoderLayer) and type(frugal.decoder.layers[1]) is not DecoderLayer
    frugal.load_state_dict(plain.state_dict())


def test_of_a_forward_a_layer_keeps_its_inputs_alone():
    x = np.ones((2, 5, 8), "float32")
    layer = recomputed(EncoderLayer)(ClassifierConfig(**SIZES, vocab_size=5, n_classes=2), rng=0)
    y = layer.forward(x)
    assert remembered(layer) == x.nbytes
    layer.backward(y)
    assert remembered(layer) == 0


def memory_of_a_step(**settings):
    """Return the most bytes remembered at any time: when forward is done, or when a layer is about to go back."""
    model, ids = build("Transformer", layers=6, **settings)
    most = []

    def note(plain, dy):
        most.append(remembered(model))
        return plain(dy)

    norms = [module for _, module in model.named_modules() if isinstance(module, LayerNorm)]
    logits = model.forward(*ids)
    most.append(remembered(model))
    with wrapped([(norm, "backward", note) for norm in norms]):
        model.backward(logits)
    return max(most)


@each_norm
def test_a_model_of_six_and_six_layers_remembers_less_than_half_even_while_it_goes_back(norm):
    assert 0 < memory_of_a_step(norm=norm, recompute=True) < memory_of_a_step(norm=norm) / 2


@pytest.mark.parametrize("traced", [(True, False), (False, True)], ids=["forward", "backward"])
def test_a_trace_of_one_way_alone_changes_no_gradient_where_attention_goes_by_blocks(traced):
    plain, frugal, ids = both("LanguageModel", attention="blockwise", dtype="float64")
    for model in (plain, frugal):
        with npf.trace(model) if traced[0] else nullcontext():
            y = model.forward(*ids)
        with npf.trace(model) if traced[1] else nullcontext():
            model.backward(upstream(y))
    assert gradients(frugal) == gradients(plain)


@each_model
def test_a_model_comes_back_out_of_a_pickle(name, settings):
    model, ids = build(name, recompute=True, **settings)
    same = pickle.loads(pickle.dumps(model))
    for one in (model, same):
        one.backward(upstream(one.forward(*ids)))
    assert gradients(same) == gradients(model) and states(same) == states(model)
    assert remembered(same) == 0 and all(isinstance(layer, Recomputed) for layer in layers_of(same))


def test_evaluating_in_between_changes_nothing():
    plain, frugal, ids = both("Transformer")
    for model in (plain, frugal):
        y = model.forward(*ids)
        with model.evaluating():
            model.forward(*ids)
        with model.switched(drop_out=True, remember=False):
            model.forward(*ids)
        model.backward(y)
    assert gradients(frugal) == gradients(plain) and states(frugal) == states(plain)


def test_in_eval_mode_nothing_is_kept():
    plain, frugal, ids = both("Transformer")
    y = frugal.eval().forward(*ids)
    assert y.tobytes() == plain.eval().forward(*ids).tobytes() and remembered(frugal) == 0
    with pytest.raises(RuntimeError, match=r"EncoderLayer\(\).backward has nothing .* remembering off \(eval mode\)"):
        frugal.encoder.layers[0].backward(np.zeros((3, 7, 8), "float32"))


def test_the_second_forward_has_the_switches_of_the_first_though_they_are_others_by_then():
    """A gradient without dropout, and one with a single dropout at rest: backward comes after the with block."""
    for switched in ("", "encoder.layers.1.self_attention.dropout"):
        plain, frugal, ids = both("Transformer")
        for model in (plain, frugal):
            with dict(model.named_modules())[switched].switched(drop_out=False, remember=True):
                y = model.forward(*ids)
            before = {name: module.now for name, module in model.named_modules()}
            model.backward(upstream(y))
            assert before == {name: module.now for name, module in model.named_modules()}
        assert gradients(frugal) == gradients(plain) and states(frugal) == states(plain)


def test_a_second_forward_that_fails_leaves_generators_and_switches_as_they_were(monkeypatch):
    _, frugal, ids = both("Transformer")
    y = frugal.forward(*ids)
    before = states(frugal), [module.now for _, module in frugal.named_modules()]

    def fail(self, x):
        raise MemoryError

    monkeypatch.setattr(Linear, "forward", fail)
    with pytest.raises(MemoryError):
        frugal.backward(y)
    assert (states(frugal), [module.now for _, module in frugal.named_modules()]) == before


def test_a_copy_made_between_forward_and_backward_goes_back_too():
    _, frugal, ids = both("Transformer")
    y = frugal.forward(*ids)
    twin = copy.deepcopy(frugal)
    for model in (frugal, twin):
        model.backward(y)
    assert gradients(twin) == gradients(frugal) and states(twin) == states(frugal)


def test_a_trace_shows_every_layer_once_and_what_it_shows_without():
    plain, frugal, ids = both("Transformer")
    found = []
    for model in (plain, frugal):
        with npf.trace(model, depth=None) as t:
            model.backward(model.forward(*ids))
        shown = {(name, what): np.asarray(a).tobytes() for name in t for what, a in t[name].arrays.items()}
        found.append((str(t), list(t), [t[name].calls for name in t], shown))
    assert found[0] == found[1] and set(found[0][2]) == {1}
    assert ("decoder.layers.1", "dmemory") in found[1][3]
