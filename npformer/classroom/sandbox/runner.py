"""The checker's side of the sandbox: one fresh process per submission, with a time limit on every answer.

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
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread

import npformer

from ...utils.blas import ONE_THREAD
from ..execution import Answer, Job
from ..exercise import Exercise
from .protocol import pack, pack_job, read_message, unpack_answer

SECONDS = 3.0
START_SECONDS = 60.0  # for a new Python on a busy machine
END_SECONDS = 5.0  # for the exit status, once no more answers come
KEPT_NAMES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}  # else each thread takes 64 MiB of the address space allowed
ENTRY = """\
import sys
sys.path[:] = sys.argv[1].split("\\n")
from npformer.classroom.sandbox.worker import main
main()
"""


class Sandbox:
    """Runs students' files, one process for each. Loading a file and each call may take `seconds`.

    A call that ended the process, by a crash or because it took too long, is not tried again for the same file; the
    other calls run in a new process, after a time-out with a sixth of the time.
    """

    def __init__(self, seconds: float = SECONDS):
        self.seconds = seconds
        self._submission: tuple[str, str] | None = None
        self._process: _Process | None = None
        self._failed: dict[str, Answer] = {}  # by call

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error) -> None:
        self.close()

    def close(self) -> None:
        """End the process and forget the submission."""
        self._end_process()
        self._submission, self._failed = None, {}

    def run(self, exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        """Return the answers of a student's file to some jobs, and what it printed. Raises none of its errors."""
        if self._submission != (exercise.id, text):
            self.close()
            self._submission = exercise.id, text
        answers: dict[int, Answer] = {}
        printed = ""
        while left := [i for i, (call, _) in enumerate(jobs) if i not in answers and call not in self._failed]:
            found, text_printed = self._ask(exercise, text, [jobs[i] for i in left])
            answers |= dict(zip(left, found, strict=False))
            printed = printed or text_printed
        return [answers[i] if i in answers else self._failed[call] for i, (call, _) in enumerate(jobs)], printed

    def _ask(self, exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        """Return answers up to the first job that ended the process, which `_failed` gets."""
        slow = any(answer.state == "timeout" for answer in self._failed.values())
        seconds = self.seconds / 6 if slow else self.seconds
        self._process = self._process or _Process()
        self._process.send(pack({"exercise": exercise.id, "text": text}, {}))
        loaded, printed = self._process.receive(seconds)
        if loaded.state != "done":
            if loaded.state == "timeout":
                loaded = replace(loaded, error=f"{loaded.error}: the file was still being loaded")
            self._failed = {call.name: loaded for call in exercise.calls}
            self._end_process()
            return [], printed
        answers = []
        for job in jobs:
            self._process.send(pack_job(job))
            answer, text_printed = self._process.receive(seconds)
            if answer.state in ("timeout", "died"):
                self._failed[job[0]] = answer
                self._end_process()
                break
            answers.append(answer)
            printed += text_printed
        return answers, printed

    def _end_process(self) -> None:
        if self._process:
            self._process.end()
        self._process = None


class _Process:
    """A new Python in an empty folder, which answers requests."""

    def __init__(self):
        self.folder = TemporaryDirectory(prefix="answer", ignore_cleanup_errors=True)
        path = [str(Path(npformer.__file__).parents[1]), *(entry for entry in sys.path if entry)]
        environment = {name: os.environ[name] for name in KEPT_NAMES if name in os.environ} | ONE_THREAD | ONE_ARENA
        self.popen = subprocess.Popen(
            [sys.executable, "-I", "-c", ENTRY, "\n".join(path)],
            cwd=self.folder.name,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C reaches the checker alone, and all of it can be ended
        )
        self.messages: SimpleQueue[bytes | None] = SimpleQueue()
        self.reader = Thread(target=self._read, daemon=True)
        self.reader.start()
        self.receive(START_SECONDS)

    def _read(self) -> None:
        message: bytes | None = b""
        while message is not None:
            message = read_message(self.popen.stdout)
            self.messages.put(message)

    def send(self, message: bytes) -> None:
        """Send a request; that the process has ended is noticed when its answer is read."""
        with suppress(OSError):
            self.popen.stdin.write(message)
            self.popen.stdin.flush()

    def receive(self, seconds: float) -> tuple[Answer, str]:
        """Return the next answer and what was printed, or an answer that says how the process ended."""
        try:
            message = self.messages.get(timeout=seconds)
        except Empty:
            return Answer("timeout", error=f"no end after {seconds:.2g} s"), ""
        if message is not None:
            with suppress(Exception):  # a student's code wrote there itself
                return unpack_answer(message)
        with suppress(subprocess.TimeoutExpired):
            self.popen.wait(END_SECONDS)
        code = self.popen.poll() or 0
        how = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
        return Answer("died", error=f"the process {how}"), ""

    def end(self) -> None:
        """End the process and all that it started, and remove its folder."""
        with suppress(OSError, AttributeError):  # Windows has no groups of processes
            os.killpg(self.popen.pid, signal.SIGKILL)
        self.popen.kill()
        self.popen.wait()
        self.reader.join()
        with suppress(OSError):
            self.popen.stdin.close()
        self.popen.stdout.close()
        self.folder.cleanup()
