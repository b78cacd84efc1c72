"""Multi30k from a local folder."""

import hashlib
import os
from pathlib import Path

import pytest

from npformer import datasets
from npformer.datasets.data_set import SentencePair
from npformer.datasets.published import multi30k
from tests.datasets.multi30k_files import FILES, SHA256
from tests.datasets.refusals import refusal

REAL = Path(os.environ.get("NPFORMER_DATA", "")) / "multi30k"


@pytest.fixture
def own(monkeypatch, tmp_path):
    """The folder of $NPFORMER_DATA with the six files."""
    monkeypatch.setattr(multi30k, "SHA256", SHA256)
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path / "data"))
    folder = tmp_path / "data" / "multi30k"
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


def test_files_of_a_folder_are_read_in_both_directions(own):
    train, held_out, test = multi30k.load()
    assert train == [
        SentencePair("train A man.", "train Ein Mann mit Größe."),
        SentencePair("Two dogs.", "Zwei Hunde."),
    ]
    assert (held_out[0].source, test[0].source) == ("val A man.", "test_2016_flickr A man.")
    swapped = [SentencePair(pair.target, pair.source) for pair in test]
    assert multi30k.load("de-en", ["test"]) == [swapped]


def test_changed_file_in_folder_is_named(own):
    (own / "val.de.gz").write_bytes(b"")
    message = refusal(datasets.get("multi30k"))
    assert message == (
        f"{own / 'val.de.gz'} is not the file of Multi30k: its sha256 is "
        f"{hashlib.sha256(b'').hexdigest()}, expected {multi30k.SHA256['val.de.gz']}. Fetch it "
        f"again from {multi30k.ADDRESS}val.de.gz"
    )


def test_missing_file_in_folder_is_named(own):
    (own / "val.de.gz").unlink()
    expected = f"{own / 'val.de.gz'} does not exist: fetch it from {multi30k.ADDRESS}val.de.gz"
    assert expected == refusal(datasets.get("multi30k"))


@pytest.mark.skipif(not REAL.is_dir(), reason="NPFORMER_DATA names no folder with multi30k")
def test_published_data():
    splits = multi30k.load()
    assert [len(part) for part in splits] == [29_000, 1_014, 1_000]
    assert all(pair.source.strip() and pair.target.strip() for part in splits for pair in part)
    assert sum("ü" in pair.target for pair in splits[0]) > 1000
    assert not any("�" in text for part in splits for pair in part for text in pair[:2])
    assert [pair.source for pair in multi30k.load("de-en")[1]] == [
        pair.target for pair in splits[1]
    ]
