"""Texts for a language model: one's own, tiny Shakespeare and the phrasebook's German."""

import gzip
import hashlib
import os
from pathlib import Path

import pytest

from npformer import datasets
from npformer.datasets.published import shakespeare
from tests.datasets.refusals import refusal

REAL = Path(os.environ.get("NPFORMER_DATA", "")) / "tinyshakespeare"
TEXT = "Whether 'tis nobler\nin the mind\n" * 5


def test_last_tenth_of_text_is_held_out(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    data = datasets.from_text(path)
    assert (data.name, data.task, data.recipe) == ("run", "language_model", "tiny_text")
    assert (data.tokenizer, data.is_synthetic) == ("character", False)
    [held_out], [train] = data.load("held_out", "train")
    assert train + held_out == TEXT and len(train) == int(0.9 * len(TEXT))


def test_eleven_characters_are_enough(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("short text.")
    assert datasets.from_text(path).load("train", "held_out") == [["short tex"], ["t."]]


def test_held_out_file_leaves_training_file_whole(tmp_path):
    (tmp_path / "a").write_text(TEXT)
    (tmp_path / "b").write_text("To be, or not")
    assert datasets.from_text(tmp_path / "a", tmp_path / "b").load("train", "held_out") == [
        [TEXT],
        ["To be, or not"],
    ]
    gone = datasets.from_text(tmp_path / "gone", tmp_path / "b")
    assert gone.load("held_out") == [["To be, or not"]]
    assert "gone does not exist" in refusal(gone, "train")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("text" * 20 + "\n" * 20, "last tenth, which is held out, is"),
        ("\n" * 90 + "text", "first nine tenths are"),
    ],
)
def test_text_with_a_blank_part_is_rejected(tmp_path, text, part):
    path = tmp_path / "text.txt"
    path.write_text(text)
    mend = "leave out what is empty, or give a file to hold out"
    assert refusal(datasets.from_text(path)) == f"{path}: the {part} blank: {mend}"
    assert datasets.from_text(path, path).load("train", "held_out") == [[text], [text]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "{} is empty: expected a text"),
        (" \n\n\t", "{} is empty: expected a text"),
        ("a", "{} has no other character than 'a': expected a text"),
        ("aaaaaaaaaaaaaaaaaaa\n", "{} has no other character than 'a': expected a text"),
        (
            "short text",
            "{}: a text of 10 characters is too short to hold out a tenth: expected 11 at least",
        ),
    ],
)
def test_text_unusable_for_training_is_rejected(tmp_path, text, expected):
    path = tmp_path / "text.txt"
    path.write_text(text)
    assert refusal(datasets.from_text(path)) == expected.format(path)
    if "short" not in text:
        (tmp_path / "good").write_text(TEXT)
        assert refusal(datasets.from_text(tmp_path / "good", path), "held_out") == expected.format(
            path
        )


@pytest.fixture
def small_shakespeare(monkeypatch):
    monkeypatch.setattr(
        shakespeare,
        "SHA256",
        dict.fromkeys(shakespeare.SHA256, hashlib.sha256(TEXT.encode()).hexdigest()),
    )


@pytest.mark.parametrize("name", ["input.txt", "input.txt.gz"])
def test_shakespeare_from_local_folder(monkeypatch, tmp_path, small_shakespeare, name):
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path))
    (tmp_path / "tinyshakespeare").mkdir()
    path = tmp_path / "tinyshakespeare" / name
    pack = gzip.compress if name.endswith(".gz") else bytes
    path.write_bytes(pack(TEXT.encode()))
    [train], [held_out] = datasets.get("shakespeare").load("train", "held_out")
    assert train + held_out == TEXT and len(held_out) == len(TEXT) - int(0.9 * len(TEXT))
    assert datasets.get("shakespeare").load("held_out") == [[held_out]]
    path.write_bytes(pack(b"another play"))
    came, expected = hashlib.sha256(b"another play").hexdigest(), shakespeare.SHA256["input.txt"]
    message = refusal(datasets.get("shakespeare"), "train")
    assert (
        f"{path} is not the file of tiny Shakespeare: its sha256 is {came}, expected {expected}"
        in message
    )


def test_shakespeare_is_downloaded_once(monkeypatch, small_shakespeare, file_server, empty_cache):
    monkeypatch.setattr(shakespeare, "ADDRESS", file_server.address)
    file_server.files = {"input.txt": TEXT.encode()}
    for _ in range(2):
        assert datasets.get("shakespeare").load("train") == [[TEXT[: int(0.9 * len(TEXT))]]]
    assert file_server.asked == ["input.txt"]
    (empty_cache / "tinyshakespeare" / "input.txt").write_text("half")
    file_server.answer = "wrong"
    assert f"{file_server.address}input.txt is not the file of tiny Shakespeare" in refusal(
        datasets.get("shakespeare"), "train"
    )


@pytest.mark.skipif(not REAL.is_dir(), reason="NPFORMER_DATA names no folder with tinyshakespeare")
def test_published_shakespeare():
    [train], [held_out] = datasets.get("shakespeare").load("train", "held_out")
    assert (len(train), len(held_out), len(set(train + held_out))) == (1_003_854, 111_540, 65)
    assert train.startswith("First Citizen:\n")
