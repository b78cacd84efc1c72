"""Answers in this process, as in a notebook: with the sandbox's limits on time and on printing."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import Any

import numpy.ma  # noqa: F401  NumPy loads it at first use, for which a traced call takes a second

from ..definition import Exercise
from ..execution import Answer, Job, make_call
from .runner import SECONDS
from .worker import Printed


# not an Exception, which a student's own `except Exception` would catch
class _TimeUp(BaseException):
    """A call took too long."""


def answers_here(exercise: Exercise, student: Any, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
    """Return the answers to some jobs, and what was printed, as `Sandbox.run` does.

    A call that took too long is not tried again; the others then get a sixth of the time. Ctrl-C
    ends the check.
    """
    printed = Printed()
    late: dict[str, Answer] = {}  # by call
    answers = []
    with redirect_stdout(printed):
        for call, inputs in jobs:
            if call not in late:
                # one endless loop is often followed by others, and the notebook waits for each
                seconds = SECONDS / 6 if late else SECONDS
                with _limited(seconds):
                    answer = make_call(student, exercise.call(call), inputs)
                # make_call turns both exceptions into answers
                if answer.error.startswith("KeyboardInterrupt"):
                    raise KeyboardInterrupt
                if answer.error.startswith(_TimeUp.__name__):
                    answer = Answer("timeout", error=f"no end after {seconds:.2g} s")
                    late[call] = answer
            answers.append(late.get(call, answer))
    return answers, printed.take()


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_TimeUp` at the first line of Python after some seconds.

    Python stops tracing when the exception is raised, so a loop that catches it goes on.
    """
    # not the time of the process, which stops while an answer waits
    end = time.monotonic() + seconds
    # a debugger or a measurement of coverage may trace already
    before = sys.gettrace()

    def trace(frame, event, argument):
        # before Python 3.12 a loop on one line has no event of a line
        frame.f_trace_opcodes = sys.version_info < (3, 12)
        if time.monotonic() > end:
            raise _TimeUp
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
