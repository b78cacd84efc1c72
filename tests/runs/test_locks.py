"""One process at a time begins, resumes or trains a run, and what cannot begin leaves nothing."""

import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from npformer import InputError, runs
from npformer.runs.folder import RunFolder
from npformer.runs.settings import TrainingSettings
from npformer.runs.training_run import Run

HOLD = """
import sys
from npformer.runs.folder import RunFolder
folder = RunFolder(sys.argv[1])
folder.lock()
print("locked", flush=True)
sys.stdin.read()
"""
TRY_EACH = """
import sys
from npformer import InputError
from npformer.runs.folder import RunFolder
for line in sys.stdin:
    folder = RunFolder(line.rstrip())
    try:
        folder.lock()
        folder.unlock()
        print("free", flush=True)
    except InputError:
        print("locked", flush=True)
"""


@contextmanager
def another_process_holds(folder):
    """Let another process hold the lock of a folder inside a with block."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"locked\n"
        yield
        process.stdin.close()


def files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def is_locked():
    """Return whether another process, which the tests share, cannot lock a folder."""
    command = [sys.executable, "-c", TRY_EACH]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, **pipes) as process:

        def ask(folder):
            process.stdin.write(f"{folder}\n")
            return process.stdout.readline() == "locked\n"

        yield ask
        process.stdin.close()


def test_folder_in_which_another_process_begins_is_refused(begin, tmp_path):
    (tmp_path / "run").mkdir()
    with another_process_holds(tmp_path / "run"):
        with pytest.raises(InputError, match="is being trained by another process"):
            begin()
        assert [path.name for path in (tmp_path / "run").iterdir()] == ["lock"]
    begin()


def test_folder_is_locked_before_data_are_read_and_until_training_ends(
    begin, is_locked, tmp_path, monkeypatch
):
    seen = []
    load = TrainingSettings.load

    def load_and_look(*arguments, **keywords):
        seen.append(is_locked(tmp_path / "run"))
        return load(*arguments, **keywords)

    monkeypatch.setattr(TrainingSettings, "load", load_and_look)
    run = begin(epochs=1)
    assert seen == [True]
    assert is_locked(tmp_path / "run")
    list(run.updates())
    assert not is_locked(tmp_path / "run")

    resumed = runs.resume(tmp_path / "run", epochs=2)
    assert seen == [True, True]
    next(resumed.updates())  # the loop is left at once
    assert not is_locked(tmp_path / "run")


def test_run_that_is_begun_and_dropped_is_unlocked(begin, is_locked, tmp_path):
    run = begin()
    assert is_locked(tmp_path / "run")
    del run
    assert not is_locked(tmp_path / "run")


def test_resume_changes_nothing_while_another_process_trains(begin, tmp_path):
    list(begin(epochs=1).updates())
    (tmp_path / "run" / ".log.csv.abcdefgh.part").touch()
    before = files(tmp_path)
    with another_process_holds(tmp_path / "run"):
        with pytest.raises(InputError, match="is being trained by another process"):
            runs.resume(tmp_path / "run", epochs=2)
        assert files(tmp_path) == before


def test_resume_that_is_refused_lets_others_train(begin, is_locked, tmp_path):
    list(begin(epochs=1).updates())
    (tmp_path / "run" / "checkpoint.safetensors").write_bytes(b"")
    before = files(tmp_path)
    with pytest.raises(InputError, match="is damaged"):
        runs.resume(tmp_path / "run")
    assert files(tmp_path) == before
    assert not is_locked(tmp_path / "run")

    (tmp_path / "run" / "lock").unlink()
    before = files(tmp_path)
    with pytest.raises(InputError, match="is damaged"):
        runs.resume(tmp_path / "run")
    assert files(tmp_path) == before


def test_a_run_that_is_done_is_locked_while_its_weights_are_written(
    begin, is_locked, tmp_path, monkeypatch
):
    list(begin(epochs=2, average=2).updates())
    seen = []
    monkeypatch.setattr(Run, "save_weights", lambda run: seen.append(is_locked(tmp_path / "run")))
    list(runs.resume(tmp_path / "run", average=1).updates())
    assert seen == [True]


@pytest.mark.parametrize("place", [(Run, "save"), (RunFolder, "create"), (RunFolder, "lock")])
@pytest.mark.parametrize("error", [InputError("no space"), KeyboardInterrupt()])
def test_run_that_cannot_begin_leaves_nothing(begin, tmp_path, monkeypatch, place, error):
    def fail(*arguments, **keywords):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(*place, fail)
        with pytest.raises(type(error)):
            begin("new/inner")
    assert not (tmp_path / "new").exists()

    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "notes.txt").write_text("mine")
    with monkeypatch.context() as patch:
        patch.setattr(*place, fail)
        with pytest.raises(type(error)):
            begin("old")
    assert [path.name for path in (tmp_path / "old").iterdir()] == ["notes.txt"]
    begin("old")

    (tmp_path / "empty" / "inner").mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(*place, fail)
        with pytest.raises(type(error)):
            begin("empty/inner")
    assert (tmp_path / "empty" / "inner").exists()


@pytest.mark.parametrize("is_folder", [False, True])
def test_what_comes_into_the_folder_while_a_run_begins_is_kept(
    begin, tmp_path, monkeypatch, is_folder
):
    notes = tmp_path / "run" / "notes"

    def fail(*arguments):
        (tmp_path / "run" / ".log.csv.ab_cd3fg.part").touch()
        notes.mkdir() if is_folder else notes.write_text("mine")
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "save", fail)
    with pytest.raises(KeyboardInterrupt):
        begin("run")
    assert list((tmp_path / "run").iterdir()) == [notes]


def test_folder_of_a_run_that_another_process_has_just_begun_is_refused(
    begin, tmp_path, monkeypatch
):
    lock = RunFolder.lock

    def lock_late(folder):
        lock(folder)
        folder.config_path.write_text("{}")

    def load(*arguments, **keywords):
        raise AssertionError("the data was read")

    monkeypatch.setattr(RunFolder, "lock", lock_late)
    monkeypatch.setattr(TrainingSettings, "load", load)
    with pytest.raises(InputError, match="holds a run already"):
        begin()
    assert (tmp_path / "run" / "config.json").read_text() == "{}"


def refuse(path, *mode):
    raise PermissionError(13, "Permission denied")


def test_new_folder_in_runs_goes_when_its_run_cannot_begin(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        runs.begin(texts=[])
    assert not (tmp_path / "runs").exists()

    (tmp_path / "runs" / "texts").mkdir(parents=True)
    with pytest.raises(InputError):
        runs.begin(texts=[])
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["texts"]


def test_new_folder_that_cannot_be_made_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", refuse)
        patch.setattr("npformer.runs.folder.make_folder", lambda path: None)
        with pytest.raises(InputError) as caught:
            runs.begin(texts=[])
    path = Path("runs", "run")
    assert str(caught.value) == (
        f"cannot make the folder {path}: Permission denied: give another one"
    )

    Path("runs").touch()
    with pytest.raises(InputError, match="cannot make the folder runs: "):
        runs.begin(texts=[])


def test_folder_that_cannot_be_written_to_is_named(begin, tmp_path, monkeypatch):
    list(begin(epochs=1).updates())
    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(InputError, match=r"cannot write .*lock: Permission denied"):
        RunFolder(tmp_path / "run").lock()


def test_second_object_of_one_process_shares_the_lock(begin, is_locked, tmp_path, monkeypatch):
    run = begin(epochs=1)
    monkeypatch.chdir(tmp_path)
    again = runs.resume("run")
    del again
    assert is_locked(tmp_path / "run")
    del run
    assert not is_locked(tmp_path / "run")


def windows_locking(fcntl, descriptor, mode, n_bytes):
    """Lock as Windows does: each open file has locks of its own, also within one process."""
    assert (mode, n_bytes) == (2, 1)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PermissionError(13, "Permission denied") from None


def test_folder_is_locked_on_windows_too(begin, tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    msvcrt = SimpleNamespace(LK_NBLCK=2, locking=partial(windows_locking, fcntl))
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    (tmp_path / "run").mkdir()
    with open(tmp_path / "run" / "lock", "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(InputError, match="is being trained by another process"):
            begin()
    run = begin(epochs=1)
    assert runs.resume(tmp_path / "run")
    assert list(run.updates())


def test_runs_work_where_no_file_can_be_locked(begin, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    run = begin(epochs=1)
    assert runs.resume(tmp_path / "run")
    assert list(run.updates())


def test_in_the_browser_nothing_is_locked(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", SimpleNamespace())  # without lockf
    monkeypatch.setattr(sys, "platform", "emscripten")
    RunFolder(tmp_path).lock()
    assert not (tmp_path / "lock").stat().st_mode & 0o111


def test_resume_without_permission_to_write_is_refused_in_one_line(begin, tmp_path, monkeypatch):
    list(begin(epochs=1).updates())
    (tmp_path / "run" / "lock").unlink()

    def refuse(path):
        raise InputError(f"cannot write {path}")

    monkeypatch.setattr("npformer.runs.lock.Lock.of", refuse)
    with pytest.raises(InputError, match="cannot write"):
        runs.resume(tmp_path / "run", epochs=2)
