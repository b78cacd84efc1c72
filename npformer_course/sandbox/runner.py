"""The checker's side of the sandbox: a new process for each answer, with its results file alone.

This stops accidents, not attackers: the process has the rights of the user. Untrusted code needs a
container.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Timer

import npformer
from npformer.utils import InputError
from npformer.utils.threads_and_memory import ONE_THREAD

from ..definition import Code, Exercise
from ..execution import Answer, Job
from ..words import counted
from .protocol import LONGEST_TEXT, Limits, pack_request, read_answers
from .worker import NOT_WRITTEN

SECONDS = 3.0
MOST_SECONDS = 86_400  # a day: a timer does not take every number
START_SECONDS = 30.0  # for a new Python on a busy machine
ATTEMPTS = 2  # to run an answer, where an error may not be its own
MOST_FAILED_CELLS = 5  # of a notebook that are named
FREE_BYTES = 1 << 20  # in the temporary folder, for the results of an answer
SIGKILL = getattr(signal, "SIGKILL", 9)  # Windows has no such name
KEPT_NAMES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}  # else each thread takes 64 MiB of the address space allowed
ENTRY = """
import importlib, sys
sys.path[:] = sys.argv[1].split("\\n")
importlib.import_module(sys.argv[2]).serve()
"""
_idle: dict[str, list[subprocess.Popen[str]]] = defaultdict(list)  # by worker: they wait for work


@atexit.register
def end_idle_processes() -> None:
    """End the processes that wait for the next answer; they hold memory."""
    for processes in _idle.values():
        while processes:
            # this closes the input of a process, which then has no next request to wait for
            processes.pop().communicate()


class SandboxError(InputError):
    """An answer could not be run, for a reason that is not its own: a full disk, no memory."""


@dataclass
class _Run:
    """What a process gave: answers (first to loading the file), how it ended, what it printed."""

    answers: list[Answer] = field(default_factory=list)
    end: Answer = field(default_factory=lambda: Answer("died"))
    printed: str = ""
    doubtful: bool = False  # whether the machine may be why results are missing, not the answer


class Sandbox:
    """Runs students' files, each in a process of a `worker`.

    Loading a file and each call may take `seconds`. A call that ended the process, by a crash or
    because it took too long, is not tried again for the same file; the other calls run in a new
    process, after a time-out with a sixth of the time. Loading always has the full time.

    `alone` says that no other answer runs at the same time. Where one does, results may be missing
    because it took the disk or the memory: that is a `SandboxError`, and not this answer's own.

    `failed_cells` says which cells of the last file failed, if it was a notebook.
    """

    def __init__(
        self,
        seconds: float = SECONDS,
        *,
        worker: str = "npformer_course.sandbox.worker",
        alone: bool = True,
    ):
        self.seconds = seconds
        self.worker = worker
        self.alone = alone
        self.failed_cells: tuple[str, ...] = ()
        self._submission: tuple[str, Code] | None = None
        self._failed: dict[str, Answer] = {}  # by call

    def run(self, exercise: Exercise, code: Code, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        """Return the answers of a student's file to some jobs, and what it printed.

        Raises none of its errors, and `SandboxError` where it could not be run.
        """
        if self._submission != (exercise.id, code):
            self._submission = (exercise.id, code)
            self._failed = {}
            self.failed_cells = ()

        answers: dict[int, Answer] = {}  # by job
        printed = ""
        while True:
            left = []
            for index, (call, _) in enumerate(jobs):
                if index not in answers and call not in self._failed:
                    left.append(index)
            if not left:
                break

            # an answer with one endless loop may have several; loading always has the full time
            slow = any(answer.state == "timeout" for answer in self._failed.values())
            limits = Limits(self.seconds, self.seconds / 6 if slow else self.seconds)
            request = pack_request(exercise.id, code, [jobs[index] for index in left], limits)
            # the process itself ends a call that takes too long: this limit is for where that fails
            longest = START_SECONDS + limits.loading + len(left) * limits.call
            ran = _run(self.worker, request, longest, limits, self.alone)
            # later processes load the file again, and would print the same once more
            printed = printed or ran.printed
            loaded, *rest = ran.answers
            self.failed_cells = _failed_cells(loaded)
            answers.update(zip(left, rest, strict=False))
            # the first job without an answer is the one that ended the process
            if loaded.state != "done":
                # a call that has ended an earlier process keeps its own error
                self._failed = {call.name: loaded for call in exercise.calls} | self._failed
            elif len(rest) < len(left):
                call, _ = jobs[left[len(rest)]]
                self._failed[call] = ran.end

        all_answers = []
        for index, (call, _) in enumerate(jobs):
            if index in answers:
                all_answers.append(answers[index])
            else:
                all_answers.append(self._failed[call])
        return all_answers, printed


def _failed_cells(loaded: Answer) -> tuple[str, ...]:
    """Return which cells of a notebook failed, of many the first."""
    texts = [str(text)[:LONGEST_TEXT] for text in loaded.values[:MOST_FAILED_CELLS]]
    n_more = len(loaded.values) - len(texts)
    if n_more:
        texts.append(f"... and {counted(n_more, 'more cell')}")
    return tuple(texts)


def _run(worker: str, request: bytes, longest: float, limits: Limits, alone: bool) -> _Run:
    """Answer a request in a new process. Raises `SandboxError` where that is not possible."""
    try:
        # a waiting process may have been ended by another answer
        for _ in range(ATTEMPTS):
            ran = _run_once(worker, request, longest, limits)
            if ran is not None and not ran.doubtful:
                return ran
        if ran is None:
            raise SandboxError(
                "no process for an answer could be started: "
                "look at the memory that is left, and at the limits of this shell (ulimit)"
            )
        if not alone:
            raise SandboxError(f"an answer could not be run next to others: {ran.end.error}")
        _check_room()
    except (OSError, MemoryError, RuntimeError) as error:  # RuntimeError: no thread for the timer
        reason = str(error) or "out of memory"
        raise SandboxError(f"an answer could not be run: {reason}") from error
    return ran


def _check_room() -> None:
    """Raise `OSError` where the temporary folder is full: then results are missing for this."""
    with TemporaryFile() as file:
        file.write(bytes(FREE_BYTES))


def _run_once(worker: str, request: bytes, longest: float, limits: Limits) -> _Run | None:
    """Return what a new process gave, or None where it ended before the student's code began."""
    with TemporaryDirectory(prefix="answer", ignore_cleanup_errors=True) as folder:
        Path(folder, "request").write_bytes(request)
        started, status = _serve(worker, folder, longest)
        if not started:
            return None
        with open(Path(folder, "results"), "rb") as file:
            answers, printed, rest = read_answers(file)

    # in a call that takes too long faulthandler writes a traceback, which begins so, after the
    # answers, and ends the process
    if status is None or rest.startswith(b"Timeout ("):
        seconds = limits.call if answers else limits.loading
        end = Answer("timeout", error=f"no end after {seconds:.2g} s")
    elif status == NOT_WRITTEN:
        end = Answer("died", error="the process could not write its results")
    elif status < 0:
        end = Answer("died", error=f"the process was ended by signal {-status}")
    else:
        end = Answer("died", error=f"the process ended with status {status}")

    if not answers:
        error = end.error
        if end.state == "timeout":
            error = f"{error}: the file was still being loaded"
        answers = [Answer(end.state, error=error)]
    # Linux kills a process where memory runs out
    doubtful = status in (NOT_WRITTEN, -SIGKILL)
    return _Run(answers, end, printed, doubtful)


def _serve(worker: str, folder: str, longest: float) -> tuple[bool, int | None]:
    """Let a process answer the request in a folder.

    Returns whether the student's code began, and the exit status, which is None if the process had
    not ended by itself after `longest` seconds.
    """
    process = _waiting(worker) or start_process(worker)
    assert process.stdin is not None and process.stdout is not None
    timer = Timer(longest, process.kill)
    latest = time.monotonic() + longest
    child = ""
    ended = ""
    try:
        timer.start()
        print(folder, file=process.stdin, flush=True)
        word, _, number = process.stdout.readline().partition(" ")
        if word == "started":
            child = number
            word, _, number = process.stdout.readline().partition(" ")
        if word == "ended":
            ended = number
    except BrokenPipeError:  # the process was ended while it waited
        pass
    except BaseException:  # no thread for the timer, or Ctrl-C: else the process would wait on
        process.kill()
        process.communicate()
        raise
    finally:
        timer.cancel()
        # what the student's code has started, and left running, ends with it
        with suppress(OSError, ValueError, AttributeError):  # Windows has no groups of processes
            os.killpg(int(child), SIGKILL)

    # a process that reports the end of its child can serve the next answer
    if ended:
        _idle[worker].append(process)
        return bool(child), int(ended)
    process.communicate()
    if time.monotonic() >= latest:  # the timer has killed it
        return bool(child), None
    return bool(child), process.returncode


def _waiting(worker: str) -> subprocess.Popen[str] | None:
    """Return a process that waits for the next answer, if there is one."""
    while _idle[worker]:
        process = _idle[worker].pop()
        if process.poll() is None:  # another answer may have ended it
            return process
        process.communicate()
    return None


def start_process(worker: str) -> subprocess.Popen[str]:
    """Start a Python with one thread that imports a module and calls its function `serve`."""
    # no current folder, which "" and `python -m` stand for: a file in it could be a student's
    folders = [str(Path(npformer.__file__).parents[1])]
    folders += [folder for folder in sys.path if folder not in ("", os.getcwd())]
    kept = {name: os.environ[name] for name in KEPT_NAMES if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-I", "-X", "utf8", "-c", ENTRY, "\n".join(folders), worker],
        env=kept | ONE_THREAD | ONE_ARENA,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",  # names of folders, which the locale of Windows may not have
        start_new_session=True,  # so that Ctrl-C reaches the checker alone
    )
