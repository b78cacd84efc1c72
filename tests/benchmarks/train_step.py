"""Time a whole training step of npformer against PyTorch.

A step is zero_grad, forward, label-smoothed loss, backward and Adam, in float32, on the same padded batches. The
opponents run eagerly with fused Adam: "torch, same work" is composed from torch modules with
scaled_dot_product_attention and dropout in the paper's places; nn.Transformer is called as a user would, and also
drops out attention weights and inside the feed-forward network. npformer has a worker for each thread; "npformer, 1
worker" has one, and threads only inside matrix products. npformer asks the C library to keep freed memory, as
`npformer train` does; "same work, same malloc" is torch with that setting, which few users make.

--with adds rows, warmed up before they are timed. "jax": the step as one function compiled by XLA.
"torch.compile": model and loss of the same work compiled by its default backend. "bfloat16": the same work under
autocast, which is another arithmetic. None of these has the malloc setting. "halves": npformer once more, whose update
takes the two halves of a batch one after the other.

Each contestant has a process of its own; they take turns, and only one computes at a time.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import time

from agreement import differences
from contestants import CONTESTANTS, MORE, Sgemm
from measure import Worker, in_fresh_process, machine, set_threads
from report import COLUMNS, description, legend, table
from sizes import SIZES, Size

MAY_DIFFER = {  # losses, and gradients as a share of their length
    "float32": (1e-4, 1e-2),  # a single ReLU that rounds to the other side of 0 makes 1e-4
    "bfloat16": (1e-2, 1e-1),
}
SECONDS_A_COMPARISON = 50
BUSY = 0.5  # load average before the first measurement


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--d-model", type=int, nargs="+", choices=SIZES, default=list(SIZES), help="default: all four")
    parser.add_argument("--dropout", type=float, nargs="+", help="default: 0.1 and 0; with --quick 0.1")
    parser.add_argument("--rounds", type=int, help="turns of each contestant (default: 5 to 12, fewer the larger)")
    parser.add_argument("--seconds", type=float, default=0.5, help="a turn lasts so long, or one step (default 0.5)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="default: all, here %(default)s")
    more = "more rows: jax, torch.compile, bfloat16, halves"
    parser.add_argument("--with", dest="more", nargs="+", choices=MORE, default=[], metavar="NAME", help=more)
    parser.add_argument("--quick", action="store_true", help="a first look: 3 rounds of short turns")
    parser.add_argument("--check", action="store_true", help="only check that npformer and the same work agree")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.seconds = args.rounds or 3, 0.2
    args.dropout = args.dropout or ([0.1] if args.quick else [0.1, 0.0])
    return args


def check(size: Size, name: str) -> None:
    """Leave the program unless npformer and an opponent give the same losses and gradients from the same weights."""
    losses, gradients = in_fresh_process(differences, size, name)
    print(
        f"d_model {size.d_model}, npformer against {name} from the same weights: "
        f"losses of 5 steps differ by {losses:.1e}, first gradients by {gradients:.1e} of their length",
        file=sys.stderr,
    )
    losses_may, gradients_may = MAY_DIFFER.get(name, MAY_DIFFER["float32"])
    if not (losses < losses_may and gradients < gradients_may):
        sys.exit(
            f"npformer and {name} differ by more than rounding, {losses_may:g} and {gradients_may:g}: "
            "they are not the same function"
        )


def compare(size: Size, dropout: float, rounds: int | None, seconds: float, more: list[str]) -> list[tuple[str, ...]]:
    """Let all contestants take turns and return a row for each model."""
    workers = {name: Worker(name, size, dropout) for name in [*CONTESTANTS, *more]}
    for name, worker in workers.items():
        first, *_ = worker.turn(seconds)
        if name in more:
            print(f"d_model {size.d_model}, dropout {dropout:g}: {name} began in {first:.1f} s", file=sys.stderr)
    end = time.perf_counter() + SECONDS_A_COMPARISON
    for done in range(rounds or 12):
        if rounds is None and done >= 5 and time.perf_counter() > end:
            break
        for worker in workers.values():
            worker.timed_turn(seconds)
    memory = {name: worker.finish() for name, worker in workers.items()}
    times = {name: worker.times for name, worker in workers.items()}
    peak = Sgemm.flops / statistics.median(times.pop("sgemm"))
    ours = statistics.median(times["npformer"])
    products = size.flops(), size.flops_without_padding()
    rows = []
    for name, steps in times.items():
        low, median, high = statistics.quantiles(steps, n=4) if len(steps) > 1 else steps * 3
        whole, above = memory[name]
        numbers = (f"{1e3 * median:.1f}", f"{1e3 * (high - low) / 2:.1f}", f"{size.tokens() / median:.0f}")
        shares = (f"{median / ours:.2f}", *(f"{n / median / peak:.0%}" for n in products))
        rows.append((str(size.d_model), f"{dropout:g}", name, *numbers, *shares, f"{whole:.0f}", f"{above:.0f}"))
    print(f"d_model {size.d_model}, dropout {dropout:g}: sgemm peak {peak / 1e9:.0f} GFLOP/s", file=sys.stderr)
    return rows


def main() -> None:
    args = parse_args()
    if importlib.util.find_spec("torch") is None:
        sys.exit('PyTorch is missing: run  pip install -e ".[torch]"')
    if os.getloadavg()[0] > BUSY:
        print("other programs keep this machine busy: its times mean little", file=sys.stderr)
    set_threads(args.threads)
    for missing in filter(None, (MORE[name].missing() for name in args.more)):
        sys.exit(missing)
    sizes = [SIZES[d_model] for d_model in args.d_model]
    for size in sizes:
        for name in ["torch, same work", *args.more]:
            check(size, name)
    if args.check:
        return
    rows = [COLUMNS]
    for size in sizes:
        for dropout in args.dropout:
            rows += compare(size, dropout, args.rounds, args.seconds, args.more)
    print(machine(args.threads, ["torch", *(name for name in args.more if name == "jax")]))
    print(*map(description, sizes), sep="\n")
    print(f"\n{table(rows, args.markdown)}\n{legend(args.more)}")


if __name__ == "__main__":
    main()
