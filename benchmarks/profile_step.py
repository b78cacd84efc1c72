"""Profile a whole training step of npformer: the time each class spends in its own lines, forward
and backward.

Time spent in an inner layer counts for that layer alone. "Rest" is what no row above it covers.
npformer has one worker here, and threads inside matrix products. With --torch the times are summed
by kinds of work, next to those of PyTorch's operators in the same work with the same malloc; the
two take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict

from measure import in_fresh_process, set_threads
from sizes import SIZES, Size

KINDS = {  # of work: npformer's classes, and PyTorch's operators
    "products with weights": ("Linear", "Generator", "mm", "addmm", "sum"),
    "attention": (
        "ScaledDotProductAttention",
        "Softmax",
        "SelfAttention",
        "CrossAttention",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_flash_attention_for_cpu_backward",
    ),
    "LayerNorm": ("LayerNorm", "native_layer_norm", "native_layer_norm_backward"),
    "dropout": ("Dropout", "bernoulli_", "div_", "mul"),
    "ReLU": ("ReLU", "clamp_min", "threshold_backward"),
    "loss": ("LabelSmoothingLoss", "_log_softmax", "_log_softmax_backward_data"),
    "Adam": ("Adam", "_fused_adam_", "fill_"),
}
REST = "the rest"
TURNS = 3


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


def profile_torch(size: Size, dropout: float, steps: int) -> dict[str, float]:
    """Return the mean over steps of the seconds spent in each operator of PyTorch."""
    from contestants import CONTESTANTS
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as record

    contestant = CONTESTANTS["same work, same malloc"](size, dropout)
    batches = size.batches()
    for batch in batches:
        contestant.step(*batch)  # does not count

    with record(activities=[ProfilerActivity.CPU]) as recorded:
        for i in range(steps):
            contestant.step(*batches[i % len(batches)])

    seconds = {}
    for event in recorded.key_averages():
        seconds[event.key.removeprefix("aten::")] = event.self_cpu_time_total / 1e6 / steps
    return seconds


def by_kind(seconds: dict[str, float]) -> dict[str, float]:
    """Sum the seconds of classes or operators by kind of work.

    >>> by_kind({"Linear": 2.0, "Generator": 1.0, "PostNorm": 0.5})["products with weights"]
    3.0
    """
    kind_of = {name: kind for kind, names in KINDS.items() for name in names}
    sums = dict.fromkeys([*KINDS, REST], 0.0)
    for name, value in seconds.items():
        sums[kind_of.get(name, REST)] += value
    return sums


def compare(size: Size, dropout: float, steps: int) -> None:
    """Print the milliseconds of each kind of work in npformer and in PyTorch."""
    ours = []
    theirs = []
    for _ in range(TURNS):
        both_ways: dict[str, float] = defaultdict(float)
        for (name, _), value in in_fresh_process(profile, size, dropout, steps).items():
            both_ways[name] += value
        ours.append(by_kind(both_ways))
        theirs.append(by_kind(in_fresh_process(profile_torch, size, dropout, steps)))

    print(f"{'':30}{'npformer ms':>12}{'PyTorch ms':>12}")
    for kind in ours[0]:
        _print_medians(kind, [turn[kind] for turn in ours], [turn[kind] for turn in theirs])
    all_ours = [sum(turn.values()) for turn in ours]
    all_theirs = [sum(turn.values()) for turn in theirs]
    _print_medians("step", all_ours, all_theirs)


def _print_medians(name: str, ours: list[float], theirs: list[float]) -> None:
    """Print the medians of seconds, as milliseconds."""
    print(f"{name:30}{1e3 * statistics.median(ours):12.1f}{1e3 * statistics.median(theirs):12.1f}")


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
    parser.add_argument("--torch", action="store_true", help="compare with PyTorch")
    args = parser.parse_args()
    set_threads(args.threads)
    print(
        f"d_model {args.d_model}, dropout {args.dropout:g}, {args.threads} threads, "
        f"{args.steps} steps"
    )
    size = SIZES[args.d_model]
    if args.torch:
        compare(size, args.dropout, args.steps)
    else:
        report(in_fresh_process(profile, size, args.dropout, args.steps))


if __name__ == "__main__":
    main()
