"""Many runs in processes of their own, so many at a time."""

import json
import os
import queue
import subprocess
import sys
from collections.abc import Iterator, Sequence
from threading import Thread
from typing import NamedTuple

from ...utils.blas import ONE_THREAD
from .plan import PlannedRun, check_same


class Ended(NamedTuple):
    """A run whose process has ended, and in a line why, where it has no result."""

    run: PlannedRun
    error: str | None


def train_all(runs: Sequence[PlannedRun], *, jobs: int = 1) -> Iterator[Ended]:
    """Train all runs that have no result yet, `jobs` at a time, each on one thread; yield each as it ends.

    A run that was stopped goes on from its checkpoint. One that fails keeps no other from being trained. When the loop
    is left, by an exception too, those that are being trained are stopped, and can be gone on with.

    Raises `InputError`, before anything is trained, when a folder holds a run with other settings.
    """
    for run in runs:
        check_same(run)
    waiting, ended, working = [run for run in runs if not run.result_path.exists()], queue.SimpleQueue(), {}
    waiting.reverse()
    try:
        while waiting or working:
            while waiting and len(working) < jobs:
                run = waiting.pop()
                process = working[run.folder] = start(run)
                Thread(target=lambda *one: ended.put(wait_for(*one)), args=(run, process), daemon=True).start()
            yield (last := ended.get())
            del working[last.run.folder]
    finally:
        for process in working.values():
            process.kill()
        for process in working.values():
            process.wait()


def start(run: PlannedRun) -> subprocess.Popen:
    """Start the process of a run, out of reach of a Ctrl-C that is meant for this one."""
    command = [sys.executable, "-m", "npformer.paper.table3.worker", str(run.folder), json.dumps(run.settings)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, **pipes, env={**os.environ, **ONE_THREAD}, start_new_session=True)


def wait_for(run: PlannedRun, process: subprocess.Popen) -> Ended:
    """Wait for the process of a run to end; of what it complained about the last line is why it failed."""
    said = process.stderr.read().decode("utf-8", "replace").strip()
    status = process.wait()
    process.stdin.close()
    process.stderr.close()
    if status == 0:
        return Ended(run, None)
    by_signal = f"its process was ended by signal {-status}" if status < 0 else f"its process ended with {status}"
    return Ended(run, said.splitlines()[-1] if said else by_signal)
