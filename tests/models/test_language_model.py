"""What must hold for a language model, whatever its weights; and reading it a few tokens at a
time.
"""

import numpy as np
import pytest

from npformer import InputError
from npformer.decoding import CachedDecoder
from npformer.models import LanguageModel, LanguageModelConfig
from tests.small_models import disturb

VOCAB, T = 11, 7
SETTINGS = [
    {},
    {"norm": "pre", "positions": "learned", "tie_embeddings": "none"},
    {"d_k": 5, "d_v": 4, "attention_bias": False},
]
each_model = pytest.mark.parametrize("settings", SETTINGS, ids=str)


def build(settings):
    """Return a model with weights of order 1 and ids (3, T) without padding."""
    sizes = dict(d_model=6, d_ff=9, n_heads=2, n_decoder_layers=2, max_len=12, dropout=0.0)
    rng = np.random.default_rng(0)
    model = LanguageModel(
        LanguageModelConfig(vocab_size=VOCAB, dtype="float64", **{**sizes, **settings}), rng=rng
    )
    disturb(model, rng, 0.5)
    return model, rng.integers(1, VOCAB, (3, T))


@each_model
def test_each_token_affects_only_its_own_and_later_logits(settings):
    model, ids = build(settings)
    logits = model.forward(ids)
    for t in range(T):
        changed = ids.copy()
        changed[:, t] = ids[:, t] % (VOCAB - 1) + 1
        moved = np.abs(model.forward(changed) - logits).max((0, 2)) > 1e-9
        assert not moved[:t].any() and moved[t:].all()


@each_model
def test_padding_changes_no_output(settings):
    model, ids = build(settings)
    padded = np.concatenate([ids, np.zeros((3, 4), int)], 1)
    np.testing.assert_allclose(model.forward(padded)[:, :T], model.forward(ids), rtol=0, atol=1e-12)
    ids[:, 2] = 0
    hidden = model.forward(ids)
    if settings.get("tie_embeddings") == "none":
        model.decoder.input_embedding.embedding.table.data[0] += np.arange(6)  # ids at padding
        np.testing.assert_allclose(model.forward(ids)[:, 3:], hidden[:, 3:], rtol=0, atol=1e-12)


def test_tied_model_has_one_embedding_matrix_and_untied_two():
    counts = [
        sum(p.data.size for p in build({"tie_embeddings": tie_embeddings})[0].parameters())
        for tie_embeddings in ("all", "none")
    ]
    assert counts[1] - counts[0] == VOCAB * 6
    model, _ = build({})
    assert model.generator.table is model.decoder.input_embedding.embedding.table


@each_model
@pytest.mark.parametrize("parts", [[7], [1] * 7, [3, 4], [2, 1, 4], [1, 6]], ids=str)
def test_reading_in_chunks_equals_whole_text(settings, parts):
    model, ids = build(settings)
    whole, decoder, done = model.forward(ids), CachedDecoder(model), 0
    for length in parts:
        logits = decoder.read(ids[:, done : done + length])
        done += length
        assert logits.shape == (3, 1, VOCAB)
        np.testing.assert_allclose(logits[:, 0], whole[:, done - 1], rtol=0, atol=1e-12)
    assert decoder.n_steps == T


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (np.ones(3, int), "ids have shape (3,): expected (batch, length)"),
        (np.ones((0, 3), int), "ids have shape (0, 3)"),
        (np.ones((2, 3)), "token ids must be integers"),
        (np.full((1, 3), VOCAB), "expected ids in 0 .. 10"),
        (np.ones((1, 13), int), "more than max_len = 12"),
    ],
)
def test_invalid_ids_are_rejected_in_one_line(ids, expected):
    with pytest.raises(InputError) as caught:
        build({})[0].forward(ids)
    assert expected in str(caught.value) and "\n" not in str(caught.value)
