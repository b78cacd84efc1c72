"""Multi30k from a server that answers well, badly or not at all."""

import hashlib
import logging

import pooch
import pytest

from npformer import datasets
from npformer.datasets.download import _reason
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
            "{url} is not the file of Multi30k: its sha256 is "
            + hashlib.sha256(b"Sign in to this network").hexdigest()
            + ", expected {sha256}. Try again later, or {advice}",
        ),
        ("cut", "cannot download {url} (Connection broken): check the network, or {advice}"),
        (
            "404",
            "cannot download {url} (404 Client Error: Not Found): check the network, or {advice}",
        ),
    ],
)
def test_bad_server_response_is_rejected_and_not_cached(server, cache, answer, what):
    server.answer = answer
    expected = what.format(
        url=f"{multi30k.ADDRESS}train.en.gz",
        sha256=SHA256["train.en.gz"],
        advice="set NPFORMER_DATA to a folder with its files in multi30k/",
    )
    assert refusal(datasets.get("multi30k")) == expected
    assert kept(cache) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (OSError(30, "Read-only file system"), "Read-only file system"),
        (OSError("the disk\n is gone"), "the disk is gone"),
    ],
)
def test_file_that_cannot_be_kept_is_reported(server, cache, monkeypatch, error, reason):
    def fail(*given, **how):
        raise error

    monkeypatch.setattr("pooch.retrieve", fail)
    assert refusal(datasets.get("multi30k")) == (
        f"cannot keep {cache / 'train.en.gz'} ({reason}): make room for it, or set NPFORMER_DATA "
        "to a folder with its files in multi30k/"
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "HTTPSConnectionPool(host='a'): (Caused by NameResolutionError(\"Failed to resolve 'a' "
            '([Errno -2] Name or service not known)"))',
            "Name or service not known",
        ),
        ("HTTPSConnectionPool(host='a'): Read timed out. (read timeout=30)", "Read timed out"),
        (
            "503 Server Error: Service Unavailable for url: https://a/",
            "503 Server Error: Service Unavailable",
        ),
    ],
)
def test_reason_is_told_without_what_libraries_print_around_it(text, reason):
    assert _reason(Exception(text)) == reason


def test_download_leaves_the_messages_of_pooch_as_they_were(server, monkeypatch):
    logger = pooch.get_logger()
    monkeypatch.setattr(logger, "level", logging.ERROR)
    multi30k.load()
    assert logger.level == logging.ERROR
