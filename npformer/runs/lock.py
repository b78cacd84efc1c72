"""The lock of a run folder, which one process at a time can hold."""

import importlib
import os
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..utils import InputError

__all__ = ["Lock"]


class Lock:
    """A locked file: no other process can lock it until this object is gone.

    The system unlocks it when the process ends, also when it is killed.
    """

    # the locks of this process, by path: Linux unlocks a file when a process closes it once, also
    # if it has opened it twice, and Windows would refuse the second lock
    _held: weakref.WeakValueDictionary[Path, "Lock"] = weakref.WeakValueDictionary()

    def __init__(self, descriptor: int):
        # also for a run that is begun and never trained
        weakref.finalize(self, os.close, descriptor)

    @classmethod
    def of(cls, path: Path) -> "Lock":
        """Lock a file, which is made where it is missing.

        Raises `InputError` when another process has locked it, or it cannot be written.
        """
        held = cls._held.get(path.resolve())
        if held is not None:
            return held

        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}") from None
        lock = cls(descriptor)
        try:
            _lock(descriptor)
        # which of the two is raised depends on the operating system
        except (BlockingIOError, PermissionError):
            raise InputError(
                f"{path.parent} is being trained by another process: wait for it, or end it"
            ) from None
        cls._held[path.resolve()] = lock
        return lock


def _lock(descriptor: int) -> None:
    """Lock a file for this process, or raise an OSError; in the browser nothing is locked."""
    if sys.platform == "emscripten":  # a page has one process, and its fcntl no lockf
        return
    with suppress(ImportError):
        fcntl = importlib.import_module("fcntl")
        # not flock, whose locks a forked worker keeps after its parent was killed
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    with suppress(ImportError):
        msvcrt: Any = importlib.import_module("msvcrt")  # Windows
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
