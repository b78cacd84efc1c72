"""Train translators whose vocabularies differ in size: python notebooks/helpers/vocabulary_sizes.py.

It prints a table of notebook 04d as Markdown, in some minutes; the sentences are those of Multi30k.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import npformer as npf
from npformer import datasets
from npformer.tasks import Batches, Objective, mean_loss
from npformer.text import BPEVocabulary
from npformer.training import Adam, Trainer, WarmupSchedule

SIZES = {"d_model": 48, "d_ff": 96, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.1}
EPOCHS = 20


class Result(NamedTuple):
    """The tokens of a vocabulary, and what a translator with it has learned."""

    size: int
    per_token: float  # held-out loss, nats
    per_sentence: float  # the same, as a sum over a sentence


def trained(pairs, new_pairs, size: int, seed: int = 0) -> Result:
    """Train a small translator with at most `size` subwords for both languages, and measure it on new pairs."""
    vocabulary = BPEVocabulary.build([line for pair in pairs for line in pair[:2]], size=size)
    train, new = ([tuple(map(vocabulary.encode, pair[:2])) for pair in part] for part in (pairs, new_pairs))
    n = len(vocabulary)
    model = npf.Transformer(npf.TransformerConfig.tiny(src_vocab_size=n, tgt_vocab_size=n, **SIZES), rng=seed)
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule.with_peak(6e-3, 48, 100))
    for _ in Trainer(Objective(model), adam, Batches(train, batch_tokens=640, seed=seed)).updates(EPOCHS):
        pass
    per_token = mean_loss(model, Batches(new, batch_tokens=4000))
    tokens_per_sentence = sum(len(target) + 1 for _, target in new) / len(new)  # 1: <eos>
    return Result(n, per_token, per_token * tokens_per_sentence)


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(description="Print how well translators do with vocabularies of several sizes.")
    parser.add_argument("--pairs", type=int, default=1000, help="how many to train on")
    parser.add_argument("--seeds", type=int, default=2, help="how many starts and orders of batches")
    given = parser.parse_args()
    train, held_out = datasets.find("multi30k").load("train", "held_out")
    print("| tokens | loss per token | loss per sentence |\n|---|---|---|")
    for size in (300, 500, 1000, 2000, 4000):
        rows = [trained(train[: given.pairs], held_out[:200], size, seed) for seed in range(given.seeds)]
        sizes, per_token, per_sentence = zip(*rows, strict=True)
        columns = ("  ".join(f"{loss:.{n}f}" for loss in row) for row, n in ((per_token, 2), (per_sentence, 1)))
        print(f"| {sizes[0]} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
