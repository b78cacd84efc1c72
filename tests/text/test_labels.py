"""The names of classes and their ids."""

import pytest

from npformer import InputError
from npformer.text import Labels


def test_ids_follow_the_alphabet_and_not_what_comes_first_or_often():
    labels = Labels.build(iter(["b", "c", "a", "b", "b"]))
    assert labels.names == ["a", "b", "c"] and [labels.id(name) for name in "cab"] == [2, 0, 1]
    assert len(labels) == 3


def test_an_order_that_was_given_stays(tmp_path):
    assert Labels(["z", "a"]).id("z") == 0


def test_what_was_written_comes_back():
    labels = Labels(["z", "ä", "a b"])
    again = Labels.from_json(labels.to_json())
    assert again.names == labels.names


def test_a_label_that_training_did_not_have_is_named_beside_those_it_had():
    with pytest.raises(InputError) as caught:
        Labels(["a", "b"]).id("A")
    assert str(caught.value) == "the label 'A' was never seen in training: expected one of a, b"


@pytest.mark.parametrize("names", [[], ["a"], ["a", "b", "a"], ["a", 1], "ab", ("a", "b"), None])
def test_names_that_cannot_be_classes_are_refused(names):
    for make in (Labels, lambda names: Labels.from_json({"labels": names})):
        with pytest.raises(InputError) as caught:
            make(names)
        assert str(caught.value) == f"got the labels {names!r}: expected two or more strings, each once"
