"""Texts that are ids, for models whose tokenizer is another program's."""

import pytest

from npformer import InputError
from npformer.text import IdVocabulary


def test_ids_come_back():
    vocabulary = IdVocabulary(400)
    assert len(vocabulary) == 400
    assert vocabulary.encode(" 0 399\n17 ") == [0, 399, 17]
    assert vocabulary.decode([0, 399, 17]) == "0 399 17"
    assert vocabulary.spans(" 0 399\n17 ") == [(1, 2), (3, 6), (7, 9)]
    assert vocabulary.unknown("0 400 the") == []
    assert IdVocabulary.from_json(vocabulary.to_json()).tokens == vocabulary.tokens


@pytest.mark.parametrize("after", ["1 2", "1 2 "])
def test_pieces_continue_a_text(after):
    pieces = list(IdVocabulary(10).pieces([3, 0, 5], after))
    assert after + "".join(pieces) == "1 2 3 0 5"


@pytest.mark.parametrize("text", ["400", "-1", "1.0", "1,2", "01", "²", "the cat"])
def test_what_is_no_id_is_refused(text):
    with pytest.raises(InputError, match="is the id of no token: expected ids from 0 to 399"):
        IdVocabulary(400).encode(text)


def test_what_is_no_id_is_shown_in_part():
    with pytest.raises(InputError, match=r"^'aaaaaaaaaaaaaaaaaaaa' is the id of no token"):
        IdVocabulary(400).encode("a" * 21)


@pytest.mark.parametrize("size", [0, -1, "5", None])
def test_size_is_checked(size):
    with pytest.raises(InputError, match=f"^size = {size!r}: expected an integer >= 1$"):
        IdVocabulary.from_json({"size": size})
