"""Running a student's code in a process of its own, so that nothing it does by accident reaches the checker.

This stops accidents, not attackers: the child has the rights of whoever checks. Code of strangers wants a container.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from pathlib import Path

import npformer

from ...utils.cpu import ONE_THREAD
from ..execution import Answer, Job, Ran
from ..exercise import Exercise
from .protocol import pack, read_frame, split, unpack_answer

SECONDS = 3.0
ENTRY = """\
import sys
sys.path[:] = sys.argv[1].split("\\n")
from npformer.classroom.sandbox.forkserver import main
main()
"""
KEPT_NAMES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}  # or each thread of a student's would take 64 MiB of the address space allowed


class Sandbox:
    """Where answers run; it starts with the first and is closed by `close`, by `with`, or at the end of Python.

    Loading a student's file, and each of its calls, may take `seconds`.
    """

    def __init__(self, seconds: float = SECONDS):
        self.seconds = seconds
        self.process: subprocess.Popen | None = None
        self.lock = threading.Lock()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error) -> None:
        self.close()

    def run(self, exercise: Exercise, text: str, jobs: list[Job]) -> Ran:
        """Return the answers of a student's file to some jobs, and what it printed. Raises nothing of the student's."""
        plain, arrays = [], {}
        for index, job in enumerate(jobs):
            values, own = split(job.inputs)
            plain.append((job.call, values))
            arrays |= {f"{index} {name}": array for name, array in own.items()}
        header = {"exercise": exercise.id, "text": text, "jobs": plain, "seconds": self.seconds}
        with self.lock:
            found = self.ask(pack(header, arrays), len(jobs))
        return Ran([answer for answer, _ in found], "".join(printed for _, printed in found))

    def ask(self, request: bytes, n: int) -> list[tuple[Answer, str]]:
        """Return n answers; where the nursery itself ends, the answers say so, and the next request starts another."""
        process = self.started()
        frames: list[bytes | None] = []
        try:
            process.stdin.write(request)
            process.stdin.flush()
            frames = [read_frame(process.stdout) for _ in range(n)]
        except OSError:
            frames = [None] * n
        if None in frames:
            self.close()
        lost = Answer("died", error="the process that runs the answers ended"), ""
        return [lost if frame is None else unpack_answer(frame) for frame in frames]

    def started(self) -> subprocess.Popen:
        """Return the running nursery, started anew where there is none."""
        if self.process is not None and self.process.poll() is not None:
            self.close()
        if self.process is None:
            path = [str(Path(npformer.__file__).parents[1]), *(entry for entry in sys.path if entry)]
            command = [sys.executable, "-I", "-c", ENTRY, "\n".join(path)]
            scrubbed = {name: os.environ[name] for name in KEPT_NAMES if name in os.environ} | ONE_THREAD | ONE_ARENA
            own = {} if os.name == "nt" else {"start_new_session": True}  # a Ctrl-C in the terminal is for the checker
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, env=scrubbed, **pipes, **own)
            atexit.register(self.close)
        return self.process

    def close(self) -> None:
        """End the nursery."""
        process, self.process = self.process, None
        if process is not None:
            atexit.unregister(self.close)
            process.kill()
            for pipe in (process.stdin, process.stdout):
                pipe.close()
            process.wait()
