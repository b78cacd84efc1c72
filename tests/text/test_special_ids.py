"""No vocabulary writes the special tokens of a sentence; all refuse ids of no token."""

import pytest

from npformer import InputError
from npformer.text import (
    BOS,
    EOS,
    PAD,
    UNK,
    BPEVocabulary,
    Vocabulary,
    describe_special_tokens,
    fits,
)

LINES = ["the dog sleeps .", "the cat sleeps ."]
VOCABULARIES = {
    "word": lambda: Vocabulary.build(LINES),
    "character": lambda: Vocabulary.build(LINES, tokenizer="character"),
    "bpe": lambda: BPEVocabulary.build(LINES, size=280),
}


@pytest.fixture(params=VOCABULARIES)
def vocabulary(request):
    return VOCABULARIES[request.param]()


def test_special_tokens_are_not_decoded(vocabulary):
    ids = vocabulary.encode("the dog")
    assert vocabulary.decode([BOS, *ids, EOS, PAD, PAD]) == vocabulary.decode(ids) == "the dog"


def test_unknown_word_keeps_its_place():
    vocabulary = Vocabulary.build(LINES)
    assert vocabulary.decode([*vocabulary.encode("the"), UNK]) == "the <unk>"


@pytest.mark.parametrize("odd", [-1, "the first that is not an id", 10**9])
def test_unknown_id_is_rejected(vocabulary, odd):
    odd = len(vocabulary) if isinstance(odd, str) else odd
    with pytest.raises(
        InputError, match=rf"{odd} is the id of no token: expected 0 .. {len(vocabulary) - 1}"
    ):
        vocabulary.decode([4, odd])


@pytest.mark.parametrize(
    ("length", "longest", "expected"), [(0, 9, False), (7, 8, True), (8, 8, False), (1, 2, True)]
)
def test_length_limit_includes_eos(length, longest, expected):
    assert fits([5] * length, longest) is expected


@pytest.mark.parametrize(
    ("special_tokens", "longest", "in_words"),
    [("eos", 7, " with <eos>"), ("both", 6, " with <bos> and <eos>"), ("none", 8, "")],
)
def test_special_tokens_take_their_places(special_tokens, longest, in_words):
    assert fits([5] * longest, 8, special_tokens)
    assert not fits([5] * (longest + 1), 8, special_tokens)
    assert describe_special_tokens(special_tokens) == in_words
