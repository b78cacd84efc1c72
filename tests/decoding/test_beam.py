import math
from itertools import product

import numpy as np
import pytest

from npformer import InputError
from npformer.decoding import CachedDecoder, beam_search, greedy_decode
from npformer.decoding.beam import _best_continuations
from tests.decoding.padded import padded

PAD, BOS, EOS = 0, 2, 3
SENTENCES = [[4, 5, 6, 7, 8, EOS], [9, EOS], [10, 4, 4, EOS], [11, 5, EOS], [6, 7, EOS], [4]]
# settings and seeds of models that end some hypotheses early and others late
MODELS = [
    ({}, 2),
    ({"norm": "pre", "positions": "learned"}, 1),
    ({"tie_embeddings": "none", "n_decoder_layers": 2}, 0),
    ({"tie_embeddings": "none", "n_decoder_layers": 2}, 2),
]


@pytest.fixture(params=MODELS, ids=str)
def model(make_model, request):
    """A model of random weights that is fairly sure of itself."""
    settings, seed = request.param
    model = make_model(seed=seed, dtype="float64", dropout=0.3, **settings)
    model.generator.table.data[...] *= 2
    model.generator.table.data[EOS] *= 1.5
    return model


def search(model, sentences, **settings):
    src = sentences if isinstance(sentences, np.ndarray) else padded(sentences)
    return beam_search(model, src, bos_id=BOS, eos_id=EOS, **{"max_extra_tokens": 6, **settings})


def log_softmax(logits):
    peak = max(logits)
    log_total = peak + math.log(sum(math.exp(logit - peak) for logit in logits))
    return [logit - log_total for logit in logits]


def score(log_probability, length, alpha, length_normalization="wu"):
    return log_probability / ((5 + length) / 6 if length_normalization == "wu" else length) ** alpha


def plain_beam_search(
    model, source, *, beam=4, alpha=0.6, length_normalization="wu", max_extra_tokens=6, n_best=1
):
    """Search one sentence by the definition: whole prefixes, plain lists, and never an early
    stop.
    """
    model.eval()
    src = np.array([source])
    memory, mask = model.encode(src)
    hypotheses, finished = [([], 0.0)], []
    for _ in range(len(source) + max_extra_tokens):
        if not hypotheses:
            break
        candidates = []
        prefixes = np.array([[BOS, *ids] for ids, _ in hypotheses])
        rows = model.decode(
            prefixes, *(array.repeat(len(prefixes), 0) for array in (memory, mask))
        )[:, -1].tolist()
        for (ids, total), logits in zip(hypotheses, rows, strict=True):
            values = enumerate(log_softmax(logits))
            candidates += [
                ([*ids, token], total + value) for token, value in values if token != PAD
            ]
        candidates.sort(key=lambda candidate: -candidate[1])
        candidates = candidates[: 2 * beam if beam > 1 else 1]
        ended = [(ids, total) for ids, total in candidates[:beam] if ids[-1] == EOS]
        finished += [
            (ids[:-1], score(total, len(ids), alpha, length_normalization), total)
            for ids, total in ended
        ]
        hypotheses = [(ids, total) for ids, total in candidates if ids[-1] != EOS][:beam]
    finished += [
        (ids, score(total, len(ids), alpha, length_normalization), total)
        for ids, total in hypotheses
    ]
    return sorted(finished, key=lambda hypothesis: -hypothesis[1])[:n_best]


def assert_same(found, expected):
    assert [hypothesis[0] for hypothesis in found] == [hypothesis[0] for hypothesis in expected]
    np.testing.assert_allclose([h[1:] for h in found], [h[1:] for h in expected], rtol=1e-10)


@pytest.mark.parametrize(
    ("beam", "alpha", "length_normalization"),
    [(1, 2.0, "wu"), (2, 0.6, "length"), (4, 0.0, "wu"), (5, 2.0, "length"), (8, 1.0, "wu")],
)
def test_beam_search_equals_plain_search(model, beam, alpha, length_normalization):
    """With 12 tokens and 8 hypotheses, 16 continuations are looked at where the first step has
    12.
    """
    settings = dict(
        beam=beam, alpha=alpha, length_normalization=length_normalization, n_best=(beam + 1) // 2
    )
    for found, sentence in zip(search(model, SENTENCES, **settings), SENTENCES, strict=True):
        assert_same(found, plain_beam_search(model, sentence, **settings))


@pytest.mark.parametrize("length_normalization", ["wu", "length"])
@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
@pytest.mark.parametrize("seed", range(3))
def test_exhaustive_beam_finds_global_optimum(make_model, alpha, length_normalization, seed):
    model = make_model(seed=seed, dtype="float64", src_vocab_size=4, tgt_vocab_size=4).eval()
    src = np.array([[1, EOS]])
    memory, mask = model.encode(src)

    def log_probability(ids):
        rows = model.decode(np.array([[BOS, *ids[:-1]]]), memory, mask)[0].tolist()
        return sum(log_softmax(row)[token] for row, token in zip(rows, ids, strict=True))

    words = [token for token in range(4) if token not in (PAD, EOS)]
    ended = [[*ids, EOS] for length in range(4) for ids in product(words, repeat=length)]
    everything = ended + [list(ids) for ids in product(words, repeat=4)]
    totals = [log_probability(ids) for ids in everything]
    ranked = sorted(
        (
            [token for token in ids if token != EOS],
            score(total, len(ids), alpha, length_normalization),
            total,
        )
        for ids, total in zip(everything, totals, strict=True)
    )
    ranked.sort(key=lambda hypothesis: -hypothesis[1])
    settings = {
        "beam": len(everything),
        "alpha": alpha,
        "length_normalization": length_normalization,
        "max_extra_tokens": 2,
    }
    [found] = search(model, src, **settings, n_best=len(everything))
    assert_same(found, ranked)
    assert_same(search(model, src, **settings)[0], ranked[:1])


def test_search_stops_early_for_settled_sentence(make_model, monkeypatch):
    """Here <eos> is so likely at every step that nothing else can win after the first."""
    model = make_model(tie_embeddings="none")
    last_norm = model.decoder.layers[-1].feed_forward.norm
    last_norm.gain.data[...], last_norm.bias.data[...] = 0, 9 * model.generator.table.data[EOS]
    steps = []
    step = CachedDecoder.step
    monkeypatch.setattr(
        CachedDecoder, "step", lambda self, tokens: steps.append(tokens) or step(self, tokens)
    )
    assert [best.ids for [best] in search(model, SENTENCES)] == [[]] * len(SENTENCES)
    assert [len(tokens) for tokens in steps] == [len(SENTENCES)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_beam_of_one_equals_greedy_decoding(make_model, dtype):
    for seed in range(5):
        model = make_model(seed=seed, dtype=dtype)
        model.generator.table.data[EOS] *= 3
        expected = greedy_decode(
            model, padded(SENTENCES), bos_id=BOS, eos_id=EOS, max_extra_tokens=8
        )
        for alpha in (0.6, 2.0):
            assert [
                best.ids
                for [best] in search(model, SENTENCES, beam=1, alpha=alpha, max_extra_tokens=8)
            ] == expected


# the length penalty of no token is 0 with "length"
@pytest.mark.parametrize("length_normalization", ["wu", "length"])
@pytest.mark.parametrize("max_extra_tokens", [-6, 0, 3])
def test_hypothesis_length_is_limited_by_source_and_max_extra_tokens(
    make_model, max_extra_tokens, length_normalization
):
    model = make_model(seed=1, max_len=8)
    results = beam_search(
        model,
        padded(SENTENCES, 8),
        bos_id=BOS,
        eos_id=-1,
        max_extra_tokens=max_extra_tokens,
        length_normalization=length_normalization,
    )
    assert [len(best.ids) for [best] in results] == [
        min(max(len(s) + max_extra_tokens, 0), 7) for s in SENTENCES
    ]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"beam": 0}, "beam = 0: expected an integer >= 1"),
        ({"beam": -2}, "beam = -2"),
        ({"beam": 2.5}, "beam = 2.5: expected an integer"),
        ({"alpha": -0.1}, "alpha = -0.1: expected a number >= 0 and 10 at most"),
        ({"alpha": 10.5}, "alpha = 10.5"),
        ({"alpha": math.nan}, "alpha = nan"),
        (
            {"length_normalization": "marian"},
            "length_normalization = 'marian': expected one of wu, length",
        ),
        (
            {"n_best": 5},
            "n_best = 5 with beam = 4: expected 1 .. 4; ask for fewer or widen the beam",
        ),
        ({"n_best": 0, "beam": 2}, "n_best = 0 with beam = 2"),
    ],
)
def test_invalid_settings_are_rejected_in_one_line(make_model, settings, expected):
    with pytest.raises(InputError) as caught:
        search(make_model(), SENTENCES, **settings)
    assert expected in str(caught.value) and "\n" not in str(caught.value)


def test_best_continuations_of_large_vocabulary():
    """exp(500) is more than float32 can hold."""
    rng = np.random.default_rng(0)
    logits = (3 * rng.normal(size=(10, 4, 8001)) + rng.uniform(-500, 500, (10, 4, 1))).astype(
        "float32"
    )
    logits[..., PAD] = logits.max(-1)  # takes its share, and is never written
    scores = rng.uniform(-1, 0, (10, 4)).astype("float32")
    x = logits.astype(float)
    x -= x.max(-1, keepdims=True)
    log_p = (x - np.log(np.exp(x).sum(-1, keepdims=True)) + scores[..., None])[..., 1:].reshape(
        10, -1
    )
    order = np.argsort(-log_p, axis=1)[:, :8]
    values, parents, tokens = _best_continuations(logits, scores, 8, PAD)
    np.testing.assert_allclose(values, np.take_along_axis(log_p, order, 1), rtol=0, atol=2e-5)
    np.testing.assert_array_equal(parents * 8000 + tokens - 1, order)


def test_beam_wider_than_the_translations_that_fit_has_no_impossible_ones(make_model):
    """Of one token at most: there are eleven, <eos> among them, because <pad> is never chosen."""
    [hypotheses] = search(make_model(max_len=2), [[4]], beam=20, n_best=20)
    assert sorted(hypothesis.ids for hypothesis in hypotheses) == [
        [],
        *([i] for i in range(1, 12) if i != EOS),
    ]
    assert all(math.isfinite(hypothesis.log_probability) for hypothesis in hypotheses)
