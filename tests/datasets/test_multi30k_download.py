"""Multi30k from a server that answers well, badly or not at all."""

import hashlib

import pytest

from npformer import datasets
from npformer.datasets.published import multi30k
from tests.datasets.multi30k_files import FILES, SHA256
from tests.datasets.refusals import refusal


@pytest.fixture
def cache(monkeypatch, empty_cache):
    monkeypatch.setattr(multi30k, "SHA256", SHA256)
    return empty_cache / "multi30k"


@pytest.fixture
def server(monkeypatch, cache, file_server):
    monkeypatch.setattr(multi30k, "ADDRESS", file_server.address)
    file_server.files = FILES
    return file_server


def kept(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_files_are_downloaded_once(server, cache, capfd):
    first = multi30k.load()
    assert len(server.asked) == 6
    assert kept(cache) == sorted(FILES)
    assert multi30k.load() == first
    assert len(server.asked) == 6
    assert first[0][0].target == "train Ein Mann mit Größe."
    assert capfd.readouterr() == ("", "")


def test_only_the_files_of_a_part_are_downloaded(server, cache):
    [held_out] = datasets.get("multi30k").load("held_out", direction="de-en")
    assert sorted(server.asked) == kept(cache) == ["val.de.gz", "val.en.gz"]
    assert held_out[0].target == "val A man."


def test_damaged_cache_file_is_downloaded_again(server, cache):
    first = multi30k.load()
    (cache / "val.en.gz").write_bytes(b"half")
    assert multi30k.load() == first
    assert server.asked[6:] == ["val.en.gz"]


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (
            "wrong",
            f"its sha256 is {hashlib.sha256(b'Sign in to this network').hexdigest()}, expected ",
        ),
        ("cut", "(Connection broken)"),
        ("404", "(404 Client Error: Not Found)"),
    ],
)
def test_bad_server_response_is_rejected_and_not_cached(server, cache, answer, what):
    server.answer = answer
    message = refusal(datasets.get("multi30k"))
    assert f"{multi30k.ADDRESS}train.en.gz" in message
    assert what in message
    assert "set NPFORMER_DATA to a folder with its files in multi30k/" in message
    assert kept(cache) == []
