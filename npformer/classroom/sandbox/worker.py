"""The process that runs a student's file: it loads the file, makes the calls, and writes an answer for each."""

from __future__ import annotations

import builtins
import io
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from .. import index as course
from ..execution import Answer, ended_by, make_call
from ..exercise import module_of
from .protocol import pack_answer, read_message, unpack

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
    _limit_resources()

    def send(answer: Answer, printed: Printed) -> None:
        answers.write(pack_answer(answer, printed.take()))
        answers.flush()

    exercise, student, printed = None, None, Printed()
    send(Answer("done"), printed)  # ready
    while (message := read_message(requests)) is not None:
        header, arrays = unpack(message)
        if "call" in header:
            answer = make_call(student, exercise.call(header["call"]), header["inputs"] | arrays)
        else:
            exercise = course.load(header["exercise"])
            sys.stdout = sys.stderr = printed = Printed()
            student, answer = load(header["text"])
        send(answer, printed)
    os._exit(0)


def load(text: str) -> tuple[ModuleType | None, Answer]:
    """Load a student's file; return it, and an answer that says whether this succeeded."""
    sys.modules[course.__package__].q = builtins.display = _Quiet()
    try:
        return module_of(text), Answer("done")
    except BaseException as error:  # sys.exit and Ctrl-C among them
        failed = ended_by(error, ("answer.py",))
        return None, replace(failed, state="unattempted") if isinstance(error, NotImplementedError) else failed


def _limit_resources() -> None:
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
