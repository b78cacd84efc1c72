"""Asking the C library to keep freed memory changes no result, and is skipped where it cannot be asked."""

import ctypes
import platform
import subprocess
import sys
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
    verbs = ("train", "translate", "classify", "generate", "evaluate", "table1")
    own_process = "runs/ablation/one_run.py"
    found = {path.relative_to(package).as_posix() for path in asking}
    assert found == {"base/memory.py", own_process, *(f"cli/{verb}.py" for verb in verbs)}


@pytest.mark.parametrize("verb", ["train", "translate", "evaluate"])
def test_the_verbs_that_compute_ask_once(command, trained_run, monkeypatch, verb, tmp_path):
    asked = []
    monkeypatch.setattr(f"npformer.cli.{verb}.keep_freed_memory", lambda: asked.append(verb))
    arguments = {
        "train": ["train", "copy", "--epochs", "0", "--run", tmp_path / "run"],  # refused, but not before it asked
        "translate": ["translate", trained_run, "the dog"],
        "evaluate": ["evaluate", trained_run],
    }
    command(*arguments[verb])
    assert asked == [verb]


GIVEN_BACK = """
from pathlib import Path
import numpy as np
from npformer.base import memory
memory.keep_freed_memory()
arrays = [np.ones(1 << 20) for _ in range(8)]
held = np.ones(1 << 10)  # behind them
del arrays
def resident():
    return int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0]) >> 10
before = resident()
memory.give_back_freed_memory()
print(before - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has malloc_trim")
def test_what_was_kept_is_given_back_when_asked_for():
    given_back = subprocess.run([sys.executable, "-c", GIVEN_BACK], capture_output=True, text=True, check=True).stdout
    assert int(given_back) > 40  # of 64 MiB
