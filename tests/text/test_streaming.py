"""The pieces of a text are together what `decode` returns, and no piece is taken back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npformer.text import BOS, EOS, PAD, BPEVocabulary, Vocabulary
from tests.property_test import property_test

TEXT = "Say (no, or yes)! Who am I? [a] 50% {so}; well."
UNICODE = "Größe: 3 😀 McKay ÄÖÜ BMX, naïve 道可道 the-Hat's\n\nEnd "


def words(**how):
    return Vocabulary.build([TEXT], tokenizer="word", running=True, **how)


def characters():
    return Vocabulary.build([TEXT + UNICODE], tokenizer="character", running=True)


@pytest.fixture(scope="module")
def subwords():
    return BPEVocabulary.build([TEXT, UNICODE], size=290)


@pytest.mark.parametrize("make", [words, characters])
@pytest.mark.parametrize("cut", range(0, 12, 3))
def test_pieces_equal_decoded_text(make, cut):
    vocabulary = make()
    ids = vocabulary.encode(TEXT)
    before = vocabulary.decode(ids[:cut])
    pieces = list(vocabulary.pieces(ids[cut:], before))
    assert len(pieces) == len(ids) - cut
    assert before + "".join(pieces) == vocabulary.decode(ids)


@property_test
@given(data=st.data())
@pytest.mark.parametrize("make", [words, characters, None])
def test_pieces_of_any_ids_equal_decoded_text(subwords, make, data):
    vocabulary = make() if make else subwords
    some_ids = st.lists(st.integers(0, len(vocabulary) - 1), max_size=30)
    before = vocabulary.decode(vocabulary.encode(data.draw(st.sampled_from(["", "Who am", "(a"]))))
    ids = data.draw(some_ids)
    text = before + "".join(vocabulary.pieces(ids, before))
    assert text == vocabulary.decode([*vocabulary.encode(before), *ids])


def test_time_per_token_does_not_grow_with_the_text(subwords):
    """Of a long text a word or two are decoded for each token."""
    decoded = []

    class Counting(BPEVocabulary):
        def decode(self, ids):
            decoded.append(len(ids))
            return super().decode(ids)

    ids = subwords.encode(TEXT) * 20
    assert "".join(Counting(subwords.merges).pieces(ids)) == subwords.decode(ids)
    assert max(decoded) < 30 < len(ids) // 10


def test_trailing_space_of_prompt_is_not_repeated():
    vocabulary = words()
    ids = vocabulary.encode("am I?")
    assert list(vocabulary.pieces(ids, "Who ")) == ["am", " I", "?"]
    assert list(vocabulary.pieces(ids, "Who\n")) == ["am", " I", "?"]
    assert list(vocabulary.pieces(ids, "Who")) == [" am", " I", "?"]


@pytest.mark.parametrize("prompt", ["Say", "Say ", "Say\n", "Say \n "])
def test_spaces_that_are_tokens_are_kept(subwords, prompt):
    """Of subwords the first word of a prompt without a space at its end gets one."""
    one = characters()
    assert "".join(one.pieces(one.encode("   (no"), prompt)) == "   (no"
    text = "".join(subwords.pieces(subwords.encode("   (no"), prompt))
    assert text == ("    (no" if prompt == "Say" else "   (no")


def test_special_tokens_have_no_text_and_separate_nothing():
    for vocabulary in (words(), characters()):
        ids = vocabulary.encode("(a")
        assert list(vocabulary.pieces([ids[0], PAD, BOS, EOS, ids[1]])) == ["(", "", "", "", "a"]


def test_each_piece_is_yielded_before_next_token_is_read(subwords):
    for vocabulary in (words(), characters(), subwords):
        asked = []

        def tokens(ids, asked=asked):
            for i in ids:
                asked.append(i)
                yield i

        ids = vocabulary.encode("Say no")
        for n, _ in enumerate(vocabulary.pieces(tokens(ids)), start=1):
            assert len(asked) == min(n, len(ids))


@pytest.mark.parametrize("text", [TEXT, UNICODE, "a", " a  b", "😀😀", "Öl."])
def test_streamed_subwords_equal_decoded_text(subwords, text):
    pieces = list(subwords.pieces(subwords.encode(text)))
    assert "".join(pieces) == subwords.decode(subwords.encode(text)) == text
    assert not any("\ufffd" in piece for piece in pieces)


def test_subwords_continue_after_a_prompt(subwords):
    before, after = subwords.encode("Who am"), subwords.encode("I, 😀?")
    expected = subwords.decode([*before, *after])
    assert expected == "Who am I, 😀?"
    assert "Who am" + "".join(subwords.pieces(after, "Who am")) == expected
