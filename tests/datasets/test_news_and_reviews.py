"""AG News from small files, and the published sets of labeled texts where they are there."""

import hashlib
import os
from collections import Counter
from pathlib import Path

import pytest

from npformer import datasets
from npformer.datasets.published import ag_news
from tests.datasets.refusals import refusal

ROOT = os.environ.get("NPFORMER_DATA", "")
ROWS = {
    "train": [(f"{i % 4}", f"News {i}") for i in range(80)],
    "test": [("3", "Rockets"), ("0", "Elections")],
}
TEXTS = {name: "".join(f"{label}\t{text}\n" for label, text in rows) for name, rows in ROWS.items()}


def real(name):
    missing = not (Path(ROOT) / name).is_dir() or not ROOT
    return pytest.mark.skipif(missing, reason=f"NPFORMER_DATA names no folder with {name}")


@pytest.fixture
def own(monkeypatch, tmp_path):
    sums = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in TEXTS.items()}
    monkeypatch.setattr(ag_news, "SHA256", sums)
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path))
    (tmp_path / "ag_news").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "ag_news" / f"{name}.tsv").write_text(text)
    return tmp_path / "ag_news"


def test_ag_news_has_class_names(own):
    train, held_out, test = datasets.get("ag_news").load("train", "held_out", "test")
    assert test == [("Sci/Tech", "Rockets"), ("World", "Elections")]
    for part, examples in (("train", train), ("held_out", held_out)):
        assert datasets.get("ag_news").load(part) == [examples]
    names = ("World", "Sports", "Business", "Sci/Tech")
    assert sorted(train + held_out) == sorted((names[i % 4], f"News {i}") for i in range(80))
    assert Counter(label for label, _ in held_out) == dict.fromkeys(names, 1)


def test_file_with_wrong_checksum_is_rejected(own):
    (own / "test.tsv").write_text("3\tRockets\n")
    message = refusal(datasets.get("ag_news"), "test")
    assert (
        f"{own / 'test.tsv'} is not the file of AG News: the sha256 of its rows is " in message
        and f"expected {ag_news.SHA256['test']}: put that one in its place" in message
    )
    assert len(datasets.get("ag_news").load("train")[0]) == 76


@pytest.mark.parametrize("folder", ["there", "nowhere"])
def test_missing_file_of_ag_news_is_described(own, monkeypatch, folder):
    (own / "test.tsv").unlink()
    if folder == "nowhere":
        monkeypatch.delenv("NPFORMER_DATA")
    assert refusal(datasets.get("ag_news"), "test") == (
        "there is no ag_news/test.tsv: set NPFORMER_DATA to a folder with ag_news/train.tsv and "
        "ag_news/test.tsv, a label 0 to 3, a tab and a text per line, plain or .gz. They cannot be "
        "downloaded; or train on labeled texts of your own: --tsv FILE.tsv"
    )


REAL = {
    "ag_news": (
        [38_752, 2040, 7600],
        {"Business": 513, "Sports": 512, "World": 511, "Sci/Tech": 504},
        [0, 0],
    ),
    "trec": (
        [5179, 273, 500],
        {"ENTY": 63, "HUM": 61, "DESC": 58, "NUM": 45, "LOC": 42, "ABBR": 4},
        [9, 1],
    ),
    "sentence_polarity": ([9114, 480, 1068], {"positive": 240, "negative": 240}, [0, 0]),
}


@pytest.mark.long
@pytest.mark.parametrize("name", [pytest.param(name, marks=real(name)) for name in REAL])
def test_published_data(name):
    sizes, held_out_classes, of_test = REAL[name]
    data = datasets.get(name)
    train, held_out, test = parts = data.load("train", "held_out", "test", seed=1)
    assert [len(part) for part in parts] == sizes
    assert Counter(label for label, _ in held_out) == held_out_classes
    texts = [{text for _, text in part} for part in parts]
    assert not texts[0] & texts[1]
    assert [len(part & texts[2]) for part in texts[:2]] == of_test
    assert {label for label, _ in train} == {label for label, _ in test} == set(held_out_classes)
    assert data.load("held_out", seed=2) == [held_out]
