"""Multi30k from a server that answers well, badly or not at all."""

import hashlib
import logging

import pytest
from multi30k_files import FILES, SHA256, refusal

from npformer import datasets
from npformer.datasets.published import multi30k


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
    [held_out] = datasets.find("multi30k").load("held_out", direction="de-en")
    assert sorted(server.asked) == kept(cache) == ["val.de.gz", "val.en.gz"]
    assert held_out[0].target == "val A man."


def test_a_data_folder_without_multi30k_is_no_hindrance(server, monkeypatch, tmp_path):
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path))
    assert len(multi30k.load()[0]) == 2


def test_a_file_that_was_damaged_in_the_cache_is_downloaded_again(server, cache):
    first = multi30k.load()
    (cache / "val.en.gz").write_bytes(b"half")
    assert multi30k.load() == first
    assert server.asked[6:] == ["val.en.gz"]


def test_a_damaged_file_without_a_network_is_named(server, cache, monkeypatch):
    multi30k.load()
    (cache / "val.en.gz").write_bytes(b"half")
    server.answer = "404"
    assert "val.en.gz (404 Client Error: Not Found)" in refusal()


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("wrong", f"its sha256 is {hashlib.sha256(b'Sign in to this network').hexdigest()}, expected "),
        ("cut", "(Connection broken)"),
        ("404", "(404 Client Error: Not Found)"),
    ],
)
def test_a_bad_answer_is_refused_and_leaves_nothing(server, cache, answer, what):
    server.answer = answer
    message = refusal()
    assert f"{multi30k.ADDRESS}train.en.gz" in message
    assert what in message
    assert "set NPFORMER_DATA to a folder with its files in multi30k/" in message
    assert kept(cache) == []


def test_a_closed_server_is_refused_and_leaves_nothing(server, cache):
    server.shutdown()
    server.server_close()
    message = refusal()
    assert f"cannot download {multi30k.ADDRESS}train.en.gz (Connection refused)" in message
    assert kept(cache) == []


def test_a_cache_that_cannot_be_made_is_refused(server, cache):
    cache.parent.parent.write_text("a file where the folder should be")
    assert f"cannot keep {cache / 'train.en.gz'} (Not a directory)" in refusal()


def test_a_cache_that_may_not_be_written_is_refused(server, monkeypatch):
    def refuse(path, exist_ok):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("os.makedirs", refuse)
    assert "train.en.gz (Permission denied): " in refusal()


def test_a_full_disk_is_refused_and_leaves_nothing(server, cache, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.move", full)
    assert "train.en.gz (No space left on device): make room" in refusal()
    assert kept(cache) == []


def test_pooch_keeps_its_own_log_level(server):
    import pooch

    logger = pooch.get_logger()
    before = logger.level
    logger.setLevel(logging.DEBUG)  # what an earlier download has not left behind
    try:
        multi30k.load()
        assert logger.level == logging.DEBUG
    finally:
        logger.setLevel(before)
