"""Ctrl-C between two updates instead of in the middle of one."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ctrl_c_noted() -> Iterator[Callable[[], bool]]:
    """Within this block a first Ctrl-C is only noted: the function given says whether it came. A second one stops."""
    noted = False

    def note(signal_number, frame):
        nonlocal noted
        if noted:
            raise KeyboardInterrupt
        noted = True

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: noted
    finally:
        signal.signal(signal.SIGINT, previous)
