"""Compare a training step of npformer, of PyTorch and of another Transformer in NumPy.

    $ python benchmarks/peers.py --numpy-transformer FOLDER

A step is forward, loss, backward and Adam with warm-up, in float32 with dropout 0.1, on batches of
32 sentences of 16 tokens without padding. The models have 2 + 2 layers with 8 heads and
d_ff = 4 d_model, and a vocabulary of 2,000. The contestants take turns. Each has a process of its
own with two threads, in which the C library keeps freed memory.

The table has the time of a step, and its processor time: that of all threads and worker processes.
Each is a median, and also a multiple of that of npformer with two workers.

FOLDER is a clone of AkiRusProd/numpy-transformer, which needs numba; contestants_peer.py names the
commit, and what it computes differently. Without the option its rows are left out, and without a
C++ compiler that of torch.compile.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import statistics
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from contestants import CONTESTANTS, OTHERS
from contestants_peer import problem_of
from measure import Worker, in_fresh_process, machine, set_threads
from sizes import Size
from train_step import BUSY

THREADS = 2
DROPOUT = 0.1
WARMING_UP = 2  # turns that do not count: numba compiles in the first two steps
STEPS_OF_CHECK = 20

TWO_WORKERS = "npformer"  # it has a worker per thread
COMPILED = "same work, compiled"
ONE_THREAD = "numpy-transformer, 1 thread"
LABELS = {  # by the names of contestants.py
    TWO_WORKERS: "npformer, two workers",
    "npformer, 1 worker": "npformer, one worker",
    "same work, same malloc": "PyTorch, same work",
    COMPILED: "PyTorch, same work, compiled",
    "numpy-transformer": "AkiRusProd/numpy-transformer, two threads",
    ONE_THREAD: "AkiRusProd/numpy-transformer, one thread",
}
SIZES = {
    d_model: Size(d_model, 4 * d_model, 8, 2, 2000, sentences=32, shortest=16, longest=16)
    for d_model in (128, 256)
}


@dataclass(frozen=True)
class Cost:
    """The seconds of a step: those of the clock, and those of all processors together."""

    seconds: float
    processor_seconds: float


def losses(name: str, size: Size) -> list[float]:
    """Return the loss of each of some steps on the same batch, without dropout."""
    contestant = (CONTESTANTS | OTHERS)[name](size, 0.0)
    batch = size.batches()[0]
    return [contestant.step(*batch) for _ in range(STEPS_OF_CHECK)]


def check_training(name: str, size: Size) -> None:
    """Exit unless a contestant's steps lower its loss."""
    found = in_fresh_process(losses, name, size)
    print(
        f"{LABELS[name]}: loss {found[0]:.3f}, after {len(found)} steps {found[-1]:.3f}",
        file=sys.stderr,
    )
    if not found[-1] < found[0]:
        sys.exit(f"{LABELS[name]} does not lower its loss: its time would mean nothing")


def measure(size: Size, names: list[str], turns: int, seconds: float) -> dict[str, Cost]:
    """Let the contestants take turns; return the cost for each."""
    workers = {name: Worker(name, size, DROPOUT) for name in names}
    for _ in range(WARMING_UP):
        for worker in workers.values():
            worker.turn(seconds)
    for _ in range(turns):
        for worker in workers.values():
            worker.timed_turn(seconds)

    costs = {}
    for name, worker in workers.items():
        worker.finish()
        of_processors = statistics.median(worker.processor_times)
        costs[name] = Cost(statistics.median(worker.times), of_processors)
    return costs


def rows(d_model: int, costs: dict[str, Cost]) -> list[str]:
    """Return a row of the table for each contestant."""
    ours = costs[TWO_WORKERS]
    lines = []
    for name, cost in costs.items():
        cells = [
            str(d_model),
            LABELS[name],
            f"{1e3 * cost.seconds:.1f} ms",
            f"{cost.seconds / ours.seconds:.2f}",
            f"{1e3 * cost.processor_seconds:.1f} ms",
            f"{cost.processor_seconds / ours.processor_seconds:.2f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--numpy-transformer", type=Path, metavar="FOLDER", help="its clone")
    parser.add_argument("--d-model", type=int, nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--turns", type=int, default=7, help="that count (default 7)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of a turn (default 1)")
    args = parser.parse_args()

    names = list(LABELS)
    libraries = ["torch"]
    if importlib.util.find_spec("torch") is None:
        parser.exit(2, 'PyTorch is missing: run  pip install -e ".[torch]"\n')
    if not any(shutil.which(compiler) for compiler in ("c++", "g++", "clang++")):
        names.remove(COMPILED)
        print("there is no C++ compiler: torch.compile is left out", file=sys.stderr)
    if args.numpy_transformer:
        problem = problem_of(args.numpy_transformer)
        if problem:
            parser.exit(2, f"{problem}\n")
        sys.path.insert(0, str(args.numpy_transformer.resolve()))  # of all processes from now on
        libraries.append("numba")
    else:
        names = [name for name in names if not name.startswith("numpy-transformer")]
    if os.getloadavg()[0] > BUSY:
        print("other programs keep this machine busy: its times mean little", file=sys.stderr)

    set_threads(THREADS)
    if args.numpy_transformer:
        for name in (TWO_WORKERS, ONE_THREAD):
            check_training(name, replace(SIZES[128], sentences=8))
    lines = [
        "| d_model | contestant | step | multiple | processor time | multiple |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    for d_model in args.d_model:
        lines += rows(d_model, measure(SIZES[d_model], names, args.turns, args.seconds))
    print(*lines, "", machine(THREADS, libraries), sep="\n")


if __name__ == "__main__":
    main()
