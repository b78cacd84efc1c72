import ast
import errno
import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

import npformer
from npformer import InputError
from npformer.utils.files import (
    make_folder,
    read_json,
    read_lines,
    read_text,
    write_atomic,
    write_json,
)

PACKAGE = Path(npformer.__file__).parent
SOURCES = sorted([*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "npformer_course").rglob("*.py")])
RUNNING_CODE = (
    "npformer_course/definition.py",
    "npformer_course/exercises/bug_hunt/exercise.py",
    "npformer_course/exercises/second_bug_hunt/exercise.py",
    "npformer_course/student/stand_ins.py",
)
STEPPER = "visualization/stepper/recorder.py"  # the factors of a product, in the code of layers
PICKLING = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
BETWEEN_PROCESSES = "npformer_course/sandbox/protocol.py"  # arrays in .npz


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    return path


@pytest.fixture
def message():
    """Read a file that cannot be used, and return the one line that says why."""

    def read(reader, path):
        with pytest.raises(InputError) as caught:
            reader(path)
        text = str(caught.value)
        assert "\n" not in text and str(path) in text
        return text

    return read


def test_atomic_write_replaces_content_without_leftovers(old):
    write_atomic(old, "neu: ä")
    assert old.read_text(encoding="utf-8") == "neu: ä"
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
def test_new_file_has_default_permissions_and_a_replaced_one_its_own(old, tmp_path):
    old.chmod(0o600)
    previous = os.umask(0o027)
    try:
        write_atomic(old, b"new")
        write_atomic(tmp_path / "new.txt", b"new")
    finally:
        os.umask(previous)
    assert old.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "new.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_stays_one_and_its_file_is_written(old, tmp_path):
    link = tmp_path / "links" / "link.txt"
    link.parent.mkdir()
    link.symlink_to(old)
    write_atomic(link, "new")
    assert link.is_symlink() and old.read_text() == "new"
    assert list(link.parent.iterdir()) == [link]
    old.unlink()
    write_atomic(link, "newer")
    assert link.is_symlink() and old.read_text() == "newer"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # open before the other end, because a pipe without a reader blocks
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomic(pipe, "new")
    assert os.read(reader, 100) == b"new" and pipe.is_fifo()
    os.close(reader)


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), SystemExit()]
)
def test_failed_write_keeps_old_file_without_leftovers(old, monkeypatch, call, error):
    def fail(*arguments):
        raise error

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(InputError if isinstance(error, OSError) else type(error)) as caught:
        write_atomic(old, "new")
    if isinstance(error, OSError):
        assert str(caught.value) == f"cannot write {old}: No space left on device"
    assert old.read_text() == "old"
    assert list(old.parent.iterdir()) == [old]


def test_content_is_on_the_disk_before_it_has_the_name(old, monkeypatch):
    order = []
    replace = os.replace

    def replace_and_note(part, path):
        order.append(("replaces", Path(path).read_text()))
        replace(part, path)

    monkeypatch.setattr(os, "fsync", lambda file: order.append(("on disk", os.fstat(file).st_size)))
    monkeypatch.setattr(os, "replace", replace_and_note)
    write_atomic(old, "newer")
    assert order == [("on disk", 5), ("replaces", "old")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_kill_during_write_keeps_old_file(old):
    program = (
        "import os, signal, sys\n"
        "from npformer.utils.files import write_atomic\n"
        "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_atomic(sys.argv[1], 'new' * 100000)"
    )
    assert subprocess.run([sys.executable, "-c", program, old]).returncode == -9
    assert old.read_text() == "old"


@pytest.mark.parametrize("place", ["missing/file.txt", "a_file/file.txt", "folder"])
def test_unwritable_path_is_named(tmp_path, message, place):
    (tmp_path / "folder").mkdir()
    (tmp_path / "a_file").touch()
    assert "cannot write" in message(lambda path: write_atomic(path, "new"), tmp_path / place)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a_file", "folder"]


def test_folder_that_cannot_be_created_is_named(old, message):
    assert "cannot make the folder" in message(make_folder, old / "below")


@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
@pytest.mark.parametrize("content", ["a b\nc\n", "a b\nc", "a b\r\nc\r\n", "\ufeffa b\nc\n"])
def test_lines_are_read_with_any_line_end_or_gzip(tmp_path, ending, content):
    path = tmp_path / f"lines.{ending}"
    data = content.encode()
    path.write_bytes(gzip.compress(data) if ending == "txt.gz" else data)
    assert read_lines(path) == ["a b", "c"]


def test_only_a_line_feed_ends_a_line(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("a\u2028b\x85c\x0cd\ne\n", encoding="utf-8")
    assert read_lines(path) == ["a\u2028b\x85c\x0cd", "e"]


def test_files_of_windows_that_were_put_together_have_no_marks_within(tmp_path):
    path = tmp_path / "both.txt"
    path.write_bytes("\ufeffa\r\nb\r\n\ufeffc\r\n".encode())
    assert read_lines(path) == ["a", "b", "c"]


def test_missing_folder_or_non_utf8_file_is_named(tmp_path, message):
    assert "does not exist" in message(read_text, tmp_path / "missing.txt")
    assert "Is a directory" in message(read_text, tmp_path)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Grüße".encode("latin-1"))
    assert "not UTF-8 at byte 2" in message(read_text, latin)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-6], lambda data: b"plain text", lambda data: data[:30] + b"x"]
)
def test_truncated_or_invalid_gzip_file_is_named(tmp_path, message, damage):
    path = tmp_path / "lines.gz"
    path.write_bytes(damage(gzip.compress(b"a line that is long enough to be packed\n" * 9)))
    assert "not a whole gzip file" in message(read_text, path)


def test_json_round_trip(tmp_path):
    value = {"epochs": 3, "tokens": ["ä", "€"], "rate": 0.1 + 0.2}
    write_json(tmp_path / "value.json", value)
    assert read_json(tmp_path / "value.json") == value
    assert '"ä"' in (tmp_path / "value.json").read_text(encoding="utf-8")  # as people read it
    write_json(tmp_path / "odd.json", {"src": os.fsdecode(b"caf\xe9")})
    assert (tmp_path / "odd.json").read_bytes() == b'{\n  "src": "caf\\udce9"\n}\n'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is not JSON: Expecting value"),
        ("{", "it is not JSON: Expecting property name"),
        ("[1, 2]", "expected a JSON object, it holds a list"),
        ("3", "expected a JSON object, it holds a int"),
        ("null", "expected a JSON object, it holds a NoneType"),
        ("[" * 100_000, "it is not JSON: "),
        (f'{{"n": {"9" * 5000}}}', "it is not JSON: "),
    ],
)
def test_json_without_object_is_reported_as_damaged(tmp_path, message, text, why):
    path = tmp_path / "value.json"
    path.write_text(text)
    assert f"{path} is damaged: {why}" in message(read_json, path)


def test_no_module_can_unpickle_files():
    """No pickle, no way round it, and no NumPy reader that could turn to it unless that is
    switched off.
    """
    files = (
        (
            path.relative_to(PACKAGE.parent).as_posix().removeprefix("npformer/"),
            ast.parse(path.read_text(encoding="utf-8")),
        )
        for path in SOURCES
    )
    for name, node in ((name, node) for name, module in files for node in ast.walk(module)):
        modules = (
            {alias.name for alias in node.names}
            if isinstance(node, (ast.Import, ast.ImportFrom))
            else set()
        )
        modules |= {node.module} if isinstance(node, ast.ImportFrom) else set()
        assert not modules & PICKLING, name
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", None)
            pickles = [
                ast.unparse(keyword.value)
                for keyword in node.keywords
                if keyword.arg == "allow_pickle"
            ]
            assert pickles == (
                ["False"] if (name, called) == (BETWEEN_PROCESSES, "_load") else []
            ), name
            assert (called != "eval" or name == STEPPER) and (
                called != "exec" or name in RUNNING_CODE
            ), name
        numpys = (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("np", "xp")
        )
        if numpys and name != BETWEEN_PROCESSES:
            assert node.attr not in {"load", "save", "savez", "savez_compressed", "fromfile"}, name
