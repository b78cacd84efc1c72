"""Single keys from a terminal, without waiting for them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def single_keys() -> Iterator[Callable[[float], str]]:
    """Within this block the function given waits some seconds for a key and returns it, or nothing.

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

    waiting: list[str] = []

    def key(seconds: float) -> str:
        if not waiting and select.select([handle], [], [], seconds)[0]:  # sys.stdin would take all and keep it
            waiting.extend(keys_of(os.read(handle, 1024)))
        return waiting.pop(0) if waiting else ""

    tty.setcbreak(handle)
    try:
        yield key
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def keys_of(typed: bytes) -> list[str]:
    r"""Return the keys in what came from a terminal: an arrow or the like is a single one; its end is `\x04`.

    >>> keys_of(b"hw\x1b[Aq")
    ['h', 'w', '\x1b', 'q']
    """
    return list(re.sub("\x1b[\\[O][0-9;]*.", "\x1b", typed.decode(errors="replace"))) or ["\x04"]


def windows_keys() -> Iterator[Callable[[float], str]]:
    """Give the same on Windows."""
    import msvcrt
    import time

    def key(seconds: float) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if msvcrt.kbhit():
                if (pressed := msvcrt.getwch()) not in ("\0", "\xe0"):
                    return pressed
                msvcrt.getwch()  # an arrow or the like, which comes as two
                return "\x1b"
            time.sleep(0.02)
        return ""

    yield key
