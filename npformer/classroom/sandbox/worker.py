"""The process in which a student's file runs: it loads the file, makes the calls, and writes an answer for each."""

from __future__ import annotations

import builtins
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from .. import index as course
from ..execution import Answer, ended_by, make_call
from ..exercise import module_of
from .protocol import pack_answer, unpack

KEPT = 10_000  # characters of what a student's code prints


class Printed(io.TextIOBase):
    """A standard output that keeps its beginning and lets the rest fall."""

    def __init__(self):
        self.kept: list[str] = []
        self.room = KEPT

    def writable(self) -> bool:
        """Say that it may be written."""
        return True

    def write(self, text: str) -> int:
        """Keep what there is room for."""
        if self.room > 0:
            self.kept.append(text[: self.room])
            self.room -= len(text)
        return len(text)

    def taken(self) -> str:
        """Return what was kept since this was asked for last."""
        text = "".join(self.kept)
        self.kept.clear()
        return text


class Quiet:
    """What a notebook asks for a check, or shows something with: whatever is asked of it, nothing happens.

    >>> q = Quiet()
    >>> isinstance(q("softmax").check(), Quiet)
    True
    """

    def __call__(self, *asked, **how) -> Quiet:
        """Take anything."""
        return self

    def __getattr__(self, name: str) -> Quiet:
        """Have anything."""
        return self


def work(request: bytes, results: int) -> None:
    """Answer the jobs of a request into an open file: first whether the student's file could be loaded."""
    header, arrays = unpack(request)
    exercise = course.load(header["exercise"])
    sys.stdout = sys.stderr = printed = Printed()
    sys.modules[course.__package__].q = builtins.display = Quiet()  # which a notebook has
    student, loaded = None, Answer("done")
    try:
        student = module_of(header["text"])
    except BaseException as error:  # sys.exit and Ctrl-C among them: nothing of the student's ends the child
        loaded = ended_by(error, ("answer.py",))
        loaded = replace(loaded, state="unattempted") if isinstance(error, NotImplementedError) else loaded
    write(results, pack_answer(loaded, printed.taken()))
    if student is None:
        return
    for index, (call, plain) in enumerate(header["jobs"]):
        start = f"{index} "
        inputs = plain | {name.removeprefix(start): x for name, x in arrays.items() if name.startswith(start)}
        answer = make_call(student, exercise.call(call), inputs)
        write(results, pack_answer(answer, printed.taken()))


def write(results: int, frame: bytes) -> None:
    """Write a frame whole."""
    while frame:
        frame = frame[os.write(results, frame) :]


def main(arguments: Sequence[str]) -> None:
    """Work on the request in one file and write to another: how a child starts where there is no fork."""
    request, results = arguments
    with open(request, "rb") as file:
        content = file.read()
    os.unlink(request)
    work(content, os.open(results, os.O_WRONLY | getattr(os, "O_BINARY", 0)))
    os._exit(0)
