"""Ctrl-C, and being told to end, between two updates instead of in the middle of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def signals_noted() -> Iterator[Callable[[], int]]:
    """Within this block a first SIGINT (Ctrl-C), SIGTERM or SIGHUP is only noted: the function given says which came.

    A second one raises SystemExit(128 + n). A SIGHUP that is ignored, as under nohup, stays so. Threads other than the
    main one can note none.
    """
    came = 0

    def note(number, frame):
        nonlocal came
        if came:
            raise SystemExit(128 + number)
        came = number

    previous = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        ignored = [n for n in numbers if n != signal.SIGINT and signal.getsignal(n) == signal.SIG_IGN]
        previous = {number: signal.signal(number, note) for number in numbers if number not in ignored}
    try:
        yield lambda: came
    finally:
        for number, handler in previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
