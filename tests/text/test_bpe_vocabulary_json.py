"""The JSON of subwords: it comes back, and a damaged or foreign one is refused."""

import copy
import json
import pickle

import pytest

from npformer import InputError
from npformer.text import BPEVocabulary

LINES = ["Ein Mann läuft im Park.", "Ein Mann spielt am Strand.", "Zwei Hunde am Strand."]
TEXTS = ["", "  Mann ", "<eos> läuft<pad>\n", "山 😀"]


@pytest.fixture(scope="module")
def vocabulary():
    return BPEVocabulary.build(LINES, size=300)


def test_vocabulary_json_round_trip(vocabulary):
    again = BPEVocabulary.from_json(json.loads(json.dumps(vocabulary.to_json())))
    assert again.tokens == vocabulary.tokens
    assert again.to_json() == vocabulary.to_json()
    for other in (again, copy.deepcopy(vocabulary), pickle.loads(pickle.dumps(vocabulary))):
        assert [other.encode(text) for text in TEXTS] == [vocabulary.encode(text) for text in TEXTS]


@pytest.mark.parametrize(
    "value", [{}, {"tokenizer": "word", "tokens": []}, {"merges": 3}, {"merges": "a b"}]
)
def test_foreign_json_is_rejected(value):
    with pytest.raises(InputError, match="the subwords are damaged: it has no list of merges"):
        BPEVocabulary.from_json(value)


@pytest.mark.parametrize(
    ("merge", "message"),
    [
        ("ab", "merge 1 is 'ab': expected two tokens with a space between"),
        ("a b c", "merge 1 is 'a b c': expected two"),
        (None, "merge 1 is None: expected two"),
        (["a"], "expected two tokens"),
        (
            "a bc",
            "the subwords are damaged: merge 1 joins 'a' and 'bc', but 'bc' is not a byte and no "
            "earlier merge makes it",
        ),
        ("a \ud800", "is not a byte"),
        ("a ", "'' is not a byte"),
        ("<pad> a", "'<pad>' is not a byte"),
    ],
)
def test_damaged_merges_are_rejected(merge, message):
    with pytest.raises(InputError) as caught:
        BPEVocabulary.from_json({"tokenizer": "bpe", "merges": ["a b", merge]})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
