"""Single keys from a terminal, without waiting for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def single_keys() -> Iterator[Callable[[float], str]]:
    """Within this block the function given waits so many seconds for a key and returns it, or nothing.

    Where standard input is no terminal it returns nothing, ever.
    """
    if not sys.stdin or not sys.stdin.isatty():
        import time

        yield lambda seconds: time.sleep(seconds) or ""
        return
    try:
        import termios
        import tty
    except ImportError:
        yield from windows_keys()
        return
    import select

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)

    def key(seconds: float) -> str:
        ready, _, _ = select.select([handle], [], [], seconds)
        return os.read(handle, 1).decode("ascii", "ignore") if ready else ""  # sys.stdin would take all and keep it

    tty.setcbreak(handle)
    try:
        yield key
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def windows_keys() -> Iterator[Callable[[float], str]]:
    """Give the same on Windows."""
    import msvcrt
    import time

    def key(seconds: float) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if msvcrt.kbhit():
                return msvcrt.getwch()
            time.sleep(0.02)
        return ""

    yield key
