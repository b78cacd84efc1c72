import random

import pytest

from npformer import InputError
from npformer.text import BOS, EOS, PAD, UNK, Vocabulary

LINES = ["The cat sees a dog, a big dog!", "Does (the) cat sleep?", "Größe: 3 km"]


def test_first_four_ids_are_special_tokens():
    assert Vocabulary.build([]).tokens == ["<pad>", "<unk>", "<bos>", "<eos>"]
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)


def test_tokens_are_sorted_by_count_and_name():
    assert Vocabulary.build(["b a c a", "c a d"]).tokens[4:] == ["a", "c", "b", "d"]


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [("the dog", "the dog"), ("a" * 20, "a" * 20), ("a" * 21, "a" * 20 + "...")],
)
def test_single_text_is_rejected(text, excerpt):
    with pytest.raises(InputError) as caught:
        Vocabulary.build(text)
    message = f"{excerpt!r} is one text: expected several lines, such as {[excerpt]!r}"
    assert str(caught.value) == message


def test_rare_tokens_are_excluded():
    assert Vocabulary.build(["b a c a", "c a d"], min_count=2).tokens[4:] == ["a", "c"]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("tokenizer", ["word", "character"])
def test_encode_decode_round_trip(line, tokenizer):
    vocabulary = Vocabulary.build(LINES, tokenizer=tokenizer)
    ids = vocabulary.encode(line)
    assert UNK not in ids
    assert vocabulary.decode(ids) == line
    assert vocabulary.unknown(line) == []


def test_every_punctuation_mark_is_a_token():
    assert Vocabulary.build([]).split("it's 5 p.m., no?!") == "it ' s 5 p . m . , no ? !".split()


def test_characters_keep_inner_spaces_only():
    assert Vocabulary.build([], tokenizer="character").split(" a b\n") == ["a", " ", "b"]


@pytest.mark.parametrize(("text", "lowercase"), [("a <unk> dog", False), ("a <UNK> dog", True)])
def test_unk_written_in_text_is_the_special_token(text, lowercase):
    vocabulary = Vocabulary.build([text], lowercase=lowercase)
    assert vocabulary.tokens[4:] == ["a", "dog"] and vocabulary.encode(text) == [4, 1, 5]


def test_lowercase_text_is_normalized():
    """A capital that has no character of its own with this accent; the small letter has."""
    vocabulary = Vocabulary.build(["\u1e96 \u01f0"], lowercase=True)
    assert vocabulary.encode("H\u0331 J\u030c") == vocabulary.encode("\u1e96 \u01f0") == [5, 4]


def test_unknown_tokens_become_unk_and_are_listed_once():
    vocabulary = Vocabulary.build(["a b"])
    assert vocabulary.encode("a x b y x") == [
        vocabulary.ids["a"],
        UNK,
        vocabulary.ids["b"],
        UNK,
        UNK,
    ]
    assert vocabulary.unknown("a x b y x") == ["x", "y"]


def test_special_token_names_in_text_are_ordinary_text():
    vocabulary = Vocabulary.build(["a"])
    assert not set(vocabulary.encode("<pad> <eos>")) & {PAD, BOS, EOS}


def test_lowercase_applies_to_building_and_encoding():
    vocabulary = Vocabulary.build(["The DOG"], lowercase=True)
    assert set(vocabulary.tokens[4:]) == {"the", "dog"}
    assert vocabulary.unknown("tHE dOG") == []


def test_case_matters_without_lowercase():
    assert Vocabulary.build(["The dog"]).unknown("the dog") == ["the"]


def test_vocabulary_is_independent_of_line_order():
    shuffled = random.Random(0).sample(LINES, len(LINES))
    assert Vocabulary.build(shuffled).tokens == Vocabulary.build(LINES).tokens


@pytest.mark.parametrize("running", [False, True])
@pytest.mark.parametrize("tokenizer", ["word", "character"])
def test_json_round_trip_is_complete(tokenizer, running):
    how = {"tokenizer": tokenizer, "lowercase": True, "running": running}
    vocabulary = Vocabulary.build(LINES, **how)
    assert vars(Vocabulary.from_json(vocabulary.to_json())) == vars(vocabulary)
    # a file says nothing of what is as ever
    expected = {name: value for name, value in how.items() if value}
    assert vocabulary.to_json() == {**expected, "tokens": vocabulary.tokens}


@pytest.mark.parametrize(
    ("tokens", "settings"),
    [
        (["a", "b"], {}),
        (["<pad>", "<bos>", "<unk>", "<eos>"], {}),
        (["<pad>", "<unk>", "<bos>", "<eos>", "a", "a"], {}),
        (["<pad>", "<unk>", "<bos>", "<eos>", 4], {}),
        ("<pad>", {}),
        (["<pad>", "<unk>", "<bos>", "<eos>"], {"tokenizer": "syllables"}),
    ],
)
def test_invalid_vocabulary_is_rejected(tokens, settings):
    with pytest.raises(InputError) as caught:
        Vocabulary(tokens, **settings)
    message = (
        "a vocabulary needs a list of distinct strings, the first four <pad>, <unk>, <bos>, <eos>"
    )
    if settings:
        message = "tokenizer = 'syllables': expected 'word' or 'character'"
    assert str(caught.value) == message


def test_decoded_text_encodes_to_the_same_tokens():
    vocabulary = Vocabulary.build(["a dog (or two)."])
    ids = [*vocabulary.encode("a dog (or two)."), UNK, UNK]
    assert vocabulary.encode(vocabulary.decode(ids)) == ids
