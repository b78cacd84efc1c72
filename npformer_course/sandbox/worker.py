"""The process that runs a student's file: it loads the file, makes the calls, and writes an answer for each."""

from __future__ import annotations

import builtins
import faulthandler
import io
import os
import shutil
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from .. import course
from ..execution import Answer, ended_by, make_call
from ..exercise import module_of
from .protocol import pack_answer, unpack_request

PRINTED_CHARACTERS = 10_000  # of what a student's code prints, at most
MEMORY_BYTES = 1 << 29  # beyond what the process starts with
FILE_BYTES = 64 << 20
CPU_SECONDS = 600


class Printed(io.TextIOBase):
    """A standard output that keeps the beginning of what is printed."""

    def __init__(self):
        self.parts: list[str] = []
        self.n_left = PRINTED_CHARACTERS

    def write(self, text: str) -> int:
        """Keep as much as there is room for."""
        if self.n_left > 0:
            self.parts.append(text[: self.n_left])
            self.n_left -= len(text)
        return len(text)

    def take(self) -> str:
        """Return what was printed since the last call."""
        text = "".join(self.parts)
        self.parts.clear()
        return text


class _Quiet:
    """Stands for `q` and `display`, which a notebook has: q("softmax").check() does nothing."""

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name: str):
        return self


def serve(make=make_call) -> None:
    """Answer the request in each folder that is read from standard input; print the process and how it ended.

    Where the system can fork, each has a child process. The last folder is deleted: the checker may have been killed.
    """
    folder = ""
    with suppress(BrokenPipeError):
        for folder in map(str.strip, sys.stdin):
            if child := os.fork() if hasattr(os, "fork") else 0:
                print(child, flush=True)
                print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            else:
                _answer(Path(folder), make)
    shutil.rmtree(folder, ignore_errors=True)


def _answer(folder: Path, make) -> None:
    """Load the file, make the calls, write numbered answers, and end; a call that takes too long ends the process."""
    with open(os.devnull, "r+b") as nothing:
        for standard in range(3):
            os.dup2(nothing.fileno(), standard)
    if hasattr(os, "setsid"):
        os.setsid()  # so that all of it can be ended
    id, text, jobs, seconds = unpack_request((folder / "request").read_bytes())
    answers = open(folder / "results", "wb")
    (folder / "work").mkdir()
    os.chdir(folder / "work")
    _limit_resources()
    sys.stdout = sys.stderr = printed = Printed()
    exercise = course.load(id)
    faulthandler.dump_traceback_later(seconds, exit=True, file=answers)
    student, answer = load(text)
    answers.write(pack_answer(0, answer, printed.take()))
    with exercise.closed_loops(vars(student) if student else {}):
        for number, (call, inputs) in enumerate(jobs if student else (), 1):
            answers.flush()
            faulthandler.dump_traceback_later(seconds, exit=True, file=answers)
            answers.write(
                pack_answer(number, make(student, exercise.call(call), inputs), printed.take())
            )
    answers.flush()
    if hasattr(os, "fork"):
        os.kill(os.getppid(), signal.SIGCONT)  # a student's code may have stopped it
    os._exit(0)


def load(text: str) -> tuple[ModuleType | None, Answer]:
    """Load a student's file; return it, and an answer that says whether this succeeded."""
    sys.modules[course.__package__].q = builtins.display = _Quiet()
    try:
        return module_of(text), Answer("done")
    except BaseException as error:  # sys.exit and Ctrl-C among them
        failed = ended_by(error, ("answer.py",))
        return None, replace(failed, state="unattempted") if isinstance(
            error, NotImplementedError
        ) else failed


def _limit_resources() -> None:
    """Limit the size of files, CPU time and memory, where the system can."""
    with suppress(
        ImportError, OSError, ValueError
    ):  # Windows has no such module, macOS no such file
        import resource

        for name, most in {"CORE": 0, "FSIZE": FILE_BYTES, "CPU": CPU_SECONDS}.items():
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        memory = (
            int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            + MEMORY_BYTES
        )
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
