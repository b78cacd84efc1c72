"""Memory and time of gradient checkpointing; and a training step on one pair of very long sentences.

The first table is of a model of 6 + 6 layers, with gradient checkpointing and without. Each has a process of its own;
they take turns, and only one computes at a time. The second is one step, with checkpointing, on one sentence pair of
8,192 tokens a side: with tiled attention, the default for texts of that length, it stays below 4 GiB.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import tracemalloc
from dataclasses import replace

from contestants import CONTESTANTS, OTHERS, Checkpointing
from measure import Worker, in_fresh_process, machine, peak_memory, set_threads
from sizes import Size

from npformer.tasks import TranslationBatch

NAMES = ("npformer, 1 worker", "npformer, checkpointing")
SIX = Size(
    256, d_ff=1024, n_heads=8, n_layers=6, vocab_size=8000, sentences=56, shortest=15, longest=25
)
LONG = Size(
    256, d_ff=1024, n_heads=8, n_layers=4, vocab_size=8000, sentences=1, shortest=8192, longest=8192
)
MIB, LIMIT = 2**20, 4096


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dropout", type=float, default=0.1, help="default: %(default)s")
    parser.add_argument(
        "--rounds", type=int, default=12, help="turns of each (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="inside matrix products (default: %(default)s)"
    )
    long = "of the long pair, default %(default)s; 0: none"
    parser.add_argument("--length", type=int, default=LONG.longest, help=long)
    return parser.parse_args()


def held_and_most(name: str, size: Size, dropout: float) -> tuple[float, float]:
    """Return MiB of arrays that a step adds to weights, gradients and moments: after forward, and at most."""
    contestant = (CONTESTANTS | OTHERS)[name](size, dropout)
    objective, batch = contestant.trainer.objective, TranslationBatch(*size.batches()[0])
    objective.forward(batch)
    objective.backward()  # what is made once only is there
    tracemalloc.start()
    loss = objective.forward(batch)
    held, _ = tracemalloc.get_traced_memory()
    objective.backward()
    _, most = tracemalloc.get_traced_memory()
    assert loss > 0
    return held / MIB, most / MIB


def compare(dropout: float, rounds: int) -> None:
    """Print the table of both."""
    memory = {name: in_fresh_process(held_and_most, name, SIX, dropout) for name in NAMES}
    workers = {name: Worker(name, SIX, dropout) for name in NAMES}
    for worker in workers.values():
        worker.turn(0)
    for _ in range(rounds):
        for worker in workers.values():
            worker.times += worker.turn(0)
    print(f"{'':22} {'ms':>8} {'ratio':>6} {'held MiB':>9} {'most MiB':>9} {'process MiB':>12}")
    plain = statistics.median(workers[NAMES[0]].times)
    for name, worker in workers.items():
        (held, most), median, (whole, _) = (
            memory[name],
            statistics.median(worker.times),
            worker.finish(),
        )
        print(
            f"{name:22} {1e3 * median:8.0f} {median / plain:6.2f} {held:9.1f} {most:9.1f} {whole:12.0f}"
        )
    print(
        "held: activations and the gradient of the logits between forward and backward; most: at any time of a step"
    )


def long_step(size: Size, dropout: float) -> tuple[float, float, float]:
    """Return loss and seconds of a step with recompute, and the peak memory of the process in MiB."""
    contestant = Checkpointing(size, dropout, max_len=size.longest)
    batch = size.batches()[0]
    start = time.perf_counter()
    loss = contestant.step(*batch)
    return loss, time.perf_counter() - start, peak_memory()


def main() -> None:
    args = parse_args()
    set_threads(args.threads)
    print(machine(args.threads, libraries=()))
    if args.rounds:
        compare(args.dropout, args.rounds)
    if args.length:
        size = replace(LONG, shortest=args.length, longest=args.length)
        loss, seconds, peak = in_fresh_process(long_step, size, args.dropout)
        model = f"d_model {size.d_model}, {size.n_layers} + {size.n_layers} layers, vocabulary {size.vocab_size}"
        print(
            f"one pair of {args.length} tokens a side, {model}, loss {loss:.3f}: {seconds:.0f} s, {peak:.0f} MiB"
        )
        if peak > LIMIT:
            sys.exit(f"that is more than {LIMIT} MiB")


if __name__ == "__main__":
    main()
