"""How the time and the memory of a training step grow with length, width, depth, vocabulary, batch.

    $ python benchmarks/growth.py

One of the five sizes grows while the others stay. Four contestants do the same work, each in a
process of its own, in turns: npformer with one worker and plain, tiled and checkpointed layers,
and PyTorch in eager mode. The memory is what a process holds at most, above its libraries.

It prints the exponent p of  size^p  for each: the slope of the line through the last three points
in a plot of logarithms. It writes them as Markdown to growth.md, and a picture to growth.svg.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from measure import Worker, machine, set_threads
from sizes import Size

BASE = Size(128, 512, 4, 2, 2000, sentences=16, shortest=32, longest=32)
CONTESTANTS = {  # by the names of contestants.py: the name here, and the line in the picture
    "npformer, 1 worker": ("plain", "o-"),
    "npformer, tiled": ("tiled", "s--"),
    "npformer, checkpointing": ("checkpointed", "^:"),
    "torch, same work": ("PyTorch", "x-."),
}
TURNS = 5


# what grows: its name, and the model and batch at each of its values
AXES = {
    "length": {n: replace(BASE, shortest=n, longest=n) for n in (32, 64, 128, 256, 512)},
    "width": {n: replace(BASE, d_model=n, d_ff=4 * n) for n in (64, 128, 256, 512)},
    "depth": {n: replace(BASE, n_layers=n) for n in (1, 2, 4, 8)},
    "vocabulary": {n: replace(BASE, vocab_size=n) for n in (2000, 8000, 32000)},
    "batch": {n: replace(BASE, sentences=n) for n in (8, 16, 32, 64)},
}


@dataclass(frozen=True)
class Cost:
    """What a step takes at each of some values."""

    values: list[int]
    seconds: list[float]
    mebibytes: list[float]


def measure(
    sizes: dict[int, Size], turns: int = TURNS, seconds_of_turn: float = 0.3
) -> dict[str, Cost]:
    """Return the cost for each contestant, with dropout 0.1."""
    costs = {name: Cost(list(sizes), [], []) for name in CONTESTANTS}
    for size in sizes.values():
        workers = {name: Worker(name, size, 0.1) for name in CONTESTANTS}
        for worker in workers.values():
            worker.turn(seconds_of_turn)  # does not count
        for _ in range(turns):
            for worker in workers.values():
                worker.timed_turn(seconds_of_turn)
        for name, worker in workers.items():
            costs[name].seconds.append(statistics.median(worker.times))
            costs[name].mebibytes.append(worker.finish()[1])
    return costs


def exponent(values, costs) -> float:
    """Return p of values^p, by the last three points.

    >>> round(exponent([1, 2, 4, 8], [9, 4, 16, 64]), 3)
    2.0
    """
    slope, _ = np.polyfit(np.log(values[-3:]), np.log(costs[-3:]), 1)
    return float(slope)


def markdown(all_costs: dict[str, dict[str, Cost]]) -> str:
    """Return the table: exponents, and the cost at the largest value."""
    lines = [
        "| what grows | to | layer | time | at the largest | memory | at the largest |",
        "|---|--:|---|---|--:|---|--:|",
    ]
    for axis, costs in all_costs.items():
        for name, cost in costs.items():
            time = f"^{exponent(cost.values, cost.seconds):.2f}"
            memory = f"^{exponent(cost.values, cost.mebibytes):.2f}"
            cells = [
                axis,
                f"{cost.values[-1]:,}",
                CONTESTANTS[name][0],
                time,
                f"{1e3 * cost.seconds[-1]:,.0f} ms",
                memory,
                f"{cost.mebibytes[-1]:,.0f} MiB",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw(all_costs: dict[str, dict[str, Cost]], path: Path) -> None:
    """Write the picture: time above memory, a column for each axis, all axes logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import LogLocator, StrMethodFormatter

    figure, rows = plt.subplots(
        2, len(all_costs), figsize=(3 * len(all_costs), 5.5), sharex="col", squeeze=False
    )
    for column, (axis, costs) in enumerate(all_costs.items()):
        for name, cost in costs.items():
            label, style = CONTESTANTS[name]
            rows[0, column].loglog(cost.values, cost.seconds, style, label=label)
            rows[1, column].loglog(cost.values, cost.mebibytes, style, label=label)
        rows[1, column].set_xlabel(axis)
        rows[1, column].set_xticks(cost.values, [f"{value:,}" for value in cost.values])
        for ax in rows[:, column]:
            ax.minorticks_off()
            ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    rows[0, 0].set_ylabel("seconds per step")
    rows[1, 0].set_ylabel("MiB")
    rows[0, 0].legend(loc="lower right", fontsize="small")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--threads", type=int, default=1, help="of each process, default 1")
    parser.add_argument("--into", type=Path, default=Path(), help="the folder of both files")
    args = parser.parse_args()

    set_threads(args.threads)
    all_costs = {}
    for axis, sizes in AXES.items():
        all_costs[axis] = measure(sizes)
        print(markdown({axis: all_costs[axis]}), flush=True)
    text = f"{machine(args.threads)}\n\n{markdown(all_costs)}\n"
    (args.into / "growth.md").write_text(text)
    draw(all_costs, args.into / "growth.svg")


if __name__ == "__main__":
    main()
