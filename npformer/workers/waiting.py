"""Signals that wait."""

import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager


@contextmanager
def held_back(numbers: Collection[int]) -> Iterator[None]:
    """Let what Python does about these signals wait until the block is done.

    Such handlers run in the main thread, whichever thread a signal comes to: to block it in one would not hold it back.

    >>> heard = []
    >>> before = signal.signal(signal.SIGTERM, lambda number, frame: heard.append("told to end"))
    >>> with held_back({signal.SIGTERM}):
    ...     signal.raise_signal(signal.SIGTERM)
    ...     heard.append("done")
    >>> heard
    ['done', 'told to end']
    >>> after = signal.signal(signal.SIGTERM, before)
    """
    here = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in numbers if here}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    came = []
    try:
        for number in handlers:
            signal.signal(number, lambda *what: came.append(what))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in came:
            handlers[number](number, frame)
