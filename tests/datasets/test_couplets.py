"""Couplets out of poems: which are taken, and that no line of the test is seen in training."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from npformer import datasets
from npformer.datasets.data_set import SentencePair
from npformer.datasets.published import couplets

REAL = Path(os.environ.get("NPFORMER_DATA", "")) / "chinese_poetry"
SIGNS = [chr(0x4E00 + i) for i in range(5000)]


def verses(start, *, length=5, number=8):
    """Lines of signs that stand nowhere else."""
    return ["".join(SIGNS[start + i * length : start + (i + 1) * length]) for i in range(number)]


def poem(lines, stops="，。" * 8, identity="x"):
    return {
        "id": identity,
        "paragraphs": ["".join(line + stop for line, stop in zip(lines, stops, strict=False))],
    }


@pytest.mark.parametrize("length", [5, 7])
@pytest.mark.parametrize("stops", ["，。" * 4, "，？；。，！：。", "、。" * 4])
def test_second_and_third_couplets_are_extracted(length, stops):
    lines = verses(0, length=length)
    assert couplets.couplets(poem(lines, stops)) == [
        SentencePair(*lines[2:4]),
        SentencePair(*lines[4:6]),
    ]
    split_up = {
        "paragraphs": [f"{one}，{two}。" for one, two in zip(lines[::2], lines[1::2], strict=True)]
    }
    assert couplets.couplets(split_up) == couplets.couplets(poem(lines))


@pytest.mark.parametrize(
    "changed",
    [
        poem(verses(0, length=4)),
        poem(verses(0, length=6)),
        poem(verses(0, number=6)),
        poem(verses(0, number=10)),
        poem([*verses(0)[:7], "一二三四五六七"]),
        poem(verses(0), "，。，。，。，"),  # the last line is cut off
        {"paragraphs": [*poem(verses(0))["paragraphs"], "一二三四五"]},
        poem([*verses(0)[:7], "一二□四五"]),
        poem([*verses(0)[:7], "一二a四五"]),
        poem(["一二（四五", *verses(0)[1:]]),
        {"paragraphs": []},
        {"paragraphs": [""]},
    ],
)
def test_other_poem_forms_give_no_couplets(changed):
    assert couplets.couplets(changed) == []


def test_couplet_with_repeated_character_is_excluded():
    lines = verses(0)
    lines[3] = lines[3][:4] + lines[2][4]
    assert couplets.couplets(poem(lines)) == [SentencePair(*lines[4:6])]
    lines = verses(0)
    lines[3] = lines[3][:4] + lines[2][0]  # at another place it may stand
    assert len(couplets.couplets(poem(lines))) == 2


def identity(remainder, skip=0):
    """Return an id whose sum leaves this remainder."""
    fitting = (
        i
        for i in range(100_000)
        if int(hashlib.sha256(f"{i}".encode()).hexdigest(), 16) % 44 == remainder
    )
    return str([next(fitting) for _ in range(skip + 1)][-1])


def test_poem_id_selects_the_part_of_both_couplets():
    found = couplets.split(poem(verses(i * 40), identity=identity(i)) for i in range(44))
    assert {part: len(pairs) for part, pairs in found.items()} == {
        "test": 2,
        "held_out": 2,
        "train": 84,
    }
    assert (
        found["test"][0] == SentencePair(*verses(0)[2:4])
        and found["held_out"][1].source == verses(40)[4]
    )


def test_evaluated_lines_and_repeats_are_dropped_elsewhere():
    tested, held, trained, again = verses(0), verses(40), verses(80), verses(80)
    held[2], trained[4], again[3] = tested[2], held[5], verses(200)[0]
    poems = [poem(lines, identity=identity(i)) for i, lines in enumerate((tested, held, trained))]
    poems += [poem(again, identity=identity(5)), poem(trained, identity=identity(6))]
    found = couplets.split(reversed(poems))
    assert [len(found[part]) for part in ("test", "held_out")] == [2, 1]
    assert found["held_out"] == [SentencePair(*held[4:6])]
    assert (
        set(found["train"])
        == {
            SentencePair(*trained[2:4]),
            SentencePair(*again[2:4]),  # the same first line, another second one
            SentencePair(*again[4:6]),
        }
    )
    assert len(found["train"]) == 3


@pytest.fixture
def poems(monkeypatch):
    """Two small files in place of the 58."""
    texts = {
        f"poet.tang.{n}.json": json.dumps(
            [poem(verses(n * 40 + i * 40), identity=identity(n + i)) for i in range(2)],
            ensure_ascii=False,
        ).encode()
        for n in (0, 2)
    }
    monkeypatch.setattr(
        couplets, "SHA256", {name: hashlib.sha256(text).hexdigest() for name, text in texts.items()}
    )
    return texts


def test_files_are_downloaded_once(monkeypatch, poems, file_server, empty_cache):
    monkeypatch.setattr(couplets, "ADDRESS", file_server.address)
    file_server.files = poems
    first = datasets.get("couplets").load("train")
    assert datasets.get("couplets").load("train") == first and len(first[0]) == 4
    assert file_server.asked == list(poems)
    assert sorted(path.name for path in (empty_cache / "chinese_poetry").iterdir()) == list(poems)


@pytest.mark.parametrize("remainder", [0, 1], ids=["tested", "held out"])
@pytest.mark.parametrize("line", [2, 3], ids=["its first line", "its second line"])
@pytest.mark.parametrize("trained_line", [2, 3], ids=["as a first line", "as a second line"])
def test_no_line_is_in_training_and_evaluation(remainder, line, trained_line):
    scored, trained = verses(0), verses(40)
    trained[trained_line] = scored[line]
    found = couplets.split(
        [poem(scored, identity=identity(remainder)), poem(trained, identity=identity(5))]
    )
    assert found["train"] == [SentencePair(*trained[4:6])]


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason="NPFORMER_DATA names no folder with chinese_poetry")
def test_published_poems():
    train, held_out, test = parts = datasets.get("couplets").load("train", "held_out", "test")
    assert [len(part) for part in parts] == [41_434, 976, 1010]
    lines = [{line for pair in part for line in pair[:2]} for part in parts]
    assert not lines[0] & lines[1] and not lines[0] & lines[2] and not lines[1] & lines[2]
    assert len(set(train + held_out + test)) == 43_420
    for first, second, _ in train + held_out + test:
        assert len(first) == len(second) in (5, 7)
        assert all(a != b for a, b in zip(first, second, strict=True))
        assert min(first + second) >= "㐀" and not set(first + second) & set("，。？！；：、（）")
