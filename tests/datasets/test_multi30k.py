"""Multi30k from a local folder and from a server that answers well, badly or not at all."""

import gzip
import hashlib
import http.server
import os
import threading
from pathlib import Path

import pytest

from npformer import InputError
from npformer.datasets import multi30k
from npformer.datasets.pair import SentencePair

LINES = {"en": "A man.\nTwo dogs.\n", "de": "Ein Mann mit Größe.\nZwei Hunde.\n"}
FILES = {
    f"{part}.{language}.gz": gzip.compress(f"{part} {lines}".encode())
    for part in multi30k.PARTS
    for language, lines in LINES.items()
}
REAL = Path(os.environ.get("NPFORMER_DATA", "")) / "multi30k"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        name = self.path.rpartition("/")[2]
        server.asked.append(name)
        if server.answer == "404":
            return self.send_error(404)
        body = b"Sign in to this network" if server.answer == "wrong" else FILES[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + (1000 if server.answer == "cut" else 0)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def fake_sums(monkeypatch):
    monkeypatch.setattr(multi30k, "SHA256", {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()})


@pytest.fixture
def cache(monkeypatch, tmp_path, fake_sums):
    """The cache folder, empty and the only place to look."""
    monkeypatch.delenv("NPFORMER_DATA", raising=False)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "npformer" / "multi30k"


@pytest.fixture
def server(monkeypatch, cache):
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.answer, server.asked = "good", []
        monkeypatch.setattr(multi30k, "ADDRESS", f"http://127.0.0.1:{server.server_port}/raw/")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def own(monkeypatch, tmp_path, fake_sums):
    """The folder of $NPFORMER_DATA with the six files."""
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path / "data"))
    folder = tmp_path / "data" / "multi30k"
    folder.mkdir(parents=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


def refusal(direction="en-de"):
    with pytest.raises(InputError) as caught:
        multi30k.load(direction)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def kept(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_the_files_of_a_folder_are_read_in_both_directions(own):
    splits = multi30k.load()
    assert splits.train == [
        SentencePair("train A man.", "train Ein Mann mit Größe."),
        SentencePair("Two dogs.", "Zwei Hunde."),
    ]
    assert (splits.valid[0].source, splits.test[0].source) == ("val A man.", "test_2016_flickr A man.")
    swapped = [SentencePair(pair.target, pair.source) for pair in splits.test]
    assert multi30k.load("de-en").test == swapped


@pytest.mark.parametrize("direction", ["en-fr", "ende", None])
def test_another_direction_is_refused(direction):
    assert refusal(direction) == f"direction = {direction!r}: expected one of en-de, de-en"


def test_a_changed_file_in_the_folder_is_named(own):
    (own / "val.de.gz").write_bytes(b"")
    message = refusal()
    assert f"{own / 'val.de.gz'} is not the file of Multi30k" in message
    assert hashlib.sha256(b"").hexdigest() in message
    assert multi30k.SHA256["val.de.gz"] in message


def test_a_missing_file_in_the_folder_is_named(own):
    (own / "val.de.gz").unlink()
    assert f"{own / 'val.de.gz'} does not exist: fetch it from https://" in refusal()


def test_files_are_downloaded_once(server, cache, capfd):
    first = multi30k.load()
    assert len(server.asked) == 6
    assert kept(cache) == sorted(FILES)
    assert multi30k.load() == first
    assert len(server.asked) == 6
    assert first.train[0].target == "train Ein Mann mit Größe."
    assert capfd.readouterr() == ("", "")


def test_a_data_folder_without_multi30k_is_no_hindrance(server, monkeypatch, tmp_path):
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path))
    assert len(multi30k.load().train) == 2


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
    assert multi30k.ADVICE in message
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

    level = pooch.get_logger().level
    multi30k.load()
    assert pooch.get_logger().level == level


@pytest.mark.skipif(not REAL.is_dir(), reason="NPFORMER_DATA names no folder with multi30k")
def test_the_real_data():
    splits = multi30k.load()
    assert [len(part) for part in splits] == [29_000, 1_014, 1_000]
    assert all(pair.source.strip() and pair.target.strip() for part in splits for pair in part)
    assert sum("ü" in pair.target for pair in splits.train) > 1000
    assert not any("�" in text for part in splits for pair in part for text in pair[:2])
    assert [pair.source for pair in multi30k.load("de-en").valid] == [pair.target for pair in splits.valid]
