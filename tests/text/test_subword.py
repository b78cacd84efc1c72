"""Subwords: every text comes back, a word is the same everywhere, and the same lines give the same subwords."""

import json
import os
import random
import subprocess
import sys

import numpy as np
import pytest

from npformer import InputError
from npformer.text import BOS, EOS, PAD, UNK, SubwordVocabulary

LINES = ["Ein Mann läuft im Park.", "Ein Mann spielt am Strand.", "Die Größe läuft im Park.", "Zwei Hunde am Strand."]
TEXTS = [
    *(
        "",
        " ",
        "  ",
        " Mann",
        "Mann ",
        "\tein\n\n zwei  drei \r\n",
        "<eos>",
        "<pad> <unk><bos>",
        "a<eos>b",
        "ü u\u0308",
    ),
    *(
        "山の上で",
        "👩\u200d🚀😀",
        "▁ Ġ",
        "\x00\x7f\u00a0\u2028",
        "don't 3.14 €5",
        "\ufeff�",
        "ÿþýü ‿⇧⇪",
        "T-Shirt BMX McKay",
    ),
]


@pytest.fixture(scope="module")
def vocabulary():
    return SubwordVocabulary.build(LINES, size=320)


@pytest.mark.parametrize("text", [*TEXTS, *LINES])
def test_every_text_comes_back(vocabulary, text):
    ids = vocabulary.encode(text)
    assert vocabulary.decode(ids) == text
    assert not {PAD, UNK, BOS, EOS} & set(ids)
    assert vocabulary.unknown(text) == []


def test_random_texts_come_back(vocabulary):
    rng = random.Random(0)
    points = [*range(0x20, 0x180), *b"\t\n\r    <>", *range(0x4E00, 0x4E20), *range(0x1F600, 0x1F620), 0x301, 0x200D]
    for _ in range(2000):
        text = "".join(map(chr, rng.choices(points, k=rng.randrange(12))))
        assert vocabulary.decode(vocabulary.encode(text)) == text


def test_texts_that_name_the_special_tokens_do_not_make_them_subwords():
    vocabulary = SubwordVocabulary.build(["<pad> <eos> a<bos>"] * 9, size=400)
    assert vocabulary.tokens[:5] == ["<pad>", "<unk>", "<bos>", "<eos>", "!"]
    assert min(vocabulary.encode("<pad> <eos> a<bos>")) > EOS


def test_a_word_is_the_same_wherever_it_stands(vocabulary):
    assert vocabulary.split("Mann läuft") == ["mann⇧", "läuft▁"]
    assert vocabulary.split("läuft, Mann") == ["läuft▁", "‿", ",", "▁", "mann⇧"]


def test_the_end_of_a_word_is_a_word():
    vocabulary = SubwordVocabulary.build(["Schneemann Mann Schnee Schneehund Hund"] * 2, size=400)
    assert vocabulary.split("Hund Mann") == ["hund⇧", "mann⇧"]
    assert vocabulary.split("Hundemann")[-1] == "mann⇧"


def test_subwords_are_shown_for_people(vocabulary):
    assert vocabulary.split("€ MANN\n") == ["\\xe2", "\\x82", "\\xac", "▁", "man", "n", "⇪", "‿", "\\n", "▁"]
    assert (vocabulary.unit, vocabulary.lowercase) == ("subwords", False)


def test_decode_leaves_special_ids_out_and_mends_broken_characters(vocabulary):
    ids = vocabulary.encode("Mann läuft")
    assert vocabulary.decode([BOS, ids[0], UNK, *ids[1:], EOS, PAD]) == "Mann läuft"
    euro = vocabulary.encode("€")
    assert vocabulary.decode(euro[:-1]) == "€"
    assert vocabulary.decode(euro[:-2]) == "�"


def test_any_ids_decode(vocabulary):
    rng = random.Random(0)
    for _ in range(1000):
        assert isinstance(vocabulary.decode(rng.choices(range(len(vocabulary)), k=rng.randrange(9))), str)


def test_half_a_character_is_refused(vocabulary):
    with pytest.raises(InputError, match=r"a text holds '.udcff', half a character"):
        vocabulary.encode("a\udcff")
    with pytest.raises(InputError, match="half a character"):
        SubwordVocabulary.build(["a\ud800"], size=300)


def test_size_is_the_most_tokens_to_have():
    assert len(SubwordVocabulary.build(LINES, size=261)) == 261
    assert len(SubwordVocabulary.build([], size=1_000_000)) == 260
    assert 260 < len(SubwordVocabulary.build(LINES, size=9999)) < 400
    assert len(SubwordVocabulary.build(LINES, size=np.int64(261))) == 261


def test_subwords_are_not_learnt_from_the_characters_of_one_text():
    with pytest.raises(InputError, match="'the dog' is one text: expected several lines"):
        SubwordVocabulary.build("the dog", size=300)


@pytest.mark.parametrize("size", [259, 0, -1, 300.0, "300", None, True, 1_000_001, 2**80])
def test_a_size_that_cannot_be_is_refused(size):
    with pytest.raises(InputError, match=f"size = {size!r}: expected an integer from 260"):
        SubwordVocabulary.build(LINES, size=size)


PROGRAM = f"""
import json, os
from npformer.text import SubwordVocabulary
vocabulary = SubwordVocabulary.build({LINES!r}, size=300)
if os.fork() == 0:
    vocabulary.encode("Mann")
    os._exit(0)
os.wait()
print(json.dumps(vocabulary.to_json()))
"""


@pytest.mark.parametrize("parallelism", ["", "true", "false"])
def test_every_process_builds_the_same_and_says_nothing(parallelism):
    environment = {**os.environ, "PYTHONHASHSEED": str(len(parallelism)), "TOKENIZERS_PARALLELISM": parallelism}
    if not parallelism:
        del environment["TOKENIZERS_PARALLELISM"]
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", PROGRAM]  # of its own fork
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout) == SubwordVocabulary.build(LINES, size=300).to_json()


def test_the_environment_stays_as_it_was(monkeypatch):
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    SubwordVocabulary.build(LINES, size=300)
    assert "TOKENIZERS_PARALLELISM" not in os.environ
