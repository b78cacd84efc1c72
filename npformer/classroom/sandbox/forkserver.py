"""The process between the checker and the children: it has NumPy loaded, so that a child starts in milliseconds.

It reads requests from standard input and writes answers to standard output. Each request's code runs in a child of its
own, in an empty folder, in a process group that ends with it; on Linux the child is forked, elsewhere started afresh.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from ..execution import Answer
from .limits import LINUX, adopt_orphans, end_children, end_group, limit
from .protocol import pack, pack_answer, read_frame, unpack, unpack_answer
from .worker import work

POLL = 0.002  # seconds
GRACE = 3.0  # seconds for a child to start where there is no fork
ENTRY = """\
import sys
sys.path[:] = sys.argv[1].split("\\n")
from npformer.classroom.sandbox.worker import main
main(sys.argv[2:])
"""


def main() -> None:
    """Serve until standard input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    adopt_orphans()
    while (request := read_frame(requests)) is not None:
        for answer, printed in serve(request):
            answers.write(pack_answer(answer, printed))
        answers.flush()


def serve(request: bytes) -> list[tuple[Answer, str]]:
    """Return the answer to each job; where one ends the child, its call's other jobs share its fate, and no others.

    After a loop without end the calls that are left, which often run into the same one, get a third of the time each.
    """
    header, arrays = unpack(request)
    seconds = header["seconds"]
    calls = [call for call, _ in header["jobs"]]
    found: dict[int, tuple[Answer, str]] = {}
    while left := [i for i in range(len(calls)) if i not in found]:
        jobs = [header["jobs"][i] for i in left]
        renamed = {
            f"{new} {name.split(' ', 1)[1]}": x
            for new, old in enumerate(left)
            for name, x in arrays.items()
            if name.startswith(f"{old} ")
        }
        own = pack({**header, "jobs": jobs}, renamed)[8:]
        loaded, *done, end = run_child(own, [calls[i] for i in left], seconds)
        found |= dict(zip(left, done, strict=False))
        if loaded is None or loaded[0].state != "done":
            fate, printed = loaded or (end, "")
            return [(fate, printed if i == 0 else "") for i in range(len(calls))]
        if end.state == "timeout":
            seconds = header["seconds"] / 3
        if len(done) < len(left):
            failed = left[len(done)]
            found |= {i: (end, "") for i in left if calls[i] == calls[failed]}
        if left[0] == 0 and 0 in found:
            found[0] = (found[0][0], loaded[1] + found[0][1])
    return [found[i] for i in range(len(calls))]


def run_child(request: bytes, calls: list[str], seconds: float) -> list:
    """Run a child: return whether it loaded, an answer for each job that it did, and how it ended.

    Loading, and all jobs of a call together, may each take `seconds`.
    """
    answers: list = []
    end = Answer("died", error="the process ended")
    with tempfile.TemporaryDirectory(prefix="answer", ignore_cleanup_errors=True) as outside:
        folder, results = Path(outside, "empty"), Path(outside, "results")
        folder.mkdir()
        results.touch()
        with results.open("rb") as file:
            child = start(request, folder, results, seconds * (1 + len(set(calls))))
            deadline = time.monotonic() + seconds + (0 if LINUX else GRACE)
            try:
                while True:
                    ended = child.ended()
                    for answer in new_answers(file):
                        answers.append(answer)
                        job = len(answers) - 1  # the one that runs now
                        if job == 0 or calls[job - 1 : job] != calls[job : job + 1]:
                            deadline = time.monotonic() + seconds
                    if ended or len(answers) > len(calls):
                        end = replace(end, error=child.obituary())
                        break
                    if time.monotonic() > deadline:
                        end = Answer("timeout", error=f"no end after {seconds:g} s")
                        break
                    time.sleep(POLL)
            finally:
                child.end()
    return [*(answers or [None]), end]


def new_answers(file: BinaryIO) -> list[tuple[Answer, str]]:
    """Return the answers that have been written whole since."""
    answers = []
    while True:
        place = file.tell()
        content = read_frame(file)
        if content is None:
            file.seek(place)
            return answers
        with suppress(Exception):  # what a student's code wrote there is no answer
            answers.append(unpack_answer(content))


def start(request: bytes, folder: Path, results: Path, seconds: float):
    """Start a child in its folder."""
    return Forked(request, folder, results, seconds) if LINUX else Started(request, folder, results)


class Forked:
    """A child by fork: everything is loaded already."""

    def __init__(self, request: bytes, folder: Path, results: Path, seconds: float):
        self.status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                os.chdir(folder)
                handle, nowhere = os.open(results, os.O_WRONLY), os.open(os.devnull, os.O_RDWR)
                for standard in range(3):
                    os.dup2(nowhere, standard)
                limit(seconds)
                work(request, handle)
            finally:
                os._exit(0)

    def ended(self) -> bool:
        """Tell whether it has ended."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = status if pid else None
        return self.status is not None

    def obituary(self) -> str:
        """Say how it ended."""
        code = os.waitstatus_to_exitcode(self.status or 0)
        return f"the process was ended by signal {-code}" if code < 0 else f"the process ended with status {code}"

    def end(self) -> None:
        """End it and all that it started."""
        end_group(self.pid)
        if self.status is None:
            os.waitpid(self.pid, 0)
        end_children()


class Started:
    """A child by a new Python: for systems without a safe fork."""

    def __init__(self, request: bytes, folder: Path, results: Path):
        question = results.with_name("request")
        question.write_bytes(request)
        command = [sys.executable, "-I", "-c", ENTRY, "\n".join(sys.path), str(question), str(results)]
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, cwd=folder, stdin=nowhere, stdout=nowhere, stderr=nowhere, **own)

    def ended(self) -> bool:
        """Tell whether it has ended."""
        return self.process.poll() is not None

    def obituary(self) -> str:
        """Say how it ended."""
        return f"the process ended with status {self.process.returncode}"

    def end(self) -> None:
        """End it, and where there are process groups all that it started."""
        if os.name == "nt":
            tree = ["taskkill", "/F", "/T", "/PID", str(self.process.pid)]
            subprocess.run(tree, capture_output=True, check=False)
        else:
            end_group(self.process.pid)
        self.process.kill()
        self.process.wait()
