"""The checker's side of the sandbox: a new process for each answer, whose only open file is that of its results.

This stops accidents, not attackers: the process has the rights of the user. Untrusted code needs a container.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

import npformer
from npformer.utils.threads_and_memory import ONE_THREAD

from ..execution import Answer, Job
from ..exercise import Exercise
from .protocol import pack_request, read_answers

SECONDS = 3.0
START_SECONDS = 30.0  # for a new Python on a busy machine
KEPT_NAMES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}  # else each thread takes 64 MiB of the address space allowed
ENTRY = 'import importlib, sys; sys.path[:] = sys.argv[1].split("\\n"); importlib.import_module(sys.argv[2]).serve()'
_idle: dict[str, list[subprocess.Popen]] = defaultdict(list)  # that wait for an answer, by worker
atexit.register(
    lambda: [process.communicate() for waiting in _idle.values() for process in waiting]
)


class Sandbox:
    """Runs students' files, each in a process of a `worker`. Loading a file and each call may take `seconds`.

    A call that ended the process, by a crash or because it took too long, is not tried again for the same file; the
    other calls run in a new process, after a time-out with a sixth of the time.
    """

    def __init__(self, seconds: float = SECONDS, *, worker: str = "npformer_course.sandbox.worker"):
        self.seconds, self.worker = seconds, worker
        self._submission: tuple[str, str] | None = None
        self._failed: dict[str, Answer] = {}  # by call

    def run(self, exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        """Return the answers of a student's file to some jobs, and what it printed. Raises none of its errors."""
        if self._submission != (exercise.id, text):
            self._submission, self._failed = (exercise.id, text), {}
        answers, printed = dict[int, Answer](), ""
        while left := [
            i for i, (call, _) in enumerate(jobs) if i not in answers and call not in self._failed
        ]:
            slow = any(answer.state == "timeout" for answer in self._failed.values())
            seconds = self.seconds / 6 if slow else self.seconds
            (loaded, *rest), end, text_printed = _ask(
                self.worker, exercise.id, text, [jobs[i] for i in left], seconds
            )
            printed = printed or text_printed
            answers |= dict(zip(left, rest, strict=False))
            if loaded.state != "done":
                self._failed = {call.name: loaded for call in exercise.calls}
            elif len(rest) < len(left):
                self._failed[jobs[left[len(rest)]][0]] = end
        return [
            answers[i] if i in answers else self._failed[call] for i, (call, _) in enumerate(jobs)
        ], printed


def _ask(
    worker: str, id: str, text: str, jobs: Sequence[Job], seconds: float
) -> tuple[list[Answer], Answer, str]:
    """Return what a new process answers (first to loading the file), how it ended, and what it printed."""
    with TemporaryDirectory(prefix="answer", ignore_cleanup_errors=True) as folder:
        Path(folder, "request").write_bytes(pack_request(id, text, jobs, seconds))
        code = _run_answer(worker, folder, START_SECONDS + (len(jobs) + 1) * seconds)
        with open(Path(folder, "results"), "a+b") as results:
            answers, printed, rest = read_answers(results)
    if code is None or rest.startswith(b"Timeout ("):  # by faulthandler
        end = Answer("timeout", error=f"no end after {seconds:.2g} s")
    else:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        end = Answer("died", error=f"the process {how}")
    while_loading = ": the file was still being loaded" if end.state == "timeout" else ""
    return answers or [replace(end, error=end.error + while_loading)], end, printed


def _run_answer(worker: str, folder: str, seconds: float) -> int | None:
    """Return the exit status of the answer in a folder, None if it had not ended by itself after some seconds."""
    process = _idle[worker].pop() if _idle[worker] else _start(worker)
    timer, child = Timer(seconds, process.kill), ""
    timer.start()
    try:
        print(folder, file=process.stdin, flush=True)
        child = process.stdout.readline()
        status = process.stdout.readline()
    finally:
        timer.cancel()
        with suppress(OSError, ValueError, AttributeError):  # Windows has no groups of processes
            os.killpg(int(child), signal.SIGKILL)
    if status:
        _idle[worker].append(process)
        return int(status)
    process.communicate()
    return None if process.returncode == -signal.SIGKILL else process.returncode


def _start(worker: str) -> subprocess.Popen:
    """Start a Python that serves answers."""
    path = "\n".join([str(Path(npformer.__file__).parents[1]), *filter(None, sys.path)])
    return subprocess.Popen(
        [sys.executable, "-I", "-c", ENTRY, path, worker],
        env={name: os.environ[name] for name in KEPT_NAMES if name in os.environ}
        | ONE_THREAD
        | ONE_ARENA,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # so that Ctrl-C reaches the checker alone
    )
