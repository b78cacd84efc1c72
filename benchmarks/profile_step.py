"""Profile a whole training step of npformer: the time each class spends in its own lines, forward
and backward.

Time spent in an inner layer counts for that layer alone. "Rest" is what no row above it covers.

What was found on an Intel Xeon (family 6, model 207, AVX-512), one worker on one thread, dropout
0.1, shares of a step:

    d_model                                       64   128   256   512
    products with weights: Linear, Generator      43    57    66    78%
    attention: heads, scores, softmax             26    18    14     7%   small products
    passes: LayerNorm, Dropout, ReLU, PostNorm    20    14    11     9%
    loss                                           3     6     3     1%   as wide as the vocabulary
    Adam                                           2     3     4     5%
    the rest: embeddings, Python between layers    5     2     2     1%

So a narrow model is held up by what stands between its products, and a wide one by OpenBLAS.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict

from measure import in_fresh_process, set_threads
from sizes import SIZES, Size


class Stopwatch:
    """Gives every call its exclusive time: a call that starts another is paused until that one
    ends.
    """

    def __init__(self):
        self.seconds = defaultdict(float)  # (row, column): seconds
        self.inner = [0.0]

    def timed(self, function, row: str, column: str):
        """Return `function` such that its exclusive time is added to (row, column)."""

        def call(*args, **named):
            self.inner.append(0.0)
            start = time.perf_counter()
            result = function(*args, **named)
            whole = time.perf_counter() - start
            self.seconds[row, column] += whole - self.inner.pop()
            self.inner[-1] += whole
            return result

        return call


def profile(size: Size, dropout: float, steps: int) -> dict[tuple[str, str], float]:
    """Return the median over steps of the seconds spent in each class, forward and backward."""
    from contestants import NPFormer

    watch = Stopwatch()
    contestant = NPFormer(size, dropout, workers=1)
    batches = size.batches()
    trainer = contestant.trainer
    for _, module in trainer.objective.named_modules():
        for way in ("forward", "backward"):
            setattr(module, way, watch.timed(getattr(module, way), type(module).__name__, way))
    adam = trainer.optimizer
    setattr(adam, "step", watch.timed(adam.step, "Adam", "backward"))  # noqa: B010
    step = watch.timed(contestant.step, "Rest", "forward")
    records = []
    for i in range(steps + 2):
        watch.seconds.clear()
        step(*batches[i % len(batches)])
        records.append(dict(watch.seconds))
    records = records[2:]
    return {key: statistics.median(record[key] for record in records) for key in records[0]}


def report(seconds: dict[tuple[str, str], float]) -> None:
    """Print a row for each class, the longest first."""
    sums: dict[str, float] = defaultdict(float)
    for (name, _), value in seconds.items():
        sums[name] += 1e3 * value
    total = sum(sums.values())

    print(f"{'':30}{'forward ms':>12}{'backward ms':>12}{'both ms':>12}{'share':>8}")
    for name in sorted(sums, key=lambda name: -sums[name]):
        forward = 1e3 * seconds.get((name, "forward"), 0.0)
        backward = 1e3 * seconds.get((name, "backward"), 0.0)
        both = sums[name]
        print(f"{name:30}{forward:12.2f}{backward:12.2f}{both:12.2f}{both / total:8.1%}")
    print(f"{'step':30}{'':24}{total:12.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--d-model", type=int, choices=SIZES, default=128, help="default 128")
    parser.add_argument("--dropout", type=float, default=0.1, help="default 0.1")
    parser.add_argument(
        "--steps", type=int, default=20, help="steps to take medians of (default 20)"
    )
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count(), help="default: all, here %(default)s"
    )
    args = parser.parse_args()
    set_threads(args.threads)
    print(
        f"d_model {args.d_model}, dropout {args.dropout:g}, {args.threads} threads, "
        f"{args.steps} steps"
    )
    report(in_fresh_process(profile, SIZES[args.d_model], args.dropout, args.steps))


if __name__ == "__main__":
    main()
