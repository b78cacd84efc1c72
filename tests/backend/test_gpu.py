"""NumPy and CuPy side by side, on a machine with a GPU: pytest -m gpu."""

import numpy as np
import pytest
from backend_cases import LAYERS, SRC, TGT_IN, VARIANTS, build_model, compare, run_layer, train, train_classifier

from npformer.backend import DROP_LEVELS, dropout_mask, scatter_add, to_device, to_host

pytestmark = pytest.mark.gpu
PRECISIONS = [("float64", 1e-10), ("float32", 1e-4)]


def on_both(library, run):
    """Run with NumPy and with CuPy."""
    results = []
    for name in ("numpy", "cupy"):
        library(name)
        results.append(run())
    return results


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@pytest.mark.parametrize("name", LAYERS)
def test_layers(gpu, name, dtype, tolerance):
    compare(*on_both(gpu, lambda: run_layer(name, dtype)), tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_training(gpu, variant, dtype, tolerance):
    compare(*on_both(gpu, lambda: train(build_model(variant, dtype), steps=5)), tolerance)


@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
def test_training_a_classifier(gpu, pooling):
    compare(*on_both(gpu, lambda: train_classifier(pooling, "float64")), 1e-10)


def test_training_with_dropout(gpu):
    gpu("cupy")
    found = train(build_model(VARIANTS[0], "float32", dropout=0.3), steps=5)
    assert np.isfinite(found["losses"]).all()


def test_training_with_dropout_and_layers_that_recompute(gpu):
    gpu("cupy")
    plain, frugal = (
        build_model(VARIANTS[0], "float64", dropout=0.3, gradient_checkpointing=on) for on in (False, True)
    )
    compare(train(plain, steps=5), train(frugal, steps=5), 1e-10)


def test_eval_mode(gpu):
    def run():
        return {"logits": to_host(build_model(VARIANTS[0], "float64", dropout=0.3).eval().forward(SRC, TGT_IN))}

    compare(*on_both(gpu, run), 1e-10)


@pytest.mark.parametrize("p", [1 / DROP_LEVELS, 0.1, 0.5, 0.9])
def test_share_of_dropout(gpu, p):
    gpu("cupy")
    mask = to_host(dropout_mask(np.random.default_rng(0), (1000, 1000), p))
    assert mask.dtype == bool and mask.shape == (1000, 1000)
    assert abs(mask.mean() - (1 - round(p * DROP_LEVELS) / DROP_LEVELS)) < 5 * np.sqrt(p * (1 - p) / mask.size)
    assert abs((mask[:-1] & mask[1:]).mean() - (1 - p) ** 2) < 0.01  # neighbors do not depend on each other


def test_dropout_masks_depend_on_the_hosts_generator_alone(gpu):
    gpu("cupy")
    masks = [to_host(dropout_mask(np.random.default_rng(seed), (50, 40), 0.25)) for seed in (3, 3, 4)]
    assert (masks[0] == masks[1]).all() and (masks[0] != masks[2]).any()


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_add_at_with_many_equal_ids(gpu, dtype, tolerance):
    rng = np.random.default_rng(0)
    ids, rows = rng.integers(0, 5, 1000), rng.normal(size=(1000, 8)).astype(dtype)

    def run():
        table = to_device(np.ones((7, 8), dtype))
        scatter_add(table, to_device(ids), to_device(rows))
        return {"table": to_host(table)}

    compare(*on_both(gpu, run), tolerance)
