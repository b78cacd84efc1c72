"""Train with and without warm-up, at three peak rates, with both norms and three seeds.

    python notebooks/helpers/warm_up.py

It prints the table of notebook 15, whose model and task these are, as Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from itertools import islice

import numpy as np

import npformer as npf
from npformer.datasets import sequences
from npformer.tasks import Batches, Objective
from npformer.text import Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule

WARMUP = 50
UPDATES = 160
SIZES = {"d_model": 32, "d_ff": 128, "n_encoder_layers": 4, "n_decoder_layers": 4, "dropout": 0.0}


def final_loss(peak: float, norm: str, warmup: bool, seed: int) -> float:
    """Return the mean loss of the last 20 updates of a training."""
    train, _ = sequences.split("reverse", n_train=2000, n_held_out=100, min_length=3, max_length=6)
    vocabulary = Vocabulary.build(pair.source for pair in train)
    pairs = [(vocabulary.encode(pair.source), vocabulary.encode(pair.target)) for pair in train]
    batches = Batches(pairs, batch_tokens=320, seed=seed)

    size = len(vocabulary)
    config = npf.TransformerConfig.tiny(
        src_vocab_size=size, tgt_vocab_size=size, norm=norm, **SIZES
    )
    model = npf.Transformer(config, rng=seed)

    schedule = WarmupSchedule.with_peak(peak, 32, WARMUP)
    rate: Callable[[int], float] = schedule
    if not warmup:
        rate = partial(_rate_from_peak, schedule)
    adam = Adam(model.parameters(), learning_rate=rate)

    # 100 epochs have more updates than are done
    updates = Trainer(Objective(model), adam, batches).updates(100)
    losses = [record.loss for record in islice(updates, UPDATES)]
    return float(np.mean(losses[-20:]))


def _rate_from_peak(schedule: WarmupSchedule, step: int) -> float:
    """Return the rate of a schedule that begins at its peak and stays there during warm-up."""
    return schedule(max(step, WARMUP))


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(
        description="Print how much warm-up matters, as a Markdown table."
    )
    parser.add_argument("--peaks", type=float, nargs="+", default=[0.001, 0.003, 0.01])
    parser.add_argument(
        "--seeds", type=int, default=3, help="how many starts and orders of batches"
    )
    given = parser.parse_args()

    print("| peak | norm | with warm-up | without |\n|---|---|---|---|")
    for peak in given.peaks:
        for norm in ("post", "pre"):
            columns = []
            for warmup in (True, False):
                losses = [final_loss(peak, norm, warmup, seed) for seed in range(given.seeds)]
                columns.append("  ".join(f"{loss:.2f}" for loss in losses))
            print(f"| {peak} | {norm} | {columns[0]} | {columns[1]} |", flush=True)


if __name__ == "__main__":
    main()
