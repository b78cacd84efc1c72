"""NumPy and CuPy side by side, on a machine with a GPU: pytest -m gpu."""

import numpy as np
import pytest

from npformer.backend import DROP_LEVELS, dropout_mask, scatter_add, to_device, to_host
from npformer.testing.cases import CASES
from tests.backend.backend_cases import (
    SRC,
    TGT_IN,
    build_transformer,
    compare,
    run_case,
    run_on,
    train,
)

pytestmark = pytest.mark.gpu
BOTH = ("numpy", "cupy")
PRECISIONS = [("float64", 1e-10), ("float32", 1e-4)]


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_gradient_cases(gpu, case, dtype, tolerance):
    compare(*run_on(gpu, BOTH, lambda: run_case(case, dtype)), tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_training(gpu, dtype, tolerance):
    compare(*run_on(gpu, BOTH, lambda: train(build_transformer(dtype=dtype))), tolerance)


def test_training_with_dropout_and_gradient_checkpointing(gpu):
    gpu("cupy")
    plain, frugal = (
        build_transformer(dropout=0.3, gradient_checkpointing=on) for on in (False, True)
    )
    compare(train(plain), train(frugal), 1e-10)


def test_evaluation(gpu):
    def run():
        return {"logits": to_host(build_transformer(dropout=0.3).eval().forward(SRC, TGT_IN))}

    compare(*run_on(gpu, BOTH, run), 1e-10)


@pytest.mark.parametrize("p", [1 / DROP_LEVELS, 0.1, 0.5, 0.9])
def test_dropout_rate(gpu, p):
    gpu("cupy")
    mask = to_host(dropout_mask(np.random.default_rng(0), (1000, 1000), p))
    assert mask.dtype == bool and mask.shape == (1000, 1000)
    assert abs(mask.mean() - (1 - round(p * DROP_LEVELS) / DROP_LEVELS)) < 5 * np.sqrt(
        p * (1 - p) / mask.size
    )
    # entries do not depend on their neighbors
    assert abs((mask[:-1] & mask[1:]).mean() - (1 - p) ** 2) < 0.01


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_scatter_add_with_many_equal_ids(gpu, dtype, tolerance):
    rng = np.random.default_rng(0)
    ids, rows = rng.integers(0, 5, 1000), rng.normal(size=(1000, 8)).astype(dtype)

    def run():
        table = to_device(np.ones((7, 8), dtype))
        scatter_add(table, to_device(ids), to_device(rows))
        return {"table": to_host(table)}

    compare(*run_on(gpu, BOTH, run), tolerance)
