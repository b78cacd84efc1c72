"""Marked words: every text comes back, and capitals and spaces are marks of their own."""

import os
import random
from pathlib import Path

import pytest

from npformer import InputError, datasets
from npformer.text import BPEVocabulary, ByteLevelVocabulary
from npformer.text.pre_tokenizer import BYTE_OF_CHARACTER, MARKS, display_token, text_of, words_of

REAL = Path(os.environ.get("NPFORMER_DATA", "")) / "multi30k"
LETTERS = [
    *range(0x20, 0x250),
    *range(0x370, 0x400),
    *range(0x10A0, 0x1100),
    *range(0x1E00, 0x2000),
]
ODD = [
    *b"\t\n\r      -'''AZaz",
    0x2019,
    0x301,
    0x200D,
    0x2028,
    0xFB01,
    0x10400,
    *range(0x2100, 0x2190),
    0x1F600,
]


def marked(text):
    return [word.marked for word in words_of(text)]


def test_random_text_round_trip():
    rng = random.Random(0)
    for _ in range(5_000):
        text = "".join(map(chr, rng.choices(rng.choice([LETTERS, ODD]), k=rng.randrange(10))))
        assert text_of("".join(marked(text))) == text


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="NPFORMER_DATA names no folder with multi30k")
def test_multi30k_round_trip():
    for pair in datasets.get("multi30k").load("train")[0]:
        for text in (pair.source, pair.target):
            assert text_of("".join(marked(text))) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ein Mann.", "ein⇧ mann⇧ ‿.▁"),
        ("BMX-Rad, T-Shirt", "BMX-Rad▁ ‿,▁ t-shirt⇧"),
        ("the man's \u201chat\u201d", "the▁ man▁ ‿'s▁ \u201c▁ ‿hat▁ ‿\u201d▁"),
        ("the man\u2019s hat", "the▁ man▁ ‿\u2019s▁ hat▁"),
        ("A USA iPhone", "a⇧ usa⇪ iPhone▁"),
        ("a  b ", "a▁ ‿␣␣▁ ‿b▁ ‿␣▁"),
        (" a", "␣▁ ‿a▁"),
        ("Straße ẞ İ ǅ", "straße⇧ ẞ▁ İ▁ ǅ▁"),
        ("schneemann Schneemann SCHNEEMANN", "schneemann▁ schneemann⇧ schneemann⇪"),
        ("", ""),
    ],
)
def test_words_are_marked(text, words):
    assert [display_token(word) for word in marked(text)] == words.split()


def test_unprintable_characters_are_escaped():
    assert [display_token(token) for token in (*marked("\u00a0"), *marked("\u2028"))] == [
        "\\xa0▁",
        "\\u2028▁",
    ]


def test_marks_are_bytes_absent_from_utf8():
    for first in range(0, 0x110000, 0x400):
        points = [point for point in range(first, first + 0x400) if not 0xD800 <= point < 0xE000]
        assert not {BYTE_OF_CHARACTER[mark] for mark in MARKS} & set(
            "".join(map(chr, points)).encode()
        )


def test_half_a_character_is_named():
    expected = r"'\\ud83d', half of a character, which UTF-8 cannot hold: remove it$"
    for vocabulary in (BPEVocabulary.build([], size=300), ByteLevelVocabulary.build([], size=260)):
        with pytest.raises(InputError, match=expected):
            vocabulary.encode("a\ud83d")
