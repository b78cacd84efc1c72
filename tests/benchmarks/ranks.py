"""Time training steps of one and two ranks, beside two workers and PyTorch's DDP with gloo on the same work.

Each rank, worker and process of DDP computes on one thread. Weak scaling gives two of them twice the sentences of one,
strong scaling the same; the efficiency is how much of two times the speed of one is reached. DDP trains "torch, same
work" of train_step.py, eagerly, with fused Adam, and sums its gradients in buckets while backward is still at work,
which npformer does not. Contestants take turns, each time in fresh processes, and only one computes at a time.

With --model it also says on paper what more ranks would take in a network: a ring all-reduce moves 2 (n - 1) / n times
the gradient's bytes through each rank's line, after the measured step of one rank on its share.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import cycle
from pathlib import Path

from measure import machine, set_threads
from sizes import SIZES, Size

LIMIT = 300  # seconds for libraries to be loaded, and a few steps
WARM_UP = 2  # steps before the first that counts
KINDS = ("ranks", "workers", "ddp")
COLUMNS = ("d_model", "contestant", "ms", "+-", "efficiency", "of rounds", "in Allreduce", "Allreduce alone")
LEGEND = """
ms: median step, +-: half its interquartile range. efficiency: of two, as a share of twice the speed of one of the kind,
each against the one of its own round; the median of the rounds, and of rounds the lowest and the highest.
in Allreduce: share of the step, waiting for the slower rank included; alone: ms of one, when all ranks come at once."""


def size_of(d_model: int, scaling: str, n: int) -> Size:
    """Return the model and the sentences of all n together."""
    size = SIZES[d_model]
    return replace(size, sentences=size.sentences * n) if scaling == "weak" else size


def timed(step, size: Size, seconds: float, agree=lambda value: value) -> list[float]:
    """Step for so many seconds, once at least, and return the time of each step; `agree` has all stop together."""
    batches, times = cycle(size.batches()), []
    for _ in range(WARM_UP):
        step(*next(batches))
    end = time.perf_counter() + seconds
    while agree(not times or time.perf_counter() < end):
        batch = next(batches)
        start = time.perf_counter()
        step(*batch)
        times.append(time.perf_counter() - start)
    return times


def npformer_turn(kind: str, n: int, size: Size, seconds: float) -> dict:
    """Train npformer in this rank or with n workers."""
    import numpy as np
    from contestants import TranslationBatch
    from sizes import FIRST_WORD

    import npformer as npf
    from npformer.tasks import Batches, Objective
    from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule
    from npformer.training.distributed import get_communicator
    from npformer.utils.malloc import keep_freed_memory

    keep_freed_memory()
    ranks = get_communicator()
    model = npf.Transformer(size.config(0.1), rng=np.random.default_rng(0))
    flat = FlatParameters(model.parameters())
    adam = Adam(flat, learning_rate=WarmupSchedule(size.d_model, 4000))
    batches = Batches([([FIRST_WORD], [FIRST_WORD])], batch_tokens=2)  # the Trainer wants some; a step brings its own
    trainer = Trainer(Objective(model), adam, batches, workers=n if kind == "workers" else 1, communicator=ranks)

    spent, allreduce = [], ranks.allreduce

    def timed_allreduce(array):
        start = time.perf_counter()
        allreduce(array)
        spent.append(time.perf_counter() - start)

    ranks.allreduce = timed_allreduce
    times = timed(lambda *batch: trainer.update([TranslationBatch(*batch)]), size, seconds, agree=ranks.bcast)
    trainer.close()
    waited, alone = list(spent), [0.0]
    if ranks.size > 1:
        spent.clear()
        for _ in range(9):
            ranks.barrier()
            timed_allreduce(flat.grad)
        alone = spent
    found = {"times": times, "waited": waited[WARM_UP:], "alone": alone, "bytes": flat.grad.nbytes}
    return found if ranks.rank == 0 else {}


def ddp_rank(rank: int, n: int, size: Size, seconds: float, store: str) -> None:
    """Train the same work in torch, a share of each batch in each of n processes; the first one writes its times."""
    import torch
    import torch.distributed as dist
    from contestants_torch import Torch

    torch.set_num_threads(1)
    contestant = Torch(size, 0.1)
    dist.init_process_group("gloo", init_method=f"file://{store}/rendezvous", rank=rank, world_size=n)
    if n > 1:
        contestant.model = torch.nn.parallel.DistributedDataParallel(contestant.model)

    def agree(value):
        flag = torch.tensor([float(value)])
        dist.broadcast(flag, 0)
        return bool(flag.item())

    def step(*batch):
        n_tokens = int((batch[2] != 0).sum())
        src, tgt_in, tgt_out = (torch.from_numpy(ids[rank::n].copy()) for ids in batch)
        contestant.adam.zero_grad()
        logits = contestant.model(src, tgt_in)
        how = {"ignore_index": 0, "label_smoothing": 0.1, "reduction": "sum"}
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tgt_out.flatten(), **how)
        (loss * (n / n_tokens)).backward()  # DDP takes the mean over processes
        contestant.steps += 1
        contestant.adam.param_groups[0]["lr"] = contestant.learning_rate(contestant.steps)
        contestant.adam.step()

    times = timed(step, size, seconds, agree)
    if rank == 0:
        (Path(store) / "times.json").write_text(json.dumps(times))
    dist.barrier()
    os._exit(0)  # a gloo group that is taken down sometimes waits for ever


def ddp_turn(n: int, size: Size, seconds: float) -> dict:
    """Start the processes of DDP and return what the first one measured."""
    import torch.multiprocessing

    with tempfile.TemporaryDirectory() as store:
        torch.multiprocessing.spawn(ddp_rank, (n, size, seconds, store), nprocs=n)
        return {"times": json.loads((Path(store) / "times.json").read_text())}


def turn(kind: str, n: int, d_model: int, scaling: str, seconds: float) -> dict:
    """Measure one contestant in fresh processes."""
    command = [sys.executable, __file__, "--turn", kind, str(n), str(d_model), scaling, str(seconds)]
    if kind == "ranks" and n > 1:
        beside = Path(sys.executable).with_name("mpiexec")
        command = [str(beside) if beside.exists() else shutil.which("mpiexec"), "-n", str(n), *command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT + 20 * seconds)
    if done.returncode:
        sys.exit(f"{kind} {n}: {done.stderr[-800:]}")
    [line] = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return json.loads(line)


def compare(d_model: int, kinds: list[str], rounds: int, seconds: float) -> tuple[list[tuple[str, ...]], float, int]:
    """Let all take turns; return a row for each, the median step of one rank, and the bytes of its gradient."""
    ways = ((1, "strong"), (2, "weak"), (2, "strong"))
    contestants = [(kind, n, scaling) for kind in kinds for n, scaling in ways if (kind, n) != ("workers", 1)]
    found = {contestant: {"times": [], "waited": [], "alone": [], "medians": []} for contestant in contestants}
    n_bytes = 0
    for _ in range(rounds):
        for (kind, n, scaling), kept in found.items():
            measured = turn(kind, n, d_model, scaling, seconds)
            step = statistics.median(measured["times"])
            measured["medians"] = [step]
            print(f"d_model {d_model}, {n} {kind}, {scaling}: {1e3 * step:.0f} ms", file=sys.stderr, flush=True)
            n_bytes = measured.get("bytes", n_bytes)
            for name, values in kept.items():
                values += measured.get(name, [])
    rows = []
    for (kind, n, scaling), kept in found.items():
        ones = found["ddp" if kind == "ddp" else "ranks", 1, "strong"]["medians"]
        worth = n if scaling == "strong" else 1
        shares = [a / (worth * b) for a, b in zip(ones, kept["medians"], strict=True)]
        low, median, high = statistics.quantiles(kept["times"], n=4) if len(kept["times"]) > 1 else kept["times"] * 3
        name = f"{n} {kind if n > 1 else {'ranks': 'rank', 'ddp': 'torch'}[kind]}{f', {scaling}' if n > 1 else ''}"
        cells = [f"{1e3 * median:.1f}", f"{1e3 * (high - low) / 2:.1f}"]
        cells += [f"{statistics.median(shares):.2f}", f"{min(shares):.2f} to {max(shares):.2f}"] if n > 1 else ["", ""]
        share = statistics.median(kept["waited"]) / median if kind == "ranks" and n > 1 else None
        alone = f"{1e3 * statistics.median(kept['alone']):.1f}" if share is not None else ""
        rows.append((str(d_model), name, *cells, "" if share is None else f"{share:.1%}", alone))
    return rows, statistics.median(found["ranks", 1, "strong"]["times"]), n_bytes


def ring(n: int, n_bytes: int, gigabits: float) -> float:
    """Return the seconds of a ring all-reduce among n ranks, each on a line of so many Gbit/s.

    >>> ring(2, 10**9, 8)
    1.0
    """
    return 2 * (n - 1) / n * n_bytes * 8 / (gigabits * 1e9)


def on_paper(d_model: int, step: float, n_bytes: int) -> list[tuple[str, ...]]:
    """Return rows: what an update of n ranks takes, and how many batches to accumulate for nine tenths of the speed."""
    rows = []
    for gigabits in (10, 100):
        for n in (16, 128):
            seconds = ring(n, n_bytes, gigabits)
            needed = max(1, -(-9 * seconds // step))  # k step / (k step + seconds) >= 0.9
            cells = (f"{1e3 * seconds:.1f}", f"{1e3 * (step + seconds):.1f}", f"{step / (step + seconds):.1%}")
            rows.append((str(d_model), f"{n_bytes / 1e6:.0f}", str(gigabits), str(n), *cells, f"{needed:.0f}"))
    return rows


def table(rows: list[tuple[str, ...]]) -> str:
    """Return rows as Markdown."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines.insert(1, ["-" * (width - 1) + ":" for width in widths])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--d-model", type=int, nargs="+", choices=SIZES, default=[128, 512], help="default: 128 512")
    parser.add_argument(
        "--kinds", nargs="*", choices=KINDS, default=KINDS, help="what stands beside ranks (default: all)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="turns of each contestant (default 5)")
    parser.add_argument("--seconds", type=float, default=6, help="a turn steps so long, once at least (default 6)")
    parser.add_argument("--model", action="store_true", help="also what 16 and 128 ranks would take in a network")
    parser.add_argument("--turn", nargs=5, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    args = parse_args()
    if args.turn:
        kind, n, d_model, scaling, seconds = args.turn
        size = size_of(int(d_model), scaling, int(n))
        how = (int(n), size, float(seconds))
        if found := ddp_turn(*how) if kind == "ddp" else npformer_turn(kind, *how):
            print(json.dumps(found), flush=True)
        return
    set_threads(1)
    if os.getloadavg()[0] > 0.5:
        print("other programs keep this machine busy: its times mean little", file=sys.stderr)
    rows, paper = [COLUMNS], [("d_model", "MB", "Gbit/s", "ranks", "ring ms", "update ms", "efficiency", "accumulate")]
    for d_model in args.d_model:
        more, step, n_bytes = compare(d_model, ["ranks", *args.kinds], args.rounds, args.seconds)
        rows += more
        paper += on_paper(d_model, step, n_bytes)
    print(f"{machine(1, libraries=('torch', 'mpi4py'))}\n\n{table(rows)}\n{LEGEND}")
    if args.model:
        print(
            f"\non paper, nothing overlapped; accumulate: batches an update for an efficiency of 0.9\n\n{table(paper)}"
        )


if __name__ == "__main__":
    main()
