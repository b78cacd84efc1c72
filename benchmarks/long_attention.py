"""Memory and time of one multi-head self-attention on long texts: plain and by blocks, next to PyTorch's.

    python benchmarks/long_attention.py

Forward and backward, d_model 512, 8 heads, d_k 64, one text, float32, causal unless --both-ways. Each contestant has a
process of its own; they take turns, only one computes at a time, and the processor time of its process is what counts.
The number behind it is that time as a share of the plain layer's, where that fits. Memory is what the process held at
most above what it held with layer and inputs made. PyTorch's has the same four linear maps around
`scaled_dot_product_attention`, which on a CPU goes by blocks too.

What would not fit is listed, not tried: the plain layer keeps two arrays of scores and has two more in its backward.

`--blocks` times the sizes of a block instead, and from which length on blocks pay.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from pathlib import Path

import numpy as np
from measure import SPAWN, in_fresh_process, machine, peak_memory, set_threads

from npformer.layers import FlashAttention, ScaledDotProductAttention, SelfAttention
from npformer.utils.threads_and_memory import keep_freed_memory

D_MODEL, N_HEADS = 512, 8
LENGTHS = [1024, 4096, 16384]
BLOCKS = [64, 128, 256, 512, 1024]
WHERE_IT_PAYS = [32, 128, 256, 512, 1024, 2048]
MIB = 2**20


def ours(attention):
    """Return a function that does forward and backward of our layer, whose heads compute `attention`, on x and dy."""
    attention = SelfAttention(D_MODEL, N_HEADS, rng=0, attention=attention)

    def step(x, dy):
        attention.forward(x)
        attention.backward(dy)

    return step


def pytorch(causal: bool):
    """Return a function that does the same in PyTorch."""
    import torch

    w_query, w_key, w_value, w_output = (torch.nn.Linear(D_MODEL, D_MODEL) for _ in range(4))

    def step(x, dy):
        x = torch.from_numpy(x).requires_grad_()
        heads = (
            w(x).unflatten(-1, (N_HEADS, -1)).transpose(1, 2) for w in (w_query, w_key, w_value)
        )
        y = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=causal)
        w_output(y.transpose(1, 2).flatten(2)).backward(torch.from_numpy(dy))

    return step


CONTESTANTS = {
    "plain": lambda causal: ours(ScaledDotProductAttention(causal=causal)),
    "tiled": lambda causal: ours(FlashAttention(causal=causal)),
    "PyTorch": pytorch,
}


def inputs(length: int, batch: int = 1):
    """Return x and dy (B, T, D)."""
    rng = np.random.default_rng(0)
    # drawn as float32 at once: a step would use again, and not count, what float64s leave behind
    return [rng.standard_normal((batch, length, D_MODEL), "float32") for _ in range(2)]


def timed(step, x, dy) -> float:
    """Return the processor time of a step, in seconds."""
    gc.collect()
    start = time.process_time()
    step(x, dy)
    return time.process_time() - start


def work(name: str, causal: bool, length: int, pipe) -> None:
    """Step whenever told to; at the end send the peak memory above what there was before the first step, in MiB."""
    keep_freed_memory()  # as in training; for PyTorch too
    step = CONTESTANTS[name](causal)
    step(*inputs(16))  # what the libraries load at their first use counts as theirs
    x, dy = inputs(length)
    before = peak_memory()
    while pipe.recv():
        pipe.send(timed(step, x, dy))
    pipe.send(peak_memory() - before)


def free_memory() -> float:
    """Return the memory that is free for a process, in MiB."""
    meminfo = Path("/proc/meminfo")
    if not meminfo.exists():
        return float("inf")
    return int(meminfo.read_text().split("MemAvailable:")[1].split()[0]) / 2**10


def needed(name: str, length: int) -> float:
    """Return the memory that a contestant's scores take, in MiB: nothing where it goes by tiles."""
    return 4 * N_HEADS * length**2 * 4 / MIB if name == "plain" else 0


def compare(causal: bool, length: int, rounds: int) -> None:
    """Print a row for each contestant."""
    workers, seconds, free = {}, {}, free_memory()
    for name in CONTESTANTS:
        if needed(name, length) > 0.8 * free:
            print(
                f"{length:>7,}  {name:10} would need {needed(name, length):,.0f} MiB, of which {free:,.0f} are free"
            )
            continue
        pipe, theirs = SPAWN.Pipe()
        process = SPAWN.Process(target=work, args=(name, causal, length, theirs), daemon=True)
        process.start()
        workers[name], seconds[name] = (process, pipe), []
    for _ in range(rounds):
        for name, (_, pipe) in workers.items():
            pipe.send(True)
            seconds[name].append(pipe.recv())
    plain = statistics.median(seconds["plain"]) if "plain" in seconds else None
    for name, (process, pipe) in workers.items():
        pipe.send(False)
        memory = pipe.recv()
        process.join()
        median = statistics.median(seconds[name])
        share = f"{median / plain:5.2f}" if plain else f"{'-':>5}"
        print(
            f"{length:>7,}  {name:10} {1e3 * median:9,.0f} ms  {share}  {memory:9,.0f} MiB",
            flush=True,
        )


def sizes_of_blocks(causal: bool, rounds: int) -> None:
    """Print, for each length, the time by tiles of each size in shares of the plain layer's."""
    keep_freed_memory()
    print(f"{'T':>7}  {'plain':>10}  " + "  ".join(f"{block:>5}" for block in BLOCKS))
    for length in WHERE_IT_PAYS:
        x, dy = inputs(length, batch=max(1024 // length, 1))
        tiled = (FlashAttention(causal=causal, block=block) for block in BLOCKS)
        steps = [
            ours(attention) for attention in (ScaledDotProductAttention(causal=causal), *tiled)
        ]
        times = np.array([[timed(step, x, dy) for step in steps] for _ in range(rounds + 1)][1:])
        plain, *by_tiles = np.median(times, 0)
        shares = "  ".join(f"{seconds / plain:5.2f}" for seconds in by_tiles)
        print(f"{length:>7,}  {1e3 * plain:7.1f} ms  {shares}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS, metavar="T")
    parser.add_argument("--both-ways", action="store_true", help="not causal")
    parser.add_argument(
        "--rounds", type=int, default=5, help="turns of each (default: %(default)s)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="inside matrix products (default: %(default)s)"
    )
    parser.add_argument("--blocks", action="store_true", help="times of several sizes of a block")
    args = parser.parse_args()
    set_threads(args.threads)
    causal = not args.both_ways
    print(machine(args.threads), "causal" if causal else "both ways", sep="\n", flush=True)
    if args.blocks:
        in_fresh_process(sizes_of_blocks, causal, args.rounds)
        return
    for length in args.lengths:
        compare(causal, length, args.rounds)


if __name__ == "__main__":
    main()
