"""The process that runs a student's file: it loads the file, makes the calls, and writes an answer for each."""

from __future__ import annotations

import builtins
import io
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from .. import index as course
from ..execution import Answer, ended_by, make_call
from ..exercise import module_of
from .protocol import pack_answer, read_message, unpack_request

PRINTED_CHARACTERS = 10_000  # of what a student's code prints, at most
MEMORY_BYTES = 1 << 29  # beyond what the process starts with
FILE_BYTES = 64 << 20
CPU_SECONDS = 600  # ends an endless loop whose checker was killed; else the checker's time limit comes first


class Printed(io.TextIOBase):
    """A standard output that keeps the beginning of what is printed."""

    def __init__(self):
        self.kept: list[str] = []
        self.room = PRINTED_CHARACTERS

    def write(self, text: str) -> int:
        """Keep as much as there is room for."""
        if self.room > 0:
            self.kept.append(text[: self.room])
            self.room -= len(text)
        return len(text)

    def take(self) -> str:
        """Return what was printed since the last call."""
        text = "".join(self.kept)
        self.kept.clear()
        return text


class _Quiet:
    """Stands for `q` and `display`, which a notebook has: q("softmax").check() does nothing."""

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name: str):
        return self


def main() -> None:
    """Answer requests from standard input on standard output, until the input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    limit_resources()

    def send(answer: Answer, printed: Printed) -> None:
        answers.write(pack_answer(answer, printed.take()))
        answers.flush()

    send(Answer("done"), Printed())  # ready
    while (message := read_message(requests)) is not None:
        work(message, send)
    os._exit(0)


def work(message: bytes, send) -> None:
    """Answer a request: first whether the student's file can be loaded, then each job."""
    id, text, jobs = unpack_request(message)
    exercise = course.load(id)
    sys.stdout = sys.stderr = printed = Printed()
    sys.modules[course.__package__].q = builtins.display = _Quiet()
    try:
        student = module_of(text)
    except BaseException as error:  # sys.exit and Ctrl-C among them
        failed = ended_by(error, ("answer.py",))
        send(replace(failed, state="unattempted") if isinstance(error, NotImplementedError) else failed, printed)
        return
    send(Answer("done"), printed)
    for call, inputs in jobs:
        send(make_call(student, exercise.call(call), inputs), printed)


def limit_resources() -> None:
    """Limit memory, CPU time and the size of files, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {"CPU": CPU_SECONDS, "FSIZE": FILE_BYTES, "CORE": 0}
    with suppress(OSError, ValueError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limits["AS"] = pages * resource.getpagesize() + MEMORY_BYTES
    for name, amount in limits.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (amount, amount))
