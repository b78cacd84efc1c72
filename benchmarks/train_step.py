"""Time a whole training step of npformer against PyTorch.

A step is zero_grad, forward, label-smoothed loss, backward and Adam, in float32, on the same
batches: sentences of like length together, as training makes them; --padded takes sentences in
random order instead. The opponents run eagerly with fused Adam: "torch, same work" is composed
from torch modules with scaled_dot_product_attention and dropout in the paper's places;
nn.Transformer is called as a user would, and also drops out attention weights and inside the
feed-forward network. npformer has a worker per thread; "npformer, 1 worker" has one, and threads
only inside matrix products. npformer asks the C library to keep freed memory, as `npformer train`
does; "same work, same malloc" is torch with that setting, which few users make.

Each contestant has a process of its own; they take turns, and only one computes at a time.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import time
from dataclasses import replace

from agreement import differences
from contestants import CONTESTANTS, Sgemm
from measure import Worker, in_fresh_process, machine, set_threads
from report import COLUMNS, LEGEND, description, table
from sizes import SIZES, Size

LOSSES_MAY_DIFFER = 1e-4
GRADIENTS_MAY_DIFFER = 1e-2  # a single ReLU that rounds to the other side of 0 makes 1e-4
SECONDS_PER_COMPARISON = 50
BUSY = 0.5  # load average before the first measurement


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--d-model",
        type=int,
        nargs="+",
        choices=SIZES,
        default=list(SIZES),
        help="default: all four",
    )
    parser.add_argument(
        "--dropout", type=float, nargs="+", help="default: 0.1 and 0; with --quick 0.1"
    )
    parser.add_argument(
        "--rounds", type=int, help="turns of each contestant (default: 5 to 12, fewer the larger)"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.5, help="a turn lasts so long, or one step (default 0.5)"
    )
    parser.add_argument(
        "--threads", type=int, default=os.cpu_count(), help="default: all, here %(default)s"
    )
    parser.add_argument(
        "--padded", action="store_true", help="sentences in random order, 20 to 28%% padding"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a first look: 3 rounds of short turns"
    )
    parser.add_argument(
        "--check", action="store_true", help="only check that npformer and the same work agree"
    )
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds = args.rounds or 3, 0.2
    args.dropout = args.dropout or ([0.1] if args.quick else [0.1, 0.0])
    return args


def check(size: Size) -> None:
    """Exit unless npformer and PyTorch give the same losses and gradients from the same weights."""
    losses, gradients = in_fresh_process(differences, size)
    print(
        f"d_model {size.d_model}, npformer against torch from the same weights: "
        f"losses of 5 steps differ by {losses:.1e}, "
        f"first gradients by {gradients:.1e} of their norm",
        file=sys.stderr,
    )
    if not (losses < LOSSES_MAY_DIFFER and gradients < GRADIENTS_MAY_DIFFER):
        sys.exit("npformer and torch differ by more than rounding: they are not the same function")


def compare(
    size: Size, dropout: float, rounds: int | None, seconds: float
) -> list[tuple[str, ...]]:
    """Let all contestants take turns and return a row for each model."""
    workers = {name: Worker(name, size, dropout) for name in CONTESTANTS}
    for worker in workers.values():
        worker.turn(seconds)
    end = time.perf_counter() + SECONDS_PER_COMPARISON
    for done in range(rounds or 12):
        if rounds is None and done >= 5 and time.perf_counter() > end:
            break
        for worker in workers.values():
            worker.timed_turn(seconds)
    memory = {name: worker.finish() for name, worker in workers.items()}
    times = {name: worker.times for name, worker in workers.items()}
    peak = Sgemm.flops / statistics.median(times.pop("sgemm"))
    ours = statistics.median(times["npformer"])
    flops, tokens = size.flops(), size.tokens()
    rows: list[tuple[str, ...]] = []
    for name, steps in times.items():
        low, median, high = statistics.quantiles(steps, n=4) if len(steps) > 1 else steps * 3
        whole, above = memory[name]
        numbers = (f"{1e3 * median:.1f}", f"{1e3 * (high - low) / 2:.1f}", f"{tokens / median:.0f}")
        shares = (f"{median / ours:.2f}", f"{flops / median / peak:.0%}")
        memories = (f"{whole:.0f}", f"{above:.0f}")
        rows.append((str(size.d_model), f"{dropout:g}", name, *numbers, *shares, *memories))
    print(
        f"d_model {size.d_model}, dropout {dropout:g}: sgemm peak {peak / 1e9:.0f} GFLOP/s",
        file=sys.stderr,
    )
    return rows


def main() -> None:
    args = parse_args()
    if importlib.util.find_spec("torch") is None:
        sys.exit('PyTorch is missing: run  pip install -e ".[torch]"')
    if os.getloadavg()[0] > BUSY:
        print("other programs keep this machine busy: its times mean little", file=sys.stderr)
    set_threads(args.threads)
    sizes = [replace(SIZES[d_model], padded=args.padded) for d_model in args.d_model]
    for size in sizes:
        check(size)
    if args.check:
        return
    rows: list[tuple[str, ...]] = [COLUMNS]
    for size in sizes:
        for dropout in args.dropout:
            rows += compare(size, dropout, args.rounds, args.seconds)
    print(machine(args.threads))
    print(*map(description, sizes), sep="\n")
    print(f"\n{table(rows, args.markdown)}\n{LEGEND}")


if __name__ == "__main__":
    main()
