"""The process that trains a student's language model, and asks it for one character at a time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO

import numpy as np

from ..execution import ended_by
from ..sandbox.protocol import pack_request, unpack_request
from ..sandbox.worker import Printed, close_standard_streams, limit_resources, load

MEMORY_BYTES = 2 << 30  # beyond what the process starts with
GRACE_SECONDS = 1.0  # that a training may take too long: its last update has to end
LARGEST_RESULT = 1 << 22  # numbers
FILES = ("answer.py",)  # the name that the student's file has in a traceback

# the functions themselves: a student's file could put others in their places
_process_time = time.process_time
_times = os.times


class _Refused(Exception):
    """What a student's file did cannot be scored; the text says why."""


def serve() -> None:
    """Train a student's model and let it predict, as the lines of standard input ask.

    The first line has the folder to work in, the student's file, the text, and the processor time
    for training and for predicting. The answer is the processor time that training took. Each
    further line has the next character of every piece of the held-out text, and the answer is what
    the model predicts after it. So no character is in this process before it has been predicted.
    """
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    close_standard_streams()
    sys.stdout = Printed()
    sys.stderr = sys.stdout
    try:
        folder, file, text, seconds, predicting_seconds = unpack_request(_next_line(requests))
        os.chdir(folder)
        _limit_to(seconds + GRACE_SECONDS, predicting_seconds)
        predict, took = _train(file, text, seconds)
        _reply(replies, "trained", took)
        _lift_limit()
        _predict(predict, requests, replies)
    except _Refused as refused:
        _reply(replies, "refused", str(refused))
    # not sys.exit, which would run what the student's code registered for the end
    os._exit(0)


def _train(file: str, text: str, seconds: float) -> tuple[Callable, float]:
    """Load a student's file and train; return the function that predicts, and the time.

    Loading counts: it could train as well.
    """
    began = _processor_seconds()
    module, loaded = load(file)
    if module is None:
        raise _Refused(_where(loaded.place, loaded.error))
    train = getattr(module, "train", None)
    if not callable(train):
        raise _Refused("there is no function train(text, seconds)")

    left = seconds - (_processor_seconds() - began)
    predict = _call(train, text, left)
    if not callable(predict):
        raise _Refused(f"train returned {_kind(predict)}: expected a function that predicts")
    return predict, _processor_seconds() - began


def _predict(predict: Callable, requests: TextIO, replies: TextIO) -> None:
    """Answer each line with the probabilities of the next characters."""
    beginnings: list[str] = []
    for line in requests:
        [characters] = unpack_request(line.encode())
        if not beginnings:
            beginnings = [""] * len(characters)
        for i, character in enumerate(characters):
            beginnings[i] += character

        result = _call(predict, list(beginnings))
        try:
            p = np.asarray(result, np.float64)
            if result is None:  # NumPy would make a NaN of it
                raise TypeError
        except (TypeError, ValueError):
            raise _Refused(f"predict returned {_kind(result)}: expected an array") from None
        if p.size > LARGEST_RESULT:
            raise _Refused(f"predict returned an array of shape {p.shape}, far too large")
        _reply(replies, "predicted", p)


def _call(function: Callable, *arguments: object) -> Any:
    """Call a student's function."""
    try:
        return function(*arguments)
    except NotImplementedError:
        raise _Refused("not written yet") from None
    except BaseException as error:  # sys.exit among them
        answer = ended_by(error, FILES)
        raise _Refused(_where(answer.place, answer.error)) from None


def _where(place: str, error: str) -> str:
    return f"{place or 'it'} ends with {error}"


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


def _processor_seconds() -> float:
    """Return the processor time of this process and of those that it started and that ended."""
    times = _times()
    return _process_time() + times.children_user + times.children_system


def _limit_to(training_seconds: float, predicting_seconds: float) -> None:
    """Let the system end this process after this processor time, where it can."""
    with suppress(ImportError):  # Windows
        import resource

        used = int(_processor_seconds()) + 1
        most = used + int(training_seconds + predicting_seconds) + 2
        limit_resources(most, MEMORY_BYTES)
        with suppress(ValueError):  # a lower limit is set already
            resource.setrlimit(resource.RLIMIT_CPU, (used + int(training_seconds) + 1, most))


def _lift_limit() -> None:
    """Allow the processor time for predicting too."""
    with suppress(ImportError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        # a second before the hard limit, which kills as the system does where memory is short
        resource.setrlimit(resource.RLIMIT_CPU, (most - 1, most))


def _next_line(requests: TextIO) -> bytes:
    return requests.readline().encode()


def _reply(replies: TextIO, *reply: object) -> None:
    print(pack_request(*reply).decode(), file=replies, flush=True)
