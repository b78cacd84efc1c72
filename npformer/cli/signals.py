"""Ctrl-C, and being told to end, between two updates instead of in the middle of one."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ctrl_c_exits(really: bool = True) -> Iterator[None]:
    """Within this block Ctrl-C ends the program at once: imports that are interrupted print tracebacks of libraries."""
    usual = really and _is_main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(128 + number))
    try:
        yield
    finally:
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)


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
    if _is_main_thread():
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        ignored = [n for n in numbers if n != signal.SIGINT and signal.getsignal(n) == signal.SIG_IGN]
        previous = {number: signal.signal(number, note) for number in numbers if number not in ignored}
    try:
        yield lambda: came
    finally:
        for number, handler in previous.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _is_main_thread() -> bool:
    """Tell whether this thread may say what signals do."""
    return threading.current_thread() is threading.main_thread()
