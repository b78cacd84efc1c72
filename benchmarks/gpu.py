"""What gpu.sh runs: losses of two trainings compared, and the time of a step beside PyTorch's.

    $ python benchmarks/gpu.py losses RUN OTHER_RUN
    $ python benchmarks/gpu.py steps

`steps` times the same work in the same process, in turns: npformer with CuPy, and the model of
models_torch.py in eager mode with fused Adam, in float32 (PyTorch without TF32) and without
dropout. A turn is ten steps on one batch, and ends when the GPU has finished.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from pathlib import Path

from contestants import NPFormer
from contestants_torch import Torch
from sizes import Size

from npformer.backend import on_gpu, use_backend, xp

MAY_DIFFER = 0.01  # a loss from another, as a share
STEPS = 10  # of a turn
TURNS = 7
SIZES = [
    Size(512, 2048, 8, 6, 8000, sentences=64, shortest=20, longest=30),
    Size(1024, 4096, 16, 6, 8000, sentences=64, shortest=20, longest=30),
]


def losses(run: Path) -> list[float]:
    """Return the training losses in the log of a run."""
    with (run / "log.csv").open(newline="") as file:
        return [float(row["loss"]) for row in csv.DictReader(file)]


def compare_losses(one: Path, other: Path) -> None:
    """Print the mean losses of two runs, and exit with status 1 where they differ.

    Single losses drift apart by rounding, the more the longer the training.
    """
    a = statistics.mean(losses(one))
    b = statistics.mean(losses(other))
    print(f"mean loss {a:.4f} in {one.name}, {b:.4f} in {other.name}")
    agree = abs(a - b) <= MAY_DIFFER * a  # not where one is nan
    if not agree:
        sys.exit(f"they differ by more than {MAY_DIFFER:.0%}")


class TorchOnDevice(Torch):
    """The opponent of train_step.py, on a device such as "cuda"."""

    def __init__(self, size: Size, device: str):
        super().__init__(size, dropout=0.0)
        self.device = device
        self.model.to(device)

    def loss(self, *arrays):
        return super().loss(*(array.to(self.device) for array in arrays))


def wait() -> None:
    """Wait until the GPU has finished what it was given."""
    if on_gpu():
        xp.cuda.Device().synchronize()


def timed(step, batch) -> float:
    """Return the seconds of a step, as the mean of a turn."""
    wait()
    start = time.perf_counter()
    for _ in range(STEPS):
        step(*batch)
    wait()
    return (time.perf_counter() - start) / STEPS


def compare_steps(sizes: list[Size], device: str) -> None:
    """Print the time of a step of each size, and PyTorch's as a multiple of npformer's."""
    print("| d_model | npformer, CuPy | PyTorch, same work | ratio |\n|--:|--:|--:|--:|")
    for size in sizes:
        batch = size.batches()[0]
        # both move the ids to the GPU, and the loss comes back, so that a step ends there too
        ours = NPFormer(size, dropout=0.0, workers=1)
        theirs = TorchOnDevice(size, device)
        our_times = []
        their_times = []
        for turn in range(TURNS + 1):
            ours_now = timed(ours.step, batch)
            theirs_now = timed(theirs.step, batch)
            if turn:  # the first one also compiles and finds the fastest algorithms
                our_times.append(ours_now)
                their_times.append(theirs_now)
        our_time = statistics.median(our_times)
        their_time = statistics.median(their_times)
        print(
            f"| {size.d_model} | {1e3 * our_time:.1f} ms | {1e3 * their_time:.1f} ms "
            f"| {their_time / our_time:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    of_losses = verbs.add_parser("losses", help="compare the losses of two runs")
    of_losses.add_argument("runs", type=Path, nargs=2, metavar="RUN")
    verbs.add_parser("steps", help="time a step of d_model 512 and 1,024")
    args = parser.parse_args()

    if args.verb == "losses":
        compare_losses(*args.runs)
    else:
        use_backend("cupy")
        compare_steps(SIZES, "cuda")


if __name__ == "__main__":
    main()
