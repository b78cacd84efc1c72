"""What a child may use, and that nothing of it stays: as far as the system has the means."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

LINUX = sys.platform == "linux"
MEMORY = 1 << 29  # bytes beyond what the child starts with
FILE_SIZE = 64 << 20
SET_CHILD_SUBREAPER = 36  # of prctl: orphans of our children become our children


def adopt_orphans() -> None:
    """Make this process the parent of whatever its children leave behind. Linux alone has this."""
    if LINUX:
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit(seconds: float) -> None:
    """Limit memory, time of the processor and the size of files of this process and of what it starts."""
    import resource

    here = address_space()
    for what, amount in {
        resource.RLIMIT_CPU: int(seconds) + 1,
        resource.RLIMIT_FSIZE: FILE_SIZE,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_AS: here + MEMORY if here else None,
    }.items():
        if amount is not None:
            with suppress(ValueError, OSError):
                resource.setrlimit(what, (amount, amount))


def address_space() -> int:
    """Return how much address space this process has taken, in bytes, or 0 where that is not told."""
    with suppress(OSError, ValueError):
        return int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def end_group(pid: int) -> None:
    """End a process and its group."""
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def end_children() -> None:
    """End every child of this process, those adopted too, until none is left. Linux alone."""
    while children := children_of(os.getpid()):
        for pid in children:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children_of(pid: int) -> list[int]:
    """Return the children of a process."""
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []
