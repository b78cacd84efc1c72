"""What models of others have and the paper's has not: positions in halves, norms, a bias, and
another start token.
"""

import math

import numpy as np
import pytest

from npformer import InputError, TransformerConfig
from npformer.layers import SinusoidalPositionalEncoding
from npformer.layers.masks import target_padding_mask
from npformer.models import ClassifierConfig, LanguageModelConfig

SRC, TGT = np.random.default_rng(1).integers(4, 12, (2, 3, 5))


def names(model):
    return {name for name, _ in model.named_parameters()}


def test_sinusoids_in_halves_equal_marian():
    table = SinusoidalPositionalEncoding(6, max_len=9, interleaved=False, dtype="float64").table
    for position in range(9):
        angles = [position / 10000 ** (2 * i / 6) for i in range(3)]
        np.testing.assert_allclose(
            table[position], [*map(math.sin, angles), *map(math.cos, angles)], atol=1e-15
        )


@pytest.mark.parametrize("column", ["encoder", "decoder"])
def test_positions_in_halves_are_used_in_both_stacks(make_model, column):
    model = make_model(positions="sinusoidal_concatenated", dtype="float64", dropout=0.0)
    tokens, halves = (
        getattr(model, column).input_embedding,
        SinusoidalPositionalEncoding(16, interleaved=False, dtype="float64").table,
    )
    words = tokens.embedding.table.data[TGT] * 4
    np.testing.assert_allclose(tokens.forward(TGT, start=3), words + halves[3:8], rtol=1e-12)


@pytest.mark.parametrize("column", ["encoder", "decoder"])
def test_embedding_norm_follows_positions_and_dropout(make_model, column):
    model = make_model(embedding_norm=True, layer_norm_eps=0.25, dropout=0.5, dtype="float64")
    tokens = getattr(model, column).input_embedding
    tokens.norm.gain.data[...], tokens.norm.bias.data[...] = np.random.default_rng(2).normal(
        size=(2, 16)
    )
    state = tokens.dropout.rng.bit_generator.state
    y = tokens.forward(TGT)
    tokens.dropout.rng.bit_generator.state = state
    x = tokens.embedding.forward(TGT) + tokens.positions.table[:5]
    x = tokens.dropout.forward(x)
    assert (x == 0).any()
    xhat = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 0.25)
    np.testing.assert_allclose(y, xhat * tokens.norm.gain.data + tokens.norm.bias.data, rtol=1e-10)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize(
    ("final_norm", "there"), [(None, {"pre"}), (True, {"pre", "post"}), (False, set())]
)
def test_final_norm_exists_if_requested_or_pre_norm(make_model, norm, final_norm, there):
    settings = {} if final_norm is None else {"final_norm": final_norm}
    model = make_model(norm=norm, layer_norm_eps=0.25, **settings)
    ends = {
        f"{column}.norm.{part}" for column in ("encoder", "decoder") for part in ("gain", "bias")
    }
    assert names(model) & ends == (ends if norm in there else set())
    assert all(column.norm.eps == 0.25 for column in (model.encoder, model.decoder) if column.norm)


@pytest.mark.parametrize("tie_embeddings", ["all", "target", "none"])
def test_generator_bias_is_added_to_logits(make_model, tie_embeddings):
    plain, biased = (
        make_model(tie_embeddings=tie_embeddings, generator_bias=bias, dropout=0.0, dtype="float64")
        for bias in (False, True)
    )
    assert names(biased) - names(plain) == {"generator.bias"} and names(plain) < names(biased)
    before = plain.forward(SRC, TGT)
    # it starts at zero, and draws nothing
    np.testing.assert_array_equal(biased.forward(SRC, TGT), before)
    biased.generator.bias.data[...] = bias = np.random.default_rng(2).normal(size=12)
    np.testing.assert_allclose(biased.forward(SRC, TGT), before + bias, rtol=1e-10)


@pytest.mark.parametrize("kind", [LanguageModelConfig, ClassifierConfig])
def test_models_without_target_have_no_start_token(kind):
    assert "start_id" not in kind.__dataclass_fields__
    with pytest.raises(TypeError, match="start_id"):
        kind(start_id=2, vocab_size=9, **({"n_classes": 2} if kind is ClassifierConfig else {}))


def test_start_id_must_be_in_target_vocabulary():
    sizes = {"src_vocab_size": 20, "tgt_vocab_size": 9, "tie_embeddings": "target"}
    assert [TransformerConfig.tiny(**sizes, start_id=i).start_id for i in (0, 3, 8)] == [0, 3, 8]
    with pytest.raises(InputError, match="start_id = 9: expected an id of the target vocabulary"):
        TransformerConfig.tiny(**sizes, start_id=9)
    with pytest.raises(InputError, match="start_id = -1: expected an integer >= 0"):
        TransformerConfig.tiny(**sizes, start_id=-1)


@pytest.mark.parametrize("pad_id", [0, 5])
def test_target_mask_shows_padding_only_as_start_token(pad_id):
    ids = np.array([[pad_id, 7, pad_id, 8], [pad_id, 7, 8, pad_id]])
    real = np.array([[True, True, False, True], [True, True, True, False]])[:, None]
    np.testing.assert_array_equal(target_padding_mask(ids, pad_id, start_id=pad_id), real)
    real[..., 0] = False
    np.testing.assert_array_equal(target_padding_mask(ids, pad_id, start_id=2), real)


def test_start_token_equal_to_padding_is_attended(make_model):
    model = make_model(start_id=0, dtype="float64").eval()
    tgt = np.array([[0, 5, 8]])
    logits = model.forward(SRC[:1], tgt)
    padded = model.forward(SRC[:1], np.array([[0, 5, 8, 0, 0]]))
    np.testing.assert_allclose(padded[:, :3], logits, rtol=1e-12, atol=1e-12)
    assert not np.allclose(make_model(dtype="float64").eval().forward(SRC[:1], tgt), logits)
