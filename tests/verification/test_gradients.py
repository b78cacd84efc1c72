"""Every backward against numeric derivatives of its forward: relative error 1e-7 at most, in
float64.
"""

import numpy as np
import pytest

from npformer import layers
from npformer.layers import Linear
from npformer.testing.cases import CASES, LAYER_CASES, MODEL_CASES, GradientCase, check

BY_NAME = {case.name: case for case in CASES}
EVERY_DAY = "Transformer as in the paper"
# every entry is checked of their parts, or of the plain attention that tests compare them with
OF_CHECKED_PARTS = {
    "BidirectionalLSTM",
    "BidirectionalLSTM, masked",
    "CrossAttention",
    "FlashAttention",
    "FlashAttention, causal, with dropout",
    "GroupedQueryAttention",
    "GroupedQueryAttention, sizes of heads",
    "LocalAttention",
    "LocalAttention, causal, dropout",
    "MultiHeadAttention without bias",
    "PostNorm around CrossAttention",
    "RotaryAttention of groups, flash",
    "SelfAttention",
    "SelfAttention, causal",
    "SelfAttention, flash",
    "SelfAttention, local",
}
MODELS = [
    pytest.param(case.name, marks=pytest.mark.long if case.name != EVERY_DAY else ())
    if case.name.startswith("Transformer")
    else case.name
    for case in MODEL_CASES
]


def check_gradients(name, entries=None):
    check(BY_NAME[name], entries=entries).require_ok()


@pytest.mark.parametrize("name", [case.name for case in LAYER_CASES])
def test_layer(name):
    check_gradients(name, entries=8 if name in OF_CHECKED_PARTS else None)


@pytest.mark.parametrize("name", MODELS)
def test_model(name):
    # one entry of each array finds every planted bug in the wiring
    check_gradients(name, entries=None if "Loss" in name else 1)


def test_every_layer_has_a_case():
    covered = {type(case.build(np.random.default_rng(0))[0]).__name__ for case in LAYER_CASES}
    classes = {name for name in layers.__all__ if isinstance(getattr(layers, name), type)}
    assert covered == classes - {"LabelSmoothingLoss"}  # which has cases of its own


def test_layer_has_biases_if_the_name_of_its_case_says_so():
    for case in LAYER_CASES:
        if " bias" in case.name:
            layer, _ = case.build(np.random.default_rng(0))
            has_bias = any(name.endswith("bias") for name, _ in layer.named_parameters())
            assert has_bias == ("with bias" in case.name), case.name


def test_names_are_unique():
    assert len(BY_NAME) == len(CASES)


def test_other_seed_gives_other_weights():
    (first, _), (second, _) = (
        BY_NAME["Linear"].build(np.random.default_rng(seed)) for seed in (0, 1)
    )
    assert not np.isclose(first.weight.data, second.weight.data).any()


def test_report_has_name_of_its_case():
    case = GradientCase(
        "a small one",
        lambda rng, dtype: (Linear(2, 3, rng=rng, dtype=dtype), (rng.normal(size=2),)),
    )
    report = check(case, seed=3, tolerance=1e-6)
    assert str(report).startswith("a small one\n") and report.ok and report.tolerance == 1e-6


def test_entries_limits_number_of_checked_entries():
    calls = []

    class Counted(Linear):
        def forward(self, x):
            calls.append(x)
            return super().forward(x)

    case = GradientCase(
        "counted", lambda rng, dtype: (Counted(5, 7, rng=rng, dtype=dtype), (rng.normal(size=5),))
    )
    assert check(case, entries=1).ok
    few = len(calls)
    assert check(case).ok and len(calls) - few > 5 * few
