"""Asking the C library to keep freed memory changes no result, and is skipped where it cannot be asked."""

import ctypes
import platform
from pathlib import Path

import numpy as np
import pytest

from npformer.utils import malloc as memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has mallopt")
def test_glibc_agrees():
    assert memory.keep_freed_memory()


def test_trimming_is_off_however_much_is_freed(monkeypatch):
    """Malloc trims when more than M_TRIM_THRESHOLD bytes are free, and never when that is -1; an int ends at 2 GiB."""
    asked = {}

    class Library:
        def mallopt(self, name, value):
            asked[name] = value
            return 1

    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    assert memory.keep_freed_memory() and asked[memory.M_TRIM_THRESHOLD] == -1


def test_large_arrays_still_come_and_go():
    memory.keep_freed_memory()
    sums = [float(np.full(5_000_000, value, "float32")[::1000].sum()) for value in (1, 2, 3)]
    assert sums == [5000.0, 10000.0, 15000.0]


def test_without_mallopt_nothing_is_done(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not memory.keep_freed_memory()


def test_only_the_command_line_asks_for_it():
    """A library call must not change malloc for a whole process that did not ask."""
    package = Path(memory.__file__).parents[1]
    asking = [path for path in package.rglob("*.py") if "keep_freed_memory" in path.read_text(encoding="utf-8")]
    files = ("train", "predict", "evaluate", "table1")
    own_process = "paper/table3/pool.py"
    found = {path.relative_to(package).as_posix() for path in asking}
    assert found == {"utils/malloc.py", own_process, *(f"cli/{name}.py" for name in files)}


@pytest.mark.parametrize("verb", ["train", "evaluate"])
def test_the_verbs_that_compute_ask_once(command, trained_run, monkeypatch, verb, tmp_path):
    asked = []
    monkeypatch.setattr(f"npformer.cli.{verb}.keep_freed_memory", lambda: asked.append(verb))
    arguments = {
        "train": ["train", "copy", "--epochs", "0", "--run", tmp_path / "run"],  # refused, but not before it asked
        "evaluate": ["evaluate", trained_run],
    }
    command(*arguments[verb])
    assert asked == [verb]
