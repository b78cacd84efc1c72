"""Asking the C library to keep freed memory changes no result, and is skipped where it cannot be
asked.
"""

import ctypes
import platform

import pytest

from npformer.utils.threads_and_memory import keep_freed_memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has mallopt")
def test_glibc_accepts_mallopt():
    assert keep_freed_memory()


def test_every_setting_is_made_also_after_one_that_was_refused(monkeypatch):
    made = {}

    class Library:
        def mallopt(self, name, value):
            made[name] = value
            return name != -3

    monkeypatch.setattr(platform, "libc_ver", lambda: ("glibc", "2"))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Library())
    assert not keep_freed_memory()
    # in malloc.h the threshold of mmap, that of trim (-1 is never), and the number of arenas
    assert made == {-3: 2**30, -1: -1, -8: 1}


def test_without_glibc_nothing_is_done(monkeypatch):
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert not keep_freed_memory()


@pytest.mark.parametrize("verb", ["train", "evaluate"])
def test_verbs_that_compute_keep_freed_memory_once(
    command, trained_run, monkeypatch, verb, tmp_path
):
    asked = []
    monkeypatch.setattr(f"npformer.cli.{verb}.keep_freed_memory", lambda: asked.append(verb))
    arguments = {
        "train": [
            "train",
            "copy",
            "--epochs",
            "0",
            "--run",
            tmp_path / "run",
        ],  # refused, but not before it asked
        "evaluate": ["evaluate", trained_run],
    }
    command(*arguments[verb])
    assert asked == [verb]
