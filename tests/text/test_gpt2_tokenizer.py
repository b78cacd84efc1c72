"""Byte-level byte pairs against the tokenizer of transformers: the same ids for every text."""

import os
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError
from npformer.text import ByteLevelVocabulary
from npformer.text.gpt2_words import gpt2_words
from npformer.utils.files import read_lines

transformers = pytest.importorskip(
    "transformers", reason='transformers is missing: pip install -e ".[parity]"'
)
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers comes with transformers")

DATA = Path(os.environ.get("NPFORMER_DATA", ""))
VOCAB, MERGES = DATA / "gpt2_bpe" / "gpt2_vocab.json", DATA / "gpt2_bpe" / "gpt2_merges.txt"
REAL = [
    "multi30k/train.en.gz",
    "multi30k/train.de.gz",
    "couplets_tang/train.first.gz",
    "couplets_modern/train.second.gz",
    "chinese_poetry/poet.tang.0.json.gz",
    "tinyshakespeare/input.txt.gz",
    "ag_news/train.tsv.gz",
    "ptb/ptb.train.txt.gz",
]
LINES = [
    "",
    " ",
    "   a  b ",
    "I'll, I'LL, we've, don't 'tis 's",
    "\ta\n\n b\r\n \r\n",
    "3.14 ½ ² Ⅷ 四 ٣٤ 12a3",
    "a\x1c\x1d\x1e\x1f b \x85 \u2028\u3000\u00a0x",
    "e\u0301 u\u0308 \u200d👩\u200d🚀😀",
    "<|endoftext|> a<|endoftext|>b",
    "_a_b __ a_1",
]


def characters():
    """All characters that are assigned; programs of another version of Unicode know more."""
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) not in ("Cn", "Cs"):
            yield chr(code)


def random_lines(n):
    """Lines of characters of one or two neighborhoods of Unicode, mixed with spaces and ASCII."""
    rng = np.random.default_rng(0)
    known = list(characters())
    # private use is an eighth of all, and each character of it is like the others
    known = [c for c in known if unicodedata.category(c) != "Co" or rng.random() < 0.01]
    common = [*"   \t\n'ab1.,", "'s", "  ", "\u00a0", "\u200b", "\u0301"]
    for i in range(n):
        start = i * len(known) // n
        other = rng.integers(len(known))
        near = known[start : start + 60] + known[other : other + 10]
        line = ""
        for _ in range(rng.integers(1, 40)):
            part = common if rng.random() < 0.3 else near
            line += part[rng.integers(len(part))]
        yield line


def real_lines(n):
    """Lines from the start of each file of other people's text."""
    for name in REAL:
        yield from read_lines(DATA / name)[: n // len(REAL)]


@pytest.fixture(scope="module")
def learned():
    return ByteLevelVocabulary.build([*LINES, *random_lines(300)] * 2, size=900)


@pytest.fixture(scope="module")
def gpt2():
    if not VOCAB.exists():
        pytest.skip("NPFORMER_DATA names no folder with gpt2_bpe")
    return ByteLevelVocabulary.from_files(VOCAB, MERGES)


@pytest.fixture(params=["learned", "gpt2"])
def vocabulary(request):
    return request.getfixturevalue(request.param)


def theirs_of(vocabulary):
    ids = {token: i for i, token in enumerate(vocabulary.coded_tokens)}
    return transformers.GPT2Tokenizer(vocab=ids, merges=vocabulary.merges)


def check_equal(vocabulary, lines):
    theirs = theirs_of(vocabulary)
    expected = theirs(lines)["input_ids"]
    different = []
    for line, ids in zip(lines, expected, strict=True):
        own = vocabulary.encode(line, special_tokens=True)
        # without a text where it is a special token, which has no text with us
        text = line.replace("<|endoftext|>", "")
        if own != ids or vocabulary.decode(own) != text:
            different.append(line)
        assert vocabulary.decode(vocabulary.encode(line)) == line
    assert different == []


def test_ids_equal_those_of_transformers(vocabulary):
    check_equal(vocabulary, [*LINES, *random_lines(2000)])


def test_ids_of_real_text_equal_those_of_transformers(gpt2):
    check_equal(gpt2, list(real_lines(2000)))


@pytest.mark.long
def test_ids_of_100000_lines_equal_those_of_transformers(gpt2):
    lines = list(real_lines(60_000))
    lines += random_lines(100_000 - len(lines))
    check_equal(gpt2, lines)


def test_names_of_special_tokens_are_text_by_default(vocabulary):
    theirs = theirs_of(vocabulary)
    text = "a<|endoftext|> b"
    expected = theirs(text, split_special_tokens=True)["input_ids"]
    assert vocabulary.encode(text) == expected
    assert vocabulary.eos_id == theirs.eos_token_id
    assert vocabulary.eos_id not in expected


def test_ids_are_decoded_as_by_transformers(vocabulary):
    theirs = theirs_of(vocabulary)
    rng = np.random.default_rng(1)
    for _ in range(300):
        ids = rng.integers(len(vocabulary), size=8).tolist()
        assert vocabulary.decode(ids) == theirs.decode(ids, skip_special_tokens=True)


def test_each_character_is_cut_as_by_tokenizers():
    cuts = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    known = list(characters())
    for start in range(0, len(known), 20):
        text = "".join(f"a{c}a 1{c}1 {c} !{c}! {c}{c}  {c}" for c in known[start : start + 20])
        expected = [text[begin:end] for _, (begin, end) in cuts.pre_tokenize_str(text)]
        assert gpt2_words(text) == expected


def test_tokens_of_gpt2_are_bytes_merges_and_end_of_text(gpt2):
    assert (len(gpt2), gpt2.eos_id, gpt2.special_tokens) == (50257, 50256, ["<|endoftext|>"])
    assert gpt2.encode("Hello world") == [15496, 995]
    assert gpt2.split("naïve  Straße") == ["na", "ïve", "␣", "␣Stra", "ß", "e"]


def test_tokenizer_json_is_read(learned, tmp_path):
    path = tmp_path / "tokenizer.json"
    theirs = theirs_of(learned).backend_tokenizer
    theirs.save(str(path))
    again = ByteLevelVocabulary.from_tokenizer_json(path)
    assert (again.coded_tokens, again.merges) == (learned.coded_tokens, learned.merges)

    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    theirs.save(str(path))
    with pytest.raises(InputError, match=r"its pre-tokenizer is .*Whitespace.*expected ByteLevel"):
        ByteLevelVocabulary.from_tokenizer_json(path)
