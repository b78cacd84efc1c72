"""With the cache, every step gives the logits that decoding the whole prefixes gives."""

import numpy as np
import pytest

from npformer import InputError, Transformer, TransformerConfig, trace
from npformer.decoding import CachedDecoder
from npformer.models import LanguageModel, LanguageModelConfig

BOS, STEPS = 2, 9
# the last is all padding
SRC = np.array([[4, 5, 6, 7, 3], [8, 3, 0, 0, 0], [9, 10, 3, 0, 0], [0, 0, 0, 0, 0]])
VARIANTS = [
    {},
    {"norm": "pre"},
    {"positions": "learned", "tie_embeddings": "target"},
    {"norm": "pre", "positions": "learned", "tie_embeddings": "none", "n_decoder_layers": 2},
    {"d_k": 5, "d_v": 3, "n_decoder_layers": 2},
    {"attention_bias": False, "norm": "pre", "d_k": 9},
    {"dropout": 0.5, "attention_dropout": 0.5},
    {"init": "per_head"},
    {"neighbors": 3, "n_decoder_layers": 2},
    dict(start_id=0, activation="silu", positions="sinusoidal_concatenated", generator_bias=True),
    {"start_id": 0, "neighbors": 2, "embedding_norm": True, "norm": "pre", "final_norm": False},
    {"generator_bias": True, "embedding_norm": True, "final_norm": True, "n_decoder_layers": 2},
    {"neighbors": 1, "norm": "pre", "dropout": 0.5, "attention_dropout": 0.5},
]
TOLERANCES = {"float32": 1e-5, "float64": 1e-12}


each_model = pytest.mark.parametrize("settings", VARIANTS, ids=str)
each_dtype = pytest.mark.parametrize(
    "dtype", [pytest.param("float32", marks=pytest.mark.long), "float64"]
)


def build(**settings):
    """Build a model in eval mode whose every bias and gain matters."""
    sizes = dict(d_model=16, d_ff=24, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, max_len=20)
    config = TransformerConfig(**{"src_vocab_size": 12, "tgt_vocab_size": 12, **sizes, **settings})
    model, rng = Transformer(config, rng=7).eval(), np.random.default_rng(8)
    for parameter in model.parameters():
        if parameter.data.ndim == 1:
            parameter.data += 0.3 * rng.normal(size=parameter.data.shape).astype(
                parameter.data.dtype
            )
    return model


def whole(model, src, paths):
    """Return the logits (B, K, V) of the last tokens of hypotheses (B, K, T) by decoding them
    from the start.
    """
    memory = model.encode(src)
    return np.stack([model.decode(paths[:, k], *memory)[:, -1] for k in range(paths.shape[1])], 1)


def assert_agree(logits, expected):
    assert logits.dtype == expected.dtype
    tolerance = TOLERANCES[str(logits.dtype)]
    np.testing.assert_allclose(logits, expected, rtol=tolerance, atol=tolerance)


@each_model
@each_dtype
@pytest.mark.parametrize("src", [SRC, SRC[:1]], ids=["padded", "not padded"])
def test_cached_step_equals_whole_prefix(settings, dtype, src):
    model = build(**settings, dtype=dtype)
    paths = np.random.default_rng(0).integers(1, 12, (len(src), 1, STEPS))
    paths[:, :, 0] = model.config.start_id
    decoder = CachedDecoder(model, src)
    for step in range(STEPS):
        assert_agree(decoder.step(paths[:, :, step]), whole(model, src, paths[:, :, : step + 1]))


@each_model
@each_dtype
def test_cache_follows_hypotheses_and_drops_sentences(settings, dtype):
    model = build(**settings, dtype=dtype)
    rng = np.random.default_rng(1)
    decoder, src = CachedDecoder(model, SRC), SRC
    paths = np.full((len(src), 3, 1), model.config.start_id)
    for step in range(STEPS):
        assert_agree(decoder.step(paths[:, :, -1]), whole(model, src, paths))
        parents = rng.integers(0, 3, (len(src), 3))
        decoder.select_hypotheses(parents)
        newest = rng.integers(1, 12, (len(src), 3, 1))
        paths = np.concatenate([np.take_along_axis(paths, parents[..., None], 1), newest], -1)
        if step in (2, 5):
            rows = np.array([2, 0, 1]) if step == 2 else np.array([1, 2])
            decoder.select_sentences(rows)
            paths, src = paths[rows], src[rows]


@pytest.mark.parametrize("neighbors", [None, 1, 3, 6])
@pytest.mark.parametrize("ends", [(5, 8, 9, 10, 11, 12), (1, 2, 3, 4, 5, 9, 10, 12)], ids=str)
def test_cached_text_in_chunks_equals_whole_text(neighbors, ends):
    sizes = dict(vocab_size=12, d_model=16, d_ff=24, n_heads=2, n_decoder_layers=2, dtype="float64")
    model = LanguageModel(LanguageModelConfig(**sizes, neighbors=neighbors), rng=7).eval()
    ids = np.random.default_rng(5).integers(1, 12, (2, 12))
    assert_chunks_equal_whole(CachedDecoder(model), ids, ends, model.forward(ids))


@pytest.mark.parametrize("settings", [{"positions": "rotary"}, {"n_kv_heads": 1}], ids=str)
def test_cached_steps_of_traced_neighborhood_equal_whole_text(settings):
    sizes = dict(vocab_size=12, d_model=8, d_ff=16, n_heads=2, n_decoder_layers=1, dtype="float64")
    model = LanguageModel(LanguageModelConfig(**sizes, neighbors=2, **settings), rng=7).eval()
    ids = np.random.default_rng(5).integers(1, 12, (1, 6))
    expected = model.forward(ids)
    with trace(model):
        assert_chunks_equal_whole(CachedDecoder(model), ids, (2, 3, 6), expected)


def test_cache_of_language_model_selects_texts():
    config = LanguageModelConfig(
        vocab_size=12, d_model=16, d_ff=24, n_heads=2, n_decoder_layers=2, dtype="float64"
    )
    model = LanguageModel(config, rng=7).eval()
    ids = np.random.default_rng(5).integers(1, 12, (3, 8))
    decoder = CachedDecoder(model)
    decoder.read(ids[:, :3])
    assert_agree(decoder.step(ids[:, 3:4])[:, 0], model.forward(ids[:, :4])[:, -1])

    rows = [2, 0]
    decoder.select_sentences(rows)
    ids = ids[rows]
    assert_agree(decoder.step(ids[:, 4:5])[:, 0], model.forward(ids[:, :5])[:, -1])

    decoder.select_hypotheses(np.array([[0], [0]]))
    assert_agree(decoder.step(ids[:, 5:6])[:, 0], model.forward(ids[:, :6])[:, -1])


@pytest.mark.parametrize("start_id", [0, BOS])
@pytest.mark.parametrize("neighbors", [None, 2])
def test_cached_target_in_chunks_equals_whole_target(start_id, neighbors):
    model = build(start_id=start_id, neighbors=neighbors, n_decoder_layers=2, dtype="float64")
    ids = np.random.default_rng(6).integers(1, 12, (len(SRC), STEPS))
    ids[:, 0] = start_id
    assert_chunks_equal_whole(
        CachedDecoder(model, SRC), ids, (3, 4, STEPS), model.forward(SRC, ids)
    )


def assert_chunks_equal_whole(decoder, ids, ends, expected):
    start = 0
    for end in ends:
        read = decoder.step if end == start + 1 else decoder.read
        assert_agree(read(ids[:, start:end])[:, 0], expected[:, end - 1])
        start = end


def test_target_longer_than_max_len_is_rejected():
    decoder = CachedDecoder(build(max_len=5), SRC)
    for _ in range(5):
        decoder.step(np.full((4, 1), 5))
    with pytest.raises(InputError, match="got 6 positions, more than max_len = 5"):
        decoder.step(np.full((4, 1), 5))


@pytest.mark.parametrize(
    ("src", "expected"),
    [
        (SRC[0], "ids have shape (5,): expected (batch, length)"),
        (SRC[:0], "ids have shape (0, 5): expected (batch, length)"),
        (SRC + 5, "expected ids in 0 .. 11"),
        (SRC.astype(float), "token ids must be integers"),
        (np.full((1, 21), 4), "more than max_len = 20"),
    ],
)
def test_invalid_sources_are_rejected_in_one_line(src, expected):
    with pytest.raises(InputError) as caught:
        CachedDecoder(build(), src)
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_language_model_reads_no_source():
    config = LanguageModelConfig(vocab_size=12, d_model=8, d_ff=8, n_heads=2, n_decoder_layers=1)
    message = "a LanguageModel has no source to translate: use npf.TextGenerator"
    with pytest.raises(InputError, match=message):
        CachedDecoder(LanguageModel(config, rng=0), SRC)


def test_cache_uses_eval_mode_and_keeps_training_mode():
    model = build(dropout=0.5, attention_dropout=0.5).train()
    state = model.generators()[0].bit_generator.state
    paths = np.random.default_rng(4).integers(1, 12, (len(SRC), 1, 3))
    found = []
    for _ in range(2):
        decoder = CachedDecoder(model, SRC)
        found.append([decoder.step(paths[:, :, step]) for step in range(3)])
    np.testing.assert_array_equal(found[0], found[1])
    assert all(module.training for _, module in model.named_modules())
    assert model.generators()[0].bit_generator.state == state
    assert not any(module._cache for _, module in model.named_modules())
    model.eval()
    for step, logits in enumerate(found[0]):
        assert_agree(logits, whole(model, SRC, paths[:, :, : step + 1]))
