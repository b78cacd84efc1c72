"""Single keys from a terminal, without waiting for them."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

try:
    import termios
    import tty
except ImportError:  # Windows
    termios = None


@contextmanager
def single_keys() -> Iterator[Callable[[float], str]]:
    """Within this block the function given waits some seconds for a key and returns it, or nothing.

    Where standard input is no terminal, and on Windows, it returns nothing, ever.
    """
    if not termios or not sys.stdin or not sys.stdin.isatty():
        yield lambda seconds: time.sleep(seconds) or ""
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)

    waiting: list[str] = []

    def key(seconds: float) -> str:
        if not waiting and select.select([handle], [], [], seconds)[0]:  # sys.stdin would take all and keep it
            waiting.extend(_split_keys(os.read(handle, 1024)))
        return waiting.pop(0) if waiting else ""

    tty.setcbreak(handle)
    try:
        yield key
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _split_keys(typed: bytes) -> list[str]:
    r"""Return the keys in what came from a terminal: an arrow or the like is a single one; its end is `\x04`.

    >>> _split_keys(b"hw\x1b[Aq")
    ['h', 'w', '\x1b', 'q']
    """
    return list(re.sub("\x1b[\\[O][0-9;]*.", "\x1b", typed.decode(errors="replace"))) or ["\x04"]
