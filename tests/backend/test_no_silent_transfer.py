"""npformer runs on a library that refuses silent conversion, and computes there what it computes with NumPy."""

import numpy as np
import pytest
from backend_cases import (
    LAYERS,
    SRC,
    TGT_IN,
    VARIANTS,
    V,
    build_language_model,
    build_layer,
    build_model,
    compare,
    run_layer,
    train,
    train_classifier,
    train_on_text,
)
from stand_in import DeviceArray

import npformer as npf
from npformer import layers
from npformer.backend import DROP_LEVELS, dropout_mask, to_device, to_host
from npformer.tasks import LabelSmoothingLoss
from npformer.training import Adam, FlatParameters

TOLERANCE = 1e-12


def on_both(library, run):
    """Run with NumPy and with the stand-in."""
    results = []
    for name in ("numpy", "stand-in"):
        library(name)
        results.append(run())
    return results


def test_every_public_layer_has_a_case():
    assert set(LAYERS) == set(layers.__all__)


@pytest.mark.parametrize("name", LAYERS)
def test_layers(library, name):
    compare(*on_both(library, lambda: run_layer(name, "float64")), TOLERANCE)


@pytest.mark.parametrize("name", LAYERS)
def test_layers_stay_in_float32(library, name):
    compare(*on_both(library, lambda: run_layer(name, "float32")), 1e-5)


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_training(library, variant):
    compare(*on_both(library, lambda: train(build_model(variant, "float64"), steps=3)), TOLERANCE)


@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", TOLERANCE), ("float32", 1e-5)])
def test_training_a_classifier(library, pooling, dtype, tolerance):
    compare(*on_both(library, lambda: train_classifier(pooling, dtype)), tolerance)


TEXT_MODELS = [{}, {"norm": "pre", "positions": "learned", "tie": "none"}]


@pytest.mark.parametrize("settings", TEXT_MODELS, ids=str)
def test_training_on_a_text(library, settings):
    compare(*on_both(library, lambda: train_on_text(build_language_model("float64", **settings), 3)), TOLERANCE)


@pytest.mark.parametrize("variant", VARIANTS[::5], ids="-".join)
def test_training_with_dropout(stand_in, variant):
    found = train(build_model(variant, "float32", dropout=0.3), steps=3)
    assert np.isfinite(found["losses"]).all()
    again = train(build_model(variant, "float32", dropout=0.3), steps=3)
    compare(found, again, 0.0)


def test_results_and_gradients_are_on_the_device(stand_in):
    model = build_model(VARIANTS[0], "float32")
    logits = model.forward(SRC, TGT_IN)
    model.backward(logits)
    arrays = [logits, *(p.data for p in model.parameters()), *(p.grad for p in model.parameters())]
    assert all(isinstance(array, DeviceArray) for array in arrays)


def test_eval_mode(library):
    def run():
        return {"logits": to_host(build_model(VARIANTS[0], "float64", dropout=0.3).eval().forward(SRC, TGT_IN))}

    compare(*on_both(library, run), TOLERANCE)


def test_weights_come_and_go_as_host_arrays(library):
    library("numpy")
    weights = build_model(VARIANTS[0], "float64").state_dict()
    library("stand-in")
    model = build_model(VARIANTS[0], "float64")
    model.zero_grad()
    for p in model.parameters():
        p.data.fill(0)
    model.load_state_dict(weights)
    found = model.state_dict()
    assert all(type(array) is np.ndarray for array in found.values())
    compare(weights, found, 0.0)


def test_adams_moments_come_and_go_as_host_arrays(stand_in):
    adam = Adam(FlatParameters(build_model(VARIANTS[0], "float64").parameters()), learning_rate=0.1)
    state = {"m": np.arange(adam.m.size, dtype=float), "v": np.ones(adam.v.size)}
    adam.load_state_dict(state, steps=3)
    compare(state, adam.state_dict(), 0.0)


@pytest.mark.parametrize("name", ["LayerNorm", "Embedding", "CrossAttention"])
def test_gradcheck(stand_in, name):
    rng = np.random.default_rng(1)
    npf.gradcheck(*flat_case(name, rng), rng=rng).require_ok()


def flat_case(name, rng):
    layer, inputs = build_layer(name, "float64", rng)
    return layer, *inputs


def test_dropout_masks_depend_on_the_hosts_generator_alone(stand_in):
    masks = [to_host(dropout_mask(np.random.default_rng(seed), (50, 40), 0.25)) for seed in (3, 3, 4)]
    assert masks[0].dtype == bool and masks[0].shape == (50, 40)
    assert (masks[0] == masks[1]).all() and (masks[0] != masks[2]).any()
    assert abs(masks[0].mean() - 0.75) < 0.05
    assert to_host(dropout_mask(np.random.default_rng(0), (9,), 1 / DROP_LEVELS)).all()


def test_loss_takes_targets_from_host_or_device(stand_in):
    logits, targets = to_device(np.random.default_rng(0).normal(size=(3, V))), np.array([4, 0, 5])
    losses = [LabelSmoothingLoss().forward(logits, ids) for ids in (targets, to_device(targets))]
    assert losses[0] == losses[1] and isinstance(losses[0], float)
