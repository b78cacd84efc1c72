"""A text given out piece by piece is the text that `decode` gives at once, and no piece is ever taken back."""

import numpy as np
import pytest

from npformer.text import BOS, EOS, PAD, SubwordVocabulary, Vocabulary

TEXT = "Say (no, or yes)! Who am I? [a] 50 % {so}; well."
UNICODE = "Größe: 3 😀 McKay ÄÖÜ BMX, naïve 道可道 the-Hat's\n\nEnd "


def words(**how):
    return Vocabulary.build([TEXT], unit="words", running=True, **how)


def characters():
    return Vocabulary.build([TEXT + UNICODE], unit="characters", running=True)


@pytest.fixture(scope="module")
def subwords():
    pytest.importorskip("tokenizers")
    return SubwordVocabulary.build([TEXT, UNICODE], size=290)


@pytest.mark.parametrize("make", [words, characters])
@pytest.mark.parametrize("cut", range(0, 12, 3))
def test_pieces_are_what_decoding_gives(make, cut):
    vocabulary = make()
    ids = vocabulary.encode(TEXT)
    before = vocabulary.decode(ids[:cut])
    pieces = list(vocabulary.pieces(ids[cut:], before))
    assert len(pieces) == len(ids) - cut
    assert before + "".join(pieces) == vocabulary.decode(ids)


@pytest.mark.parametrize("seed", range(20))
def test_any_words_in_any_order_come_as_decoding_gives_them(seed):
    vocabulary = words()
    ids = np.random.default_rng(seed).integers(0, len(vocabulary), 30).tolist()
    before = vocabulary.decode(ids[:5])
    assert before + "".join(vocabulary.pieces(ids[5:], before)) == vocabulary.decode(ids)


def test_a_space_at_the_end_of_a_prompt_is_not_doubled():
    vocabulary = words()
    ids = vocabulary.encode("am I?")
    assert list(vocabulary.pieces(ids, "Who ")) == ["am", " I", "?"]
    assert list(vocabulary.pieces(ids, "Who\n")) == ["am", " I", "?"]
    assert list(vocabulary.pieces(ids, "Who")) == [" am", " I", "?"]


def test_special_tokens_have_no_text_and_part_nothing():
    for vocabulary in (words(), characters()):
        ids = vocabulary.encode("(a")
        assert list(vocabulary.pieces([ids[0], PAD, BOS, EOS, ids[1]])) == ["(", "", "", "", "a"]


def test_each_piece_comes_before_the_next_token_is_asked_for(subwords):
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
def test_subwords_come_word_by_word_with_their_capitals(subwords, text):
    pieces = list(subwords.pieces(subwords.encode(text)))
    assert "".join(pieces) == subwords.decode(subwords.encode(text)) == text
    assert not any("\ufffd" in piece for piece in pieces)


def test_subwords_go_on_after_a_prompt(subwords):
    before, after = subwords.encode("Who am"), subwords.encode("I, 😀?")
    expected = subwords.decode([*before, *after])
    assert expected == "Who am I, 😀?"
    assert "Who am" + "".join(subwords.pieces(after, "Who am")) == expected


@pytest.mark.parametrize("seed", range(30))
def test_any_subwords_in_any_order_come_as_decoding_gives_them_but_for_half_a_letter_at_the_end(subwords, seed):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, len(subwords), 40).tolist()
    whole = subwords.decode(ids)
    found = "".join(subwords.pieces(ids))
    assert whole.startswith(found)
    assert whole[len(found) :].strip("\ufffd") == ""


def test_half_a_letter_at_the_end_is_left_out_and_a_wrong_byte_is_shown(subwords):
    smile = subwords.encode("😀")
    assert len(smile) > 2
    assert "".join(subwords.pieces(smile[:1], "a")) in (" ", "")
    assert subwords.decode(smile[:1]) == "\ufffd"
    assert "\ufffd" in "".join(subwords.pieces([smile[0], *subwords.encode("a")]))


def test_a_word_is_held_back_until_its_capitals_are_known(subwords):
    ids = subwords.encode("McKay So")
    pieces = list(subwords.pieces(ids))
    assert "McKay" in pieces and " So" in pieces
    assert all(piece in ("", "McKay", " So") for piece in pieces)
