"""Answers in this process, as in a notebook: with the sandbox's limits on time and on what is printed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout

from ..execution import Answer, Job, make_call
from ..exercise import Exercise
from ..sandbox.runner import SECONDS
from ..sandbox.worker import Printed

CLOCK = (
    time.monotonic if sys.platform == "emscripten" else time.process_time
)  # which is always 0 in a browser


class _TimeUp(BaseException):
    """A call took too long."""


def answers_here(exercise: Exercise, student, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
    """Return the answers to some jobs, and what was printed, as `Sandbox.run` does.

    A call that took too long is not tried again; the others then get a sixth of the time. Ctrl-C ends the check.
    """
    printed, late, answers = Printed(), {}, []
    with redirect_stdout(printed):
        for call, inputs in jobs:
            limit = SECONDS / 6 if late else SECONDS
            if call not in late:
                with _limited(limit):
                    answer = make_call(student, exercise.call(call), inputs)
                if answer.error.startswith("KeyboardInterrupt"):
                    raise KeyboardInterrupt
                if answer.error.startswith(_TimeUp.__name__):
                    late[call] = answer = Answer("timeout", error=f"no end after {limit:.2g} s")
            answers.append(late.get(call, answer))
    return answers, printed.take()


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raise `_TimeUp` at the first line of Python after some seconds of computation in this block."""
    end, before = CLOCK() + seconds, sys.gettrace()

    def trace(frame, event, argument):
        frame.f_trace_opcodes = sys.version_info < (
            3,
            12,
        )  # there a loop on one line has no event of a line
        if CLOCK() > end:
            raise _TimeUp
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)
