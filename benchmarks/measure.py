"""Processes that take turns, and what is read off them: times, peak memory, the names of the
machine.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from itertools import cycle
from pathlib import Path

from processor import blas_kernel, processor

SPAWN = multiprocessing.get_context("spawn")
PAUSE = 0.1  # seconds in which the threads of the last turn stop spinning


def set_threads(threads: int) -> None:
    """Set the threads of the processes started from now on: a BLAS reads these names when it is
    loaded.

    What forces OpenBLAS to another processor's kernels, or cache, is unset: it can halve the
    speed of products.
    """
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        os.environ.pop(name, None)
    for library in ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "BLIS"):
        os.environ[f"{library}_NUM_THREADS"] = str(threads)


def in_fresh_process(function, *args):
    """Call a function in a process of its own and return what it returns."""
    with ProcessPoolExecutor(
        1, SPAWN
    ) as pool:  # its process may fork workers, which a multiprocessing.Pool's may not
        return pool.submit(function, *args).result()


def peak_memory() -> float:
    """Return the most memory that this process and its children, such as worker processes, have
    held, in MiB.

    Of a child counts its own peak less what it shares now with others: weights, gradients, Adam's
    moments, libraries, and pages that are as they were at the fork. These count once, in the peak
    of this process. The peaks are added as if they came at one moment, so that the sum is at
    least what was held at any.
    """
    if Path("/proc/self/smaps_rollup").exists():
        return (kib("self/status", "VmHWM") + sum(map(peak_alone, children()))) / 2**10
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def processor_time() -> float:
    """Return the seconds that all threads of this process and of its live children, such as worker
    processes, have computed.

    Children count where the system has /proc, in steps of 10 ms. Elsewhere npformer's workers are
    threads.
    """
    ticks = 0
    for pid in children():
        _, _, fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        user, system = fields.split()[11:13]
        ticks += int(user) + int(system)
    if ticks == 0:
        return time.process_time()
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def children() -> list[str]:
    """Return the ids of the processes that this one has started and that live, where the system
    has /proc.
    """
    pids: list[str] = []
    for task in Path("/proc/self/task").glob("*/children"):
        pids += task.read_text().split()
    return pids


def kib(file: str, name: str) -> int:
    """Return a number of KiB from a file of /proc."""
    return int(Path("/proc", file).read_text().split(f"{name}:")[1].split()[0])


def peak_alone(pid: str) -> int:
    """Return the peak of a process, without what it now shares, in KiB."""
    rollup = f"{pid}/smaps_rollup"
    shared = sum(kib(rollup, name) for name in ("Shared_Clean", "Shared_Dirty"))
    return kib(f"{pid}/status", "VmHWM") - shared


def work(name: str, size, dropout: float, pipe) -> None:
    """Step on request, for some seconds, and send the time of each step and the processor time of
    one; at the end send the peak memory, whole and above the libraries'.

    A step of a minute model comes first, so that what the libraries load at their first use
    counts as theirs.
    """
    from dataclasses import replace

    from contestants import CONTESTANTS, OTHERS

    make = (CONTESTANTS | OTHERS)[name]
    small = replace(size, d_model=16, d_ff=16, n_layers=1, vocab_size=20, sentences=1)
    make(small, dropout).step(*small.batches()[0])
    libraries = peak_memory()
    contestant = make(size, dropout)
    batches = cycle(size.batches())
    while (seconds := pipe.recv()) is not None:
        times: list[float] = []
        computed = processor_time()
        end = time.perf_counter() + seconds
        while not times or time.perf_counter() < end:
            batch = next(batches)
            start = time.perf_counter()
            contestant.step(*batch)
            times.append(time.perf_counter() - start)
        pipe.send((times, (processor_time() - computed) / len(times)))
    pipe.send((peak_memory(), peak_memory() - libraries))


class Worker:
    """A contestant in a process of its own, which rests while others have their turn."""

    def __init__(self, name: str, size, dropout: float):
        self.pipe, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=work, args=(name, size, dropout, theirs))
        self.process.start()
        theirs.close()
        self.times: list[float] = []  # of steps
        self.processor_times: list[float] = []  # of a step, on average over each turn

    def turn(self, seconds: float) -> tuple[list[float], float]:
        """Step for some seconds, once at least; return the time of each step, and the processor
        time of one.
        """
        self.pipe.send(seconds)
        times = self.pipe.recv()
        time.sleep(PAUSE)
        return times

    def timed_turn(self, seconds: float) -> None:
        """Add a turn's times to `times` and `processor_times`; its first step finds the caches full
        of others' data and seldom counts in `times`.
        """
        times, processor_time = self.turn(seconds)
        self.times += times[1:] or times
        self.processor_times.append(processor_time)

    def finish(self) -> tuple[float, float]:
        """End the process and return its peak memory in MiB, whole and above the libraries'."""
        self.pipe.send(None)
        memory = self.pipe.recv()
        self.process.join()
        return memory


def machine(threads: int, libraries=("torch",)) -> str:
    """Name the processor, the threads, and the versions of what computes."""
    import numpy as np

    kernel = in_fresh_process(blas_kernel)
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return (
        f"{processor()}; {threads} of {os.cpu_count()} threads, "
        f"Python {platform.python_version()}, "
        f"NumPy {np.__version__} with {blas['name']} {blas['version']} ({kernel} kernels)"
        + "".join(f", {library} {version(library)}" for library in libraries)
    )
