"""The checker's side of the sandbox: a new process for each answer, whose only open file is that of its results.

This stops accidents, not attackers: the process has the rights of the user. Untrusted code needs a container.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

import npformer

from ...utils.threads_and_memory import ONE_THREAD
from ..execution import Answer, Job
from ..exercise import Exercise
from .protocol import pack_request, read_answers

SECONDS = 3.0
START_SECONDS = 30.0  # for a new Python on a busy machine
KEPT_NAMES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}  # else each thread takes 64 MiB of the address space allowed
ENTRY = """\
import sys
sys.path[:] = sys.argv[1].split("\\n")
from importlib import import_module
import_module(sys.argv[3]).main(sys.argv[2])
"""


class Sandbox:
    """Runs students' files, each in a process of a `worker`. Loading a file and each call may take `seconds`.

    A call that ended the process, by a crash or because it took too long, is not tried again for the same file; the
    other calls run in a new process, after a time-out with a sixth of the time.
    """

    def __init__(self, seconds: float = SECONDS, *, worker: str = "npformer.classroom.sandbox.worker"):
        self.seconds, self.worker = seconds, worker
        self._submission: tuple[str, str] | None = None
        self._failed: dict[str, Answer] = {}  # by call

    def run(self, exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        """Return the answers of a student's file to some jobs, and what it printed. Raises none of its errors."""
        if self._submission != (exercise.id, text):
            self._submission, self._failed = (exercise.id, text), {}
        answers: dict[int, Answer] = {}
        printed = ""
        while left := [i for i, (call, _) in enumerate(jobs) if i not in answers and call not in self._failed]:
            slow = any(answer.state == "timeout" for answer in self._failed.values())
            seconds = self.seconds / 6 if slow else self.seconds
            (loaded, *found), end, text_printed = _ask(self.worker, exercise.id, text, [jobs[i] for i in left], seconds)
            printed = printed or text_printed
            answers |= dict(zip(left, found, strict=False))
            if loaded.state != "done":
                self._failed = {call.name: loaded for call in exercise.calls}
            elif len(found) < len(left):
                self._failed[jobs[left[len(found)]][0]] = end
        return [answers[i] if i in answers else self._failed[call] for i, (call, _) in enumerate(jobs)], printed


def _ask(worker: str, id: str, text: str, jobs: Sequence[Job], seconds: float) -> tuple[list[Answer], Answer, str]:
    """Return what a new process answers (first to loading the file), how it ended, and what it printed."""
    with (
        TemporaryDirectory(prefix="answer", ignore_cleanup_errors=True) as folder,
        TemporaryFile() as request,
        TemporaryFile() as results,
    ):
        request.write(pack_request(id, text, jobs, seconds))
        request.seek(0)
        code = _run_process(worker, folder, request, results, START_SECONDS + (len(jobs) + 1) * seconds)
        answers, printed, rest = read_answers(results)
    if code is None or rest.startswith(b"Timeout ("):  # by faulthandler
        end = Answer("timeout", error=f"no end after {seconds:.2g} s")
    else:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        end = Answer("died", error=f"the process {how}")
    while_loading = ": the file was still being loaded" if end.state == "timeout" else ""
    return answers or [replace(end, error=end.error + while_loading)], end, printed


def _run_process(worker: str, folder: str, request, results, seconds: float) -> int | None:
    """Run a new Python in a folder; return its exit status, None if it had not ended by itself after some seconds."""
    path = [str(Path(npformer.__file__).parents[1]), *(entry for entry in sys.path if entry)]
    environment = {name: os.environ[name] for name in KEPT_NAMES if name in os.environ} | ONE_THREAD | ONE_ARENA
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", ENTRY, "\n".join(path), folder, worker],
        cwd=folder,
        env=environment,
        stdin=request,
        stdout=results,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that Ctrl-C reaches the checker alone, and all of it can be ended
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(OSError, AttributeError):  # Windows has no groups of processes
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
