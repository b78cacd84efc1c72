"""What a forked worker does, until its parent ends it or has ended."""

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from io import TextIOBase
from typing import NamedTuple

from ..base.threads import no_more_blas_threads

LOOK = 1.0  # seconds after which a child that hears nothing looks whether its parent is still there


class InWorkerError(Exception):
    """Where in a worker an error came up, as text: the cause of the same error in the parent."""

    def __str__(self):
        return f"\n\nIn a worker:\n{self.args[0]}"


class Answer(NamedTuple):
    """What was found, or the error that came instead, and where."""

    found: list
    error: BaseException | None = None
    where: str = ""

    def result(self) -> list:
        """Return what was found, or raise the error."""
        if self.error is not None:
            raise self.error from InWorkerError(self.where)
        return self.found


class Nowhere(TextIOBase):
    """Where what a worker prints goes.

    >>> print("unheard", file=Nowhere())
    """

    def write(self, text: str) -> int:
        """Forget the text."""
        return len(text)


def serve(pipe, methods: list[Callable], parent: int) -> None:
    """Do what comes down the pipe, and never return."""
    try:
        settle()
        while True:
            while not pipe.poll(LOOK):
                if os.getppid() != parent:
                    os._exit(0)
            pipe.send_bytes(answer(methods, pipe.recv_bytes(), parent))
    finally:
        os._exit(1)


def settle() -> None:
    """Leave alone what is the parent's: its signals, its terminal, what it has yet to throw away; compute on one core.

    Whatever the parent answers a signal with, it does so for all: it may be about to save when this update is done.
    The signals that tell to end have been blocked since before the fork.
    """
    for number in signal.valid_signals():
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_IGN)
    gc.freeze()  # else what is garbage there would be closed, flushed or deleted here too
    sys.stdin, sys.stdout, sys.stderr = None, Nowhere(), Nowhere()
    no_more_blas_threads(1)


def answer(methods: list[Callable], message: bytes, parent: int) -> bytes:
    """Return the answer to a message, both pickled; none where nobody is there any more to hear it."""
    from multiprocessing.reduction import ForkingPickler

    found = []
    try:
        number, items = ForkingPickler.loads(message)
        for item in items:
            if os.getppid() != parent:
                os._exit(0)
            found.append(methods[number](*item))
        return ForkingPickler.dumps(tuple(Answer(found)))
    except BaseException as error:
        return ForkingPickler.dumps(tuple(Answer([], sendable(error), traceback.format_exc())))


def sendable(error: BaseException) -> BaseException:
    """Return an error as it is, or where it does not come whole out of a pickle, one of the nearest kind that does.

    >>> class OwnError(ValueError):
    ...     def __init__(self, size, limit):
    ...         super().__init__(f"{size} is above {limit}")
    >>> sendable(OwnError(3, 2)), sendable(MemoryError("no room"))
    (ValueError('3 is above 2'), MemoryError('no room'))
    """
    from multiprocessing.reduction import ForkingPickler

    for kind in type(error).__mro__:
        with suppress(Exception):
            twin = error if kind is type(error) else kind(str(error))
            same = ForkingPickler.loads(ForkingPickler.dumps(twin))
            if type(same) is kind and str(same) == str(error):
                return twin
    return RuntimeError(str(error))
