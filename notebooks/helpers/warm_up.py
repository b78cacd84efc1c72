"""Train with and without warm-up, at three peak rates, with both norms and three seeds.

    python notebooks/helpers/warm_up.py

It prints the table of notebook 15b, as Markdown. Its model and its task are those of 15.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

import npformer as npf
from npformer.datasets import sequences
from npformer.tasks import Batches, Objective
from npformer.text import Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule

WARMUP = 50
UPDATES = 160
N_DIFFERENCES = 10
D_MODEL = 32
BATCH_TOKENS = 320
LABEL_SMOOTHING = 0.1  # of Objective
EOS_ID = 3


def digits():
    """Return the pairs of ids of the training, digits and the same reversed, and how many ids are.

    >>> pairs, vocab_size = digits()
    >>> pairs[0], vocab_size
    (([7, 12, 8], [8, 12, 7]), 14)
    """
    train, _ = sequences.split("reverse", n_train=2000, n_held_out=100, min_length=3, max_length=6)
    vocabulary = Vocabulary.build(pair.source for pair in train)
    pairs = []
    for pair in train:
        pairs.append((vocabulary.encode(pair.source), vocabulary.encode(pair.target)))
    return pairs, len(vocabulary)


def fresh(norm: str = "post", layers: int = 4, seed: int = 0) -> npf.Transformer:
    """Return a model of digits with this many layers on each side, not trained."""
    _, vocab_size = digits()
    config = npf.TransformerConfig.tiny(
        src_vocab_size=vocab_size,
        tgt_vocab_size=vocab_size,
        d_model=D_MODEL,
        d_ff=4 * D_MODEL,
        n_encoder_layers=layers,
        n_decoder_layers=layers,
        dropout=0.0,
        norm=norm,
    )
    return npf.Transformer(config, rng=seed)


def train(rate: Callable[[int], float], norm: str = "post", seed: int = 0):
    """Train a fresh model to reverse digits, with a learning rate for each update.

    Return the losses (UPDATES,), and for the first ten updates the differences (10,): how much the
    logits differ between the positions of a batch, as the mean of the tokens' standard deviations.
    """
    pairs, _ = digits()
    model = fresh(norm, seed=seed)
    adam = Adam(model.parameters(), learning_rate=rate)
    batches = Batches(pairs, batch_tokens=BATCH_TOKENS, seed=seed)
    batch: Any = next(batches.epoch(1).batches())  # a TranslationBatch

    losses = []
    differences: list[float] = []
    # 100 epochs have more updates than are done
    for record in islice(Trainer(Objective(model), adam, batches).updates(100), UPDATES):
        losses.append(record.loss)
        if len(differences) == N_DIFFERENCES:
            continue
        with model.evaluating():
            logits = model.forward(batch.src, batch.tgt_in)  # (B, T, V)
        differences.append(logits.std((0, 1)).mean())
    return np.array(losses), np.array(differences)


def guessing_by_frequency() -> float:
    """Return the loss of giving each token its share in all targets, whatever the source.

    >>> round(guessing_by_frequency(), 2)
    2.44
    """
    pairs, vocab_size = digits()
    written = []
    for _, target in pairs:
        written += [*target, EOS_ID]
    counts = np.bincount(written, minlength=vocab_size)
    shares = (1 - LABEL_SMOOTHING) * counts / counts.sum() + LABEL_SMOOTHING / vocab_size
    return float(-(shares * np.log(shares)).sum())


def least_possible() -> float:
    """Return the floor of the loss: the entropy of a smoothed target.

    >>> round(least_possible(), 2)
    0.55
    """
    _, vocab_size = digits()
    target = np.full(vocab_size, LABEL_SMOOTHING / vocab_size)
    target[0] += 1 - LABEL_SMOOTHING
    return float(-(target * np.log(target)).sum())


def final_loss(peak: float, norm: str, warmup: bool, seed: int) -> float:
    """Return the mean loss of the last 20 updates of a training."""
    schedule = WarmupSchedule.with_peak(peak, D_MODEL, WARMUP)
    rate: Callable[[int], float] = schedule
    if not warmup:
        rate = partial(_rate_from_peak, schedule)
    losses, _ = train(rate, norm, seed)
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
