"""The setting `init` reaches every matrix of every model, with the variance that it says."""

import math

import numpy as np
import pytest

from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)

D, H, D_K, D_V = 64, 4, 8, 24
SIZES = {"d_model": D, "n_heads": H, "d_k": D_K, "d_v": D_V, "d_ff": 96, "dtype": "float64"}


def models(init):
    """All that a config can build: post- and pre-norm, and the classifier's output."""
    sizes = {**SIZES, "init": init}
    both = dict(
        src_vocab_size=99, tgt_vocab_size=99, n_encoder_layers=1, n_decoder_layers=1, norm="pre"
    )
    yield Transformer(TransformerConfig(**sizes, **both), rng=0)
    yield LanguageModel(LanguageModelConfig(**sizes, vocab_size=99, n_decoder_layers=1), rng=1)
    yield Classifier(
        ClassifierConfig(**sizes, vocab_size=99, n_classes=12, n_encoder_layers=1), rng=2
    )


def matrices(init):
    """Yield the name and the numbers of each matrix; tables of tokens and positions are left out."""
    for model in models(init):
        for name, parameter in model.named_parameters():
            if name.endswith("weight"):
                yield f"{type(model).__name__}.{name}", parameter.data


def variance(name, weights, init):
    """Return Glorot's variance, half of it for W^Q, W^K, W^V, or that of one head with
    "per_head".
    """
    d_head = {"w_query": D_K, "w_key": D_K, "w_value": D_V}.get(name.split(".")[-2])
    if d_head is None:
        return 2 / sum(weights.shape)
    return 2 / (D + d_head) if init == "per_head" else 1 / (D + H * d_head)


@pytest.mark.parametrize("init", ["glorot", "glorot_normal", "per_head"])
def test_every_matrix_has_the_variance_of_its_init(init):
    found = dict(matrices(init))
    for kind in ("w_query", "w_output", "linear_1", "linear_2", "Classifier.output"):
        assert any(kind in name for name in found), kind
    for name, weights in found.items():
        expected = variance(name, weights, init)
        assert weights.var() == pytest.approx(expected, rel=0.15), name
        assert abs(weights.mean()) < 5 * math.sqrt(expected / weights.size), name
        beyond = (
            np.abs(weights) > math.sqrt(3 * expected)
        ).mean()  # where a uniform distribution ends
        assert beyond == pytest.approx(0.0 if init == "glorot" else 0.0833, abs=0.03), name


@pytest.mark.parametrize("init", ["glorot_normal", "per_head"])
def test_init_changes_no_embeddings_biases_or_gains(init):
    for model, usual in zip(models(init), models("glorot"), strict=True):
        start = usual.state_dict()
        rest = [
            name
            for name, array in start.items()
            if array.ndim == 1 or name.endswith("embedding.table")
        ]
        assert len(rest) > 5
        assert all((model.state_dict()[name] == start[name]).all() for name in rest)


def test_default_init_is_unchanged():
    """Tables first, then layer after layer W^Q, W^K, W^V, W^O, W_1, W_2, and a generator's own
    table last.
    """
    rng, drawn = np.random.default_rng(5), []

    def uniform(d_in, d_out, gain=1.0):
        limit = gain * math.sqrt(6 / (d_in + d_out))
        drawn.append(rng.uniform(-limit, limit, (d_in, d_out)))

    drawn.append(rng.normal(0, 8**-0.5, (7, 8)))
    for _ in range(2):
        for width in (6, 6, 10):
            uniform(8, width, math.sqrt(0.5))
        uniform(10, 8), uniform(8, 12), uniform(12, 8)
    drawn.append(rng.normal(0, 8**-0.5, (7, 8)))
    sizes = dict(
        d_model=8, n_heads=2, d_k=3, d_v=5, d_ff=12, dtype="float64", tie_embeddings="none"
    )
    model = LanguageModel(LanguageModelConfig(**sizes, vocab_size=7, n_decoder_layers=2), rng=5)
    came = [p.data for p in model.parameters() if p.data.ndim == 2]
    assert [array.tolist() for array in came] == [array.tolist() for array in drawn]
