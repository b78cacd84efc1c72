"""Attention set by hand, or computed, against gold links."""

import numpy as np
import pytest

from npformer import InputError
from npformer.datasets import SentencePair, sequences
from npformer.evaluation import (
    alignment_error_rate,
    attention_error_rates,
    attention_links,
    model_attention,
)
from npformer.tasks import Translator
from npformer.text import BPEVocabulary, Vocabulary
from npformer.visualization import sentence_attention

PAIRS = [
    sequences.solve("reverse", source) for source in ["1 2 3", "4 1", "5 3 2 1 4", "2", "3 1 4 2"]
]


@pytest.fixture
def make_translator(make_model):
    def make(vocabulary=None, **settings):
        vocabulary = vocabulary or Vocabulary.build(["1 2 3 4 5"])
        sizes = dict(src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), max_len=60)
        return Translator(make_model(**sizes, **settings), vocabulary, vocabulary)

    return make


@pytest.fixture
def by_hand(make_translator, monkeypatch):
    """Return a translator whose row t looks, in a source of n tokens with <eos>, at the position
    `where(t, n)`.
    """
    computed = model_attention._weights

    def make(where, vocabulary=None):
        translator = make_translator(vocabulary)
        cross = translator.model.decoder.layers[0].cross_attention.sublayer.attention

        def weights(attention, query, key, mask):  # mask (B, 1, 1, S)
            found = np.array(computed(attention, query, key, mask))  # (B, H, T, S)
            if attention is cross:
                found[...] = 0
                for sentence, n in enumerate(mask.sum((1, 2, 3))):
                    for t in range(found.shape[2]):
                        found[sentence, :, t, where(t, n) % n] = 1
            return found

        monkeypatch.setattr(model_attention, "_weights", weights)
        return translator

    return make


def test_attention_equal_to_gold_links_has_no_error(by_hand):
    """Token t of the reverse of n - 1 tokens is source token n - 2 - t."""
    rates = attention_error_rates(by_hand(lambda t, n: n - 2 - t), PAIRS)
    assert rates.tolist() == [[0, 0, 0]]


def test_rows_that_align_read_tokens_are_one_later(by_hand):
    translator = by_hand(lambda t, n: n - 1 - t)
    assert attention_error_rates(translator, PAIRS, row="reads").tolist() == [[0, 0, 0]]
    assert (attention_error_rates(translator, PAIRS) > 0.9).all()


def test_row_shift_is_detected(by_hand):
    """The rows of the other question give another answer, and neither of them another row's."""
    for shift in (-1, 1, 2):
        translator = by_hand(lambda t, n, shift=shift: n - 2 - t + shift)
        assert (attention_error_rates(translator, PAIRS) > 0.9).all()
        assert (attention_error_rates(translator, PAIRS, row="reads") == 0).all() == (shift == 1)


def test_eos_is_not_a_link(by_hand):
    assert attention_error_rates(by_hand(lambda t, n: n - 1), PAIRS).tolist() == [[1, 1, 1]]
    half = by_hand(lambda t, n: n - 2 - t if t == 0 else n - 1)
    n_gold = sum(len(pair.alignment) for pair in PAIRS)
    assert attention_error_rates(half, PAIRS)[0] == pytest.approx(
        1 - 2 * len(PAIRS) / (len(PAIRS) + n_gold)
    )


@pytest.mark.parametrize("row", ["writes", "reads"])
def test_links_are_counted_over_all_sentences(make_translator, row):
    translator = make_translator(n_decoder_layers=2)
    first = 0 if row == "writes" else 1
    found = []
    for pair in PAIRS:
        cross = sentence_attention(translator, pair.source, pair.target).cross
        rows = np.concatenate([cross, cross.mean(1, keepdims=True)], 1)[
            :, :, first : first + len(pair.alignment)
        ]
        found.append(
            [
                [{(s, t) for t, s in enumerate(w.argmax(-1)) if s < w.shape[-1] - 1} for w in h]
                for h in rows
            ]
        )
    gold = [pair.alignment for pair in PAIRS]
    expected = [
        [
            alignment_error_rate([links[layer][column] for links in found], gold)
            for column in range(3)
        ]
        for layer in range(2)
    ]
    given = [*PAIRS[:2], SentencePair("1 2 3 4 5 1 2 3", "4 5 4 5 4 5 4 5"), *PAIRS[2:]]
    assert attention_error_rates(translator, given, row=row).tolist() == expected


def test_link_of_any_piece_links_the_word():
    weights = np.eye(4)[[0, 3, 1, 2, 3]]
    pieces = [(0,), (0,), (1, 2), ()], [(0,), (0,), (1,), (2,), (3,)]
    assert attention_links(weights, *pieces) == {(0, 0), (0, 1), (1, 2), (2, 2)}


@pytest.mark.parametrize("space", ["", " ", "\n\n"])
def test_subwords_are_linked_as_words(by_hand, space):
    """Space around a sentence, which would be subwords, is not read."""
    vocabulary = BPEVocabulary.build(["drei Hunde", "zwei Hunde"], size=270)
    source, target = (f"{space}zwei Hunde{space}", f"{space}zwei Hunde")
    pair = SentencePair(source, target, ((0, 0), (1, 1)))
    assert len(vocabulary.split(pair.source)) > 2
    assert attention_error_rates(by_hand(lambda t, n: t, vocabulary), [pair]).tolist() == [
        [0, 0, 0]
    ]


@pytest.mark.parametrize(
    ("pairs", "how", "expected"),
    [
        (PAIRS, {"row": "middle"}, "row = 'middle': expected one of 'writes', 'reads'"),
        (
            [SentencePair("1", "1")],
            {},
            "none of 1 sentence pairs has gold links: give pairs that have an alignment",
        ),
        ([], {}, "none of 0 sentence pairs has gold links"),
        ([SentencePair("1 " * 70, "1", ((0, 0),))], {}, "max_len = 60"),
        ([SentencePair("1", "1 " * 70, ((0, 0),))], {}, "max_len = 60"),
    ],
)
def test_invalid_pairs_or_options_are_rejected(make_translator, pairs, how, expected):
    with pytest.raises(InputError, match=expected) as caught:
        attention_error_rates(make_translator(), pairs, **how)
    assert "\n" not in str(caught.value)
