"""Subwords: every text comes back, and the same lines give the same subwords."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npformer import InputError
from npformer.text import BOS, EOS, PAD, UNK, BPEVocabulary
from tests.property_test import property_test

LINES = [
    "Ein Mann läuft im Park.",
    "Ein Mann spielt am Strand.",
    "Die Größe läuft im Park.",
    "Zwei Hunde am Strand.",
]
TEXTS = [
    *(
        "",
        " ",
        "  ",
        " Mann",
        "Mann ",
        "\tein\n\n zwei  drei \r\n",
        "<eos>",
        "<pad> <unk><bos>",
        "a<eos>b",
        "ü u\u0308",
    ),
    *(
        "山の上で",
        "👩\u200d🚀😀",
        "▁ Ġ",
        "\x00\x7f\u00a0\u2028",
        "don't 3.14 €5",
        "\ufeff�",
        "ÿþýü ‿⇧⇪",
        "T-Shirt BMX McKay",
    ),
]


@pytest.fixture(scope="module")
def vocabulary():
    return BPEVocabulary.build(LINES, size=320)


@pytest.mark.parametrize("text", [*TEXTS, *LINES])
def test_text_round_trip(vocabulary, text):
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == text
    assert not {PAD, UNK, BOS, EOS} & set(ids)
    assert vocabulary.unknown(text) == []


@property_test
@given(text=st.text())
def test_any_text_comes_back(vocabulary, text):
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == text
    spans = vocabulary.spans(text)
    assert len(spans) == len(ids)
    assert all(0 <= start < end <= len(text) for start, end in spans)


def test_special_token_names_in_text_are_not_subwords():
    vocabulary = BPEVocabulary.build(["<pad> <eos> a<bos>"] * 9, size=400)
    assert vocabulary.tokens[:5] == ["<pad>", "<unk>", "<bos>", "<eos>", "!"]
    assert min(vocabulary.encode("<pad> <eos> a<bos>")) > EOS


def test_decode_skips_special_ids_and_replaces_broken_bytes(vocabulary):
    ids = vocabulary.encode("Mann läuft")
    assert vocabulary.decode([BOS, ids[0], UNK, *ids[1:], EOS, PAD]) == "Mann läuft"
    euro = vocabulary.encode("€")
    assert vocabulary.decode(euro[:-1]) == "€"
    assert vocabulary.decode(euro[:-2]) == "�"


@property_test
@given(data=st.data())
def test_any_ids_can_be_decoded(vocabulary, data):
    ids = data.draw(st.lists(st.integers(0, len(vocabulary) - 1)))
    assert isinstance(vocabulary.decode(ids), str)


def test_size_is_maximum_number_of_tokens():
    assert len(BPEVocabulary.build(LINES, size=261)) == 261
    assert len(BPEVocabulary.build([], size=1_000_000)) == 260
    assert 260 < len(BPEVocabulary.build(LINES, size=9999)) < 400
    assert len(BPEVocabulary.build(LINES, size=np.int64(261))) == 261


@pytest.mark.parametrize("size", [259, 100, -1])
def test_size_below_the_smallest_is_rejected(size):
    with pytest.raises(InputError, match=f"^size = {size}: expected an integer >= 260, the four "):
        BPEVocabulary.build(LINES, size=size)


def test_single_string_is_rejected():
    with pytest.raises(InputError, match="'the dog' is one text: expected several lines"):
        BPEVocabulary.build("the dog", size=300)


def test_merges_that_make_the_same_token_share_its_id():
    vocabulary = BPEVocabulary([("a", "b"), ("b", "c"), ("ab", "c"), ("a", "bc")])
    assert vocabulary.coded_tokens[260:] == ["ab", "bc", "abc"]


def test_span_of_a_mark_is_one_character():
    """Without merges each byte and each mark is a token: of a word, of the comma, and of a word
    that follows without a space.
    """
    vocabulary = BPEVocabulary([])
    text = "Dog,cat ä"
    spans = dict.fromkeys(vocabulary.spans(text))
    assert len(vocabulary.spans(text)) == len(vocabulary.encode(text)) > len(text)
    assert list(spans) == [(i, i + 1) for i in range(len(text)) if text[i] != " "]
