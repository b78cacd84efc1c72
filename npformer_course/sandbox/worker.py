"""The process that runs a student's file: it loads it, makes the calls, and writes the answers."""

from __future__ import annotations

import builtins
import faulthandler
import io
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

from .. import course
from ..definition import Call, Code, Exercise, module_of
from ..execution import Answer, Job, ended_by, files_of, make_call, without_surrogates
from ..student.stand_ins import names_to_write, run_hidden
from .protocol import Limits, pack_answer, unpack_request

PRINTED_CHARACTERS = 10_000  # of what a student's code prints, at most
MEMORY_BYTES = 1 << 29  # beyond what the process starts with
FILE_BYTES = 64 << 20
CPU_SECONDS = 600
DEFINITION = re.compile(r"^(?:def|class) +(\w+)", re.MULTILINE)
NOT_WRITTEN = 71  # exit status of a process that could not write its results
MakeCall = Callable[[ModuleType, Call, Mapping[str, object]], Answer]


class Printed(io.TextIOBase):
    """A standard output that keeps the beginning of what is printed."""

    def __init__(self):
        self.texts: list[str] = []
        self.n_left = PRINTED_CHARACTERS

    def write(self, text: str) -> int:
        """Keep as much as there is room for."""
        if self.n_left > 0:
            self.texts.append(without_surrogates(text[: self.n_left]))
            self.n_left -= len(text)
        return len(text)

    def take(self) -> str:
        """Return what was printed since the last call."""
        text = "".join(self.texts)
        self.texts.clear()
        return text


class _Quiet:
    """Replaces what a notebook has, such as `exercise` and `display`, by what does nothing."""

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name: str):
        return self

    def check(self, *checked, **named):
        """Return what a notebook lets check: it stays the student's."""
        values = [*checked, *named.values()]
        if not values:
            return self
        return values[0] if len(values) == 1 else tuple(values)


def serve(make: MakeCall = make_call) -> None:
    """Answer the request in each folder that is read from standard input.

    Prints `started` and the process before a student's code runs, and `ended` and its exit status
    afterwards. Where the system can fork, each request has a child process. The last folder is
    deleted, because the checker may have been killed.
    """
    folder = ""
    with suppress(BrokenPipeError):
        for line in sys.stdin:
            folder = line.strip()
            # without fork this process itself answers, and ends with its first answer
            child = 0
            if hasattr(os, "fork"):
                child = os.fork()
            if child == 0:
                _answer(Path(folder), make)
            _, status = os.waitpid(child, 0)
            print("ended", os.waitstatus_to_exitcode(status), flush=True)
    shutil.rmtree(folder, ignore_errors=True)


def _answer(folder: Path, make: MakeCall) -> None:
    """Answer a request and end the process; a call that takes too long ends it too."""
    try:
        id, code, jobs, limits = unpack_request((folder / "request").read_bytes())
        limits = Limits(*limits)
        exercise = course.load(id)
        if hasattr(os, "setsid"):
            os.setsid()  # so that all of it can be ended
        results = _open_results(folder)
        limit_resources(CPU_SECONDS, MEMORY_BYTES)
        _limit_time(limits.loading, results)
        # until this an error is the checker's, afterwards a student's code may cause it
        print("started", os.getpid(), flush=True)
        close_standard_streams()
        _write_answers(results, exercise, code, jobs, limits.call, make)
    except BaseException:  # a full disk, no memory, no thread; a student's code may raise anything
        os._exit(NOT_WRITTEN)
    if hasattr(os, "fork"):
        os.kill(os.getppid(), signal.SIGCONT)  # a student's code may have stopped it
    # not sys.exit, which would run what the student's code registered for the end
    os._exit(0)


def _open_results(folder: Path) -> BinaryIO:
    """Open the file of the results, and go to an empty folder next to it."""
    results = open(folder / "results", "wb")
    (folder / "work").mkdir()
    os.chdir(folder / "work")
    return results


def close_standard_streams() -> None:
    """Connect standard input, output and error to nothing: a student's code reaches no pipe."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nothing, standard)
    os.close(nothing)


def _write_answers(
    results: BinaryIO,
    exercise: Exercise,
    code: Code,
    jobs: Sequence[Job],
    seconds: float,
    make: MakeCall,
) -> None:
    """Load a student's file, make the calls, and write a numbered answer for each."""
    printed = Printed()
    sys.stdout = printed
    sys.stderr = printed
    _replace_yours(exercise)
    student, loaded = load(code)
    results.write(pack_answer(0, loaded, printed.take()))
    if student is not None:
        with exercise.closed_loops(vars(student)):
            for number, (name, inputs) in enumerate(jobs, 1):
                results.flush()  # what is written counts, though the next call may end the process
                _limit_time(seconds, results)
                answer = make(student, exercise.call(name), inputs)
                results.write(pack_answer(number, answer, printed.take()))
    results.flush()


def _replace_yours(exercise: Exercise) -> None:
    """Let `yours` give no function of npformer's that the exercise asks for, but the student's.

    In a notebook it gives npformer's where the student's is not right.
    """
    asked = names_to_write(exercise)

    def yours(id: str) -> Any:
        other = course.load(id)
        keys = run_hidden(other.key)
        written = vars(sys.modules["answer"])
        functions = []
        for name in names_to_write(other):
            # by name: some exercises ask for a function of the same name
            functions.append(written.get(name, _not_written) if name in asked else keys[name])
        return functions[0] if len(functions) == 1 else tuple(functions)

    sys.modules[course.__package__].yours = yours  # type: ignore[attr-defined]


def _not_written(*args, **kwargs):
    raise NotImplementedError


def load(code: Code) -> tuple[ModuleType | None, Answer]:
    """Load a student's file; return it, and an answer that says whether this succeeded.

    A notebook can always be loaded. The values of its answer say which cells have failed.
    """
    # a notebook asks for checks in between
    quiet = _Quiet()
    package = sys.modules[course.__package__]
    package.exercise = quiet  # type: ignore[attr-defined]
    package.your_transformer = quiet  # type: ignore[attr-defined]
    builtins.display = quiet  # type: ignore[attr-defined]
    builtins.get_ipython = quiet  # type: ignore[attr-defined]
    try:
        student = module_of(code)
    except NotImplementedError as error:
        return None, replace(ended_by(error, ("answer.py",)), state="unattempted")
    except BaseException as error:  # sys.exit and Ctrl-C among them
        return None, ended_by(error, ("answer.py",))
    if isinstance(code, str):
        return student, Answer("done")
    return student, Answer("done", _failed_cells(student, code))


def _failed_cells(student: ModuleType, cells: tuple[str, ...]) -> tuple[str, ...]:
    """Return which cells of a notebook have failed, in words.

    What they were to define is noted in the student's module: a call of it has the same error.
    """
    texts = []
    undefined = {}
    for number, error in student.__failed__.items():
        # a cell that calls what is not written yet
        if isinstance(error, NotImplementedError):
            continue
        cell = f"code cell {number}"
        answer = ended_by(error, files_of(student))
        place = (answer.place or "it").removesuffix(f" of {cell}")
        texts.append(f"{cell} fails: {place} ends with {answer.error}")
        for name in DEFINITION.findall(cells[number - 1]):
            undefined[name] = replace(answer, place=answer.place or cell)
    vars(student)["__undefined__"] = undefined
    return tuple(texts)


def _limit_time(seconds: float, results: BinaryIO) -> None:
    """End the process after some seconds, unless this is called again before."""
    # the timer of faulthandler is a thread that needs no Python: it also ends a call into NumPy
    # that never returns
    faulthandler.dump_traceback_later(seconds, exit=True, file=results)


def limit_resources(cpu_seconds: int, memory_bytes: int) -> None:
    """Limit the size of files, CPU time and memory, where the system can.

    The memory is what the process may take beyond what it has. Raises `ValueError` where less is
    allowed: a right answer would seem to need too much.
    """
    try:
        import resource
    except ImportError:  # Windows
        return

    # each limit is hard: a student's code cannot raise it again
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    with suppress(ValueError):  # a lower limit is set already, as on the computers of some schools
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    if sys.platform == "linux":  # elsewhere the size of a process is not in a file
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        memory = pages * resource.getpagesize() + memory_bytes
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
