"""Asking the C library to keep freed memory changes no result, and is skipped where it cannot be asked."""

import ctypes
import platform

import numpy as np
import pytest

from npformer.base import memory


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has mallopt")
def test_glibc_agrees():
    assert memory.keep_freed_memory()


def test_large_arrays_still_come_and_go():
    memory.keep_freed_memory()
    sums = [float(np.full(5_000_000, value, "float32")[::1000].sum()) for value in (1, 2, 3)]
    assert sums == [5000.0, 10000.0, 15000.0]


def test_without_mallopt_nothing_is_done(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert not memory.keep_freed_memory()
