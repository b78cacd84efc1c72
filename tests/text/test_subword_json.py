"""The JSON of subwords: it comes back, the library reads it, and a damaged or foreign one is refused."""

import copy
import json
import pickle

import pytest
from tokenizers import Tokenizer

from npformer import InputError
from npformer.text import PAD, UNK, SubwordVocabulary

LINES = ["Ein Mann läuft im Park.", "Ein Mann spielt am Strand.", "Zwei Hunde am Strand."]
TEXTS = ["", "  Mann ", "<eos> läuft<pad>\n", "山 😀"]


@pytest.fixture(scope="module")
def vocabulary():
    return SubwordVocabulary.build(LINES, size=300)


def refusal(value):
    with pytest.raises(InputError) as caught:
        SubwordVocabulary.from_json(value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_vocabulary_json_round_trip(vocabulary):
    again = SubwordVocabulary.from_json(json.loads(json.dumps(vocabulary.to_json())))
    assert again.tokens == vocabulary.tokens
    assert again.to_json() == vocabulary.to_json()
    for other in (again, copy.deepcopy(vocabulary), pickle.loads(pickle.dumps(vocabulary))):
        assert [other.encode(text) for text in TEXTS] == [vocabulary.encode(text) for text in TEXTS]


def test_tokenizers_library_reads_the_json(vocabulary, tmp_path):
    (tmp_path / "subwords.json").write_text(json.dumps(vocabulary.to_json()), encoding="utf-8")
    library = Tokenizer.from_file(str(tmp_path / "subwords.json"))
    for text in TEXTS[1:]:
        assert library.encode(
            vocabulary.words(text), is_pretokenized=True
        ).ids == vocabulary.encode(text)


def test_foreign_json_is_rejected():
    for value in ({}, [], None, "subwords", 3, {"unit": "words", "lowercase": False, "tokens": []}):
        assert (
            refusal(value)
            == "the subwords are damaged: expected what the library tokenizers writes"
        )


def test_damaged_tokens_are_rejected(vocabulary):
    def damaged(change):
        value = vocabulary.to_json()
        change(value["model"]["vocab"], value["model"]["merges"])
        return refusal(value)

    size = len(vocabulary)
    assert "ids without gaps" in damaged(lambda vocab, merges: vocab.update({"aa": size + 1}))
    assert "ids without gaps" in damaged(lambda vocab, merges: vocab.update({"aa": size - 1}))
    assert "ids without gaps" in damaged(lambda vocab, merges: vocab.update({"a b": size}))
    assert "are damaged" in damaged(lambda vocab, merges: vocab.update({"\ud800": size}))
    assert "first <pad>, <unk>" in damaged(
        lambda vocab, merges: vocab.update({"<pad>": UNK, "<unk>": PAD})
    )
    assert "are damaged" in damaged(lambda vocab, merges: merges.append(["<pad", ">"]))
    assert "are damaged" in damaged(lambda vocab, merges: merges.append(["z"]))
