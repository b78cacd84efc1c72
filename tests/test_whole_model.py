"""What must hold for a whole Transformer, whatever its weights: types, padding, causality, eval
mode.
"""

import numpy as np
import pytest

from npformer import Transformer, TransformerConfig
from npformer.tasks import LabelSmoothingLoss
from npformer.testing.cases import CASES
from tests.small_models import disturb

PAD, VOCAB, T, S = 0, 11, 7, 7  # T = S, so that no wrong shape stands in for a wrong wire
SETTINGS = [
    {"norm": "post", "positions": "sinusoidal", "tie_embeddings": "all"},
    {"norm": "pre", "positions": "learned", "tie_embeddings": "target"},
    {"norm": "pre", "positions": "sinusoidal", "tie_embeddings": "none"},
]
each_model = pytest.mark.parametrize("settings", SETTINGS, ids=str)


def build(settings, **more):
    """Return a model with weights of order 1, source ids and target ids, without padding."""
    sizes = dict(d_model=6, d_ff=9, n_heads=2, d_k=5, d_v=4, n_encoder_layers=2, n_decoder_layers=2)
    vocabulary = {"src_vocab_size": VOCAB, "tgt_vocab_size": VOCAB, "pad_id": PAD, "max_len": 12}
    config = TransformerConfig(
        **{**sizes, **vocabulary, "dropout": 0.0, "dtype": "float64", **settings, **more}
    )
    rng = np.random.default_rng(0)
    model = Transformer(config, rng=rng)
    disturb(model, rng, 0.5)
    return model, rng.integers(1, VOCAB, (3, S)), rng.integers(1, VOCAB, (3, T))


def train_once(model, src, tgt_in, tgt_out):
    """Run forward, loss and backward; return the loss."""
    loss = LabelSmoothingLoss(eps=0.1, pad_id=PAD)
    value = loss.forward(model.forward(src, tgt_in), tgt_out)
    model.backward(loss.backward())
    return value


@pytest.mark.parametrize("settings", [*SETTINGS, {"neighbors": 3}], ids=str)
def test_causality(settings):
    model, src, tgt = build(settings)
    logits = model.forward(src, tgt)
    for t in range(T):
        changed = tgt.copy()
        changed[:, t] = tgt[:, t] % (VOCAB - 1) + 1
        moved = np.abs(model.forward(src, changed) - logits).max((0, 2)) > 1e-9
        assert not moved[:t].any() and moved[t:].all()


@each_model
def test_every_source_token_affects_every_logit(settings):
    model, src, tgt = build(settings)
    logits = model.forward(src, tgt)
    for s in range(S):
        changed = src.copy()
        changed[:, s] = src[:, s] % (VOCAB - 1) + 1
        assert (np.abs(model.forward(changed, tgt) - logits).max(2) > 1e-12).all()


@each_model
def test_sentences_of_a_batch_are_independent(settings):
    model, src, tgt = build(settings)
    together = model.forward(src, tgt)
    for i in range(len(src)):
        np.testing.assert_allclose(
            model.forward(src[i : i + 1], tgt[i : i + 1])[0], together[i], rtol=1e-9, atol=1e-11
        )


@each_model
def test_additional_padding_changes_no_output(settings):
    model, src, tgt = build(settings)
    logits = model.forward(src, tgt)
    longer_src, longer_tgt = (
        np.pad(ids, ((0, 0), (0, 3)), constant_values=PAD) for ids in (src, tgt)
    )
    np.testing.assert_allclose(
        model.forward(longer_src, longer_tgt)[:, :T], logits, rtol=1e-9, atol=1e-11
    )


@each_model
def test_embedding_of_padding_changes_no_output(settings):
    model, src, tgt = build({**settings, "tie_embeddings": "none"})
    src[1:, 4:] = PAD
    logits = model.forward(src, tgt)
    # a constant would vanish in a LayerNorm
    model.encoder.input_embedding.embedding.table.data[PAD] = np.arange(6) ** 2
    np.testing.assert_allclose(model.forward(src, tgt), logits, rtol=1e-9, atol=1e-11)


@each_model
def test_padding_has_no_gradient(settings):
    model, src, tgt = build({**settings, "tie_embeddings": "none"})
    src[1:, 4:] = PAD
    tgt_in, tgt_out = tgt[:, :-1].copy(), tgt[:, 1:].copy()
    tgt_in[2, 3:] = PAD
    tgt_out[2, 3:] = PAD
    train_once(model, src, tgt_in, tgt_out)
    for column in (model.encoder, model.decoder):
        gradient = np.abs(column.input_embedding.embedding.table.grad).max(1)
        assert gradient[PAD] < 1e-12 < gradient.max()


@each_model
def test_source_of_only_padding_stays_finite(settings):
    model, src, tgt = build(settings, dropout=0.25, attention_dropout=0.25)
    src[1] = PAD
    assert np.isfinite(train_once(model, src, tgt[:, :-1], tgt[:, 1:]))
    assert all(np.isfinite(p.grad).all() for p in model.parameters())


@each_model
def test_eval_mode_equals_model_without_dropout(settings):
    model, src, tgt = build(settings, dropout=0.25, attention_dropout=0.25)
    without_dropout, _, _ = build(settings)
    expected = without_dropout.forward(src, tgt)
    np.testing.assert_array_equal(model.eval().forward(src, tgt), expected)
    assert np.abs(model.train().forward(src, tgt) - expected).max() > 1e-3


@each_model
def test_float32_throughout(settings):
    model, src, tgt = build(settings, dropout=0.25, attention_dropout=0.25, dtype="float32")
    src[1:, 4:] = PAD
    logits = model.forward(src, tgt)
    assert logits.dtype == model.encode(src)[0].dtype == np.float32
    loss = LabelSmoothingLoss(eps=0.1, pad_id=PAD)
    loss.forward(logits, tgt)
    dlogits = loss.backward(0.5)
    assert dlogits.dtype == np.float32
    model.forward(src, tgt)
    dy = model.generator.backward(dlogits)
    _, dmemory = model.decoder.backward(dy)
    assert dy.dtype == dmemory.dtype == np.float32
    model.encoder.backward(dmemory)
    assert all(p.data.dtype == p.grad.dtype == np.float32 for p in model.parameters())


@each_model
def test_float32_agrees_with_float64(settings):
    gradients = {}
    for dtype in ("float32", "float64"):
        model, src, tgt = build(settings, dtype=dtype)
        train_once(model, src, tgt[:, :-1], tgt[:, 1:])
        gradients[dtype] = np.concatenate([p.grad.ravel() for p in model.parameters()])
    error = np.abs(gradients["float32"] - gradients["float64"]).max()
    assert error < 1e-4 * np.abs(gradients["float64"]).max()


@pytest.mark.parametrize(("tie_embeddings", "n_tables"), [("all", 1), ("target", 2), ("none", 3)])
def test_tied_tables_are_one_parameter(tie_embeddings, n_tables):
    model, _, _ = build({"tie_embeddings": tie_embeddings})
    tables = [
        model.encoder.input_embedding.embedding.table,
        model.decoder.input_embedding.embedding.table,
        model.generator.table,
    ]
    assert len({id(table) for table in tables}) == n_tables
    assert sum(name.endswith("table") for name, _ in model.named_parameters()) == n_tables


def test_number_of_parameters_equals_paper():
    attention, feed_forward, norm = 4 * (512 * 512 + 512), 512 * 2048 * 2 + 2048 + 512, 2 * 512
    encoder_layer, decoder_layer = (
        attention + feed_forward + 2 * norm,
        2 * attention + feed_forward + 3 * norm,
    )
    config = TransformerConfig(
        src_vocab_size=7, tgt_vocab_size=7, n_encoder_layers=3, n_decoder_layers=2
    )
    assert Transformer(config).n_parameters == 7 * 512 + 3 * encoder_layer + 2 * decoder_layer


def test_whole_models_are_among_the_gradient_cases():
    models = [
        case.build(np.random.default_rng(0))[0]
        for case in CASES
        if case.name.startswith("Transformer")
    ]
    configs = [getattr(model, "model", model).config for model in models]
    assert {c.tie_embeddings for c in configs} == {"all", "target", "none"}
    assert {(c.norm, c.positions) for c in configs} == {
        ("post", "sinusoidal"),
        ("post", "sinusoidal_concatenated"),
        ("pre", "sinusoidal"),
        ("pre", "learned"),
    }
    assert {c.attention_bias for c in configs} == {c.dropout > 0 for c in configs} == {True, False}
