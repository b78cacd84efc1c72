"""The names of classes and their ids."""

import pytest

from npformer import InputError
from npformer.datasets.own_files import read_labeled
from npformer.text import Labels, Vocabulary
from npformer.text.vocabulary import SPECIALS


def test_label_ids_are_alphabetical():
    labels = Labels.build(iter(["b", "c", "a", "b", "b"]))
    assert labels.names == ["a", "b", "c"] and [labels.id(name) for name in "cab"] == [2, 0, 1]
    assert len(labels) == 3


def test_given_label_order_is_kept(tmp_path):
    assert Labels(["z", "a"]).id("z") == 0


def test_written_data_is_read_back():
    labels = Labels(["z", "ä", "a b"])
    again = Labels.from_json(labels.to_json())
    assert again.names == labels.names


def test_unknown_label_error_lists_known_labels():
    with pytest.raises(InputError) as caught:
        Labels(["a", "b"]).id("A")
    assert str(caught.value) == "the label 'A' was never seen in training: expected one of a, b"


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "a"], ["a", 1], "ab", ("a", "b"), None])
def test_invalid_label_names_are_rejected(names):
    for make in (Labels, lambda names: Labels.from_json({"labels": names})):
        with pytest.raises(InputError) as caught:
            make(names)
        assert (
            str(caught.value)
            == f"got the labels {names!r}: expected a list of two or more distinct strings"
        )


def test_a_letter_that_is_written_as_two_characters_is_the_same_letter(tmp_path):
    labels = Labels.build(["caf\u00e9", "cafe\u0301", "neg"])
    assert labels.names == ["caf\u00e9", "neg"]
    assert labels.id("caf\u00e9") == labels.id("cafe\u0301") == 0
    assert Labels(["cafe\u0301", "neg"]).id("cafe\u0301") == 0

    file = tmp_path / "texts.tsv"
    file.write_text("cafe\u0301\tone\nneg\ttwo\n", "utf-8")
    assert [labeled.label for labeled in read_labeled(file)] == labels.names


def test_a_list_that_is_changed_later_changes_no_names():
    names = ["spam", "ham"]
    tokens = [*SPECIALS, "c", "b", "a"]
    labels, vocabulary = Labels(names), Vocabulary(tokens)
    names.sort()
    tokens.sort()
    assert labels.names == ["spam", "ham"]
    assert vocabulary.decode(vocabulary.encode("a b c")) == "a b c"
