import random

import pytest

from npformer import InputError
from npformer.text import BOS, EOS, PAD, UNK, Vocabulary

LINES = ["The cat sees a dog, a big dog!", "Does (the) cat sleep?", "Größe: 3 km"]


def test_the_first_four_ids_are_padding_unknown_begin_and_end():
    assert Vocabulary.build([]).tokens == ["<pad>", "<unk>", "<bos>", "<eos>"]
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)


def test_tokens_are_ranked_by_count_and_then_by_themselves():
    assert Vocabulary.build(["b a c a", "c a d"]).tokens[4:] == ["a", "c", "b", "d"]


def test_one_text_is_not_taken_apart_into_lines():
    with pytest.raises(InputError, match=r"'the dog' is one text: expected several .*, such as \['the dog'\]"):
        Vocabulary.build("the dog")


def test_rare_tokens_stay_out():
    assert Vocabulary.build(["b a c a", "c a d"], min_count=2).tokens[4:] == ["a", "c"]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("unit", ["words", "characters"])
def test_text_comes_back_from_its_ids(line, unit):
    vocabulary = Vocabulary.build(LINES, unit=unit)
    ids = vocabulary.encode(line)
    assert UNK not in ids
    assert vocabulary.decode(ids) == line
    assert vocabulary.unknown(line) == []


def test_every_punctuation_mark_is_a_token():
    assert Vocabulary.build([]).split("it's 5 p.m., no?!") == "it ' s 5 p . m . , no ? !".split()


def test_characters_keep_the_spaces_inside_and_drop_those_outside():
    assert Vocabulary.build([], unit="characters").split(" a b\n") == ["a", " ", "b"]


@pytest.mark.parametrize(("text", "lowercase"), [("a <unk> dog", False), ("a <UNK> dog", True)])
def test_an_unk_that_somebody_wrote_into_the_text_is_the_special_one(text, lowercase):
    vocabulary = Vocabulary.build([text], lowercase=lowercase)
    assert vocabulary.tokens[4:] == ["a", "dog"] and vocabulary.encode(text) == [4, 1, 5]


def test_lower_case_is_composed_as_all_text_is():
    """A capital that has no character of its own with this accent; the small letter has."""
    vocabulary = Vocabulary.build(["\u1e96 \u01f0"], lowercase=True)
    assert vocabulary.encode("H\u0331 J\u030c") == vocabulary.encode("\u1e96 \u01f0") == [5, 4]


def test_unknown_tokens_become_unk_and_are_named_once():
    vocabulary = Vocabulary.build(["a b"])
    assert vocabulary.encode("a x b y x") == [vocabulary.ids["a"], UNK, vocabulary.ids["b"], UNK, UNK]
    assert vocabulary.unknown("a x b y x") == ["x", "y"]


def test_the_names_of_special_tokens_in_a_text_are_only_text():
    vocabulary = Vocabulary.build(["a"])
    assert not set(vocabulary.encode("<pad> <eos>")) & {PAD, BOS, EOS}


def test_lowercase_folds_what_is_learned_and_what_is_read():
    vocabulary = Vocabulary.build(["The DOG"], lowercase=True)
    assert set(vocabulary.tokens[4:]) == {"the", "dog"}
    assert vocabulary.unknown("tHE dOG") == []


def test_without_lowercase_case_matters():
    assert Vocabulary.build(["The dog"]).unknown("the dog") == ["the"]


def test_the_vocabulary_does_not_depend_on_the_order_of_the_lines():
    shuffled = random.Random(0).sample(LINES, len(LINES))
    assert Vocabulary.build(shuffled).tokens == Vocabulary.build(LINES).tokens


@pytest.mark.parametrize("unit", ["words", "characters"])
def test_json_holds_all_of_it(unit):
    vocabulary = Vocabulary.build(LINES, unit=unit, lowercase=True)
    assert vars(Vocabulary.from_json(vocabulary.to_json())) == vars(vocabulary)


@pytest.mark.parametrize(
    ("tokens", "settings"),
    [
        (["a", "b"], {}),
        (["<pad>", "<bos>", "<unk>", "<eos>"], {}),
        (["<pad>", "<unk>", "<bos>", "<eos>", "a", "a"], {}),
        (["<pad>", "<unk>", "<bos>", "<eos>", 4], {}),
        ("<pad>", {}),
        (["<pad>", "<unk>", "<bos>", "<eos>"], {"unit": "syllables"}),
    ],
)
def test_what_is_no_vocabulary_is_refused_in_one_line(tokens, settings):
    with pytest.raises(InputError) as caught:
        Vocabulary(tokens, **settings)
    assert "\n" not in str(caught.value)


def test_decoded_text_splits_into_the_tokens_it_came_from():
    vocabulary = Vocabulary.build(["a dog (or two)."])
    ids = [*vocabulary.encode("a dog (or two)."), UNK, UNK]
    assert vocabulary.encode(vocabulary.decode(ids)) == ids
