"""Every backward against numeric derivatives of its forward: relative error 1e-7 at most, in
float64.
"""

import numpy as np
import pytest

from npformer import layers
from npformer.layers import Linear
from npformer.models.gradient_checkpointing import Checkpointed
from npformer.testing import cases
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


KINDS = {
    "checkpoint": Checkpointed,
    "convolutional": layers.Convolution,
    "first-token": layers.FirstTokenPooling,
    "flash": layers.FlashAttention,
    "learned": layers.LearnedPositionalEncoding,
    "local": layers.LocalAttention,
    "LSTM": layers.LSTM,
    "max pooling": layers.MaxPooling,
    "mean pooling": layers.MeanPooling,
    "post-norm": layers.PostNorm,
    "pre-norm": layers.PreNorm,
    "SiLU": layers.SiLU,
    "with GELU": layers.GELU,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_has_what_its_name_says(case):
    layer, _ = case.build(np.random.default_rng(0))
    modules = layer.modules()
    for word, kind in KINDS.items():
        if word in case.name:
            assert any(isinstance(module, kind) for module in modules), word
    if case.name == "Convolution, causal":
        assert layer.before == layer.offsets[-1]
    elif "causal" in case.name:
        assert any(getattr(module, "causal", False) for module in modules)
    rates = {module.p for module in modules if isinstance(module, layers.Dropout)}
    if rates and ("dropout" in case.name or case in MODEL_CASES):
        assert rates == {0 if "no dropout" in case.name else 0.25}
    # what a gain of 1 or a bias of 0 would hide is seen
    assert not any(np.isin(p.data, (0, 1)).any() for p in layer.parameters())


def test_exchanged_axes_would_show():
    names = "BATCH D_FF D_K D_MODEL D_V MAX_LEN N_CLASSES N_HEADS S SRC_VOCAB T VOCAB".split()
    assert len({getattr(cases, name) for name in names}) == len(names)


def test_inputs_have_repeated_tokens_padding_and_hidden_positions():
    inputs = {}
    for name in ("Embedding", "Softmax, masked", "MeanPooling"):
        _, inputs[name] = BY_NAME[name].build(np.random.default_rng(0))
    [ids], [_, mask], [_, real] = inputs.values()
    lengths = [[7], [5], [2]]
    assert ((ids != cases.PAD_ID) == (np.arange(7) < lengths)).all()
    assert (ids[:, 0] == ids[:, 1]).all()
    assert not mask[:, 0, 0].any() and not mask[0, 1].any() and 0.5 < mask.mean() < 0.7
    assert real.sum(1)[[0, 2]].tolist() == [7, 0]
    assert real[1, [0, 1, 3, 4, 6]].tolist() == [False, True, False, True, False]


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


def test_report_has_name_and_seed_of_its_case():
    drawn = []

    def make(rng, dtype):
        drawn.append(rng.random())
        return Linear(2, 3, rng=rng, dtype=dtype), (rng.normal(size=2),)

    case = GradientCase("a small one", make)
    report = check(case, seed=3, tolerance=1e-6)
    assert str(report).startswith("a small one\n") and report.ok and report.tolerance == 1e-6
    assert check(case, seed=3).rows == report.rows
    check(case)
    assert drawn == [np.random.default_rng(seed).random() for seed in (3, 3, 0)]


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
