"""Train translators whose vocabularies differ in size.

    python notebooks/helpers/vocabulary_sizes.py

It prints a table of notebook 20b as Markdown, in some minutes; the sentences are those of Multi30k.
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
    """Train a small translator and measure it on new pairs.

    One vocabulary has at most `size` subwords for both languages.
    """
    lines = []
    for pair in pairs:
        lines += pair[:2]
    vocabulary = BPEVocabulary.build(lines, size=size)
    n = len(vocabulary)
    config = npf.TransformerConfig.tiny(src_vocab_size=n, tgt_vocab_size=n, **SIZES)
    model = npf.Transformer(config, rng=seed)

    batches = Batches(_encode_pairs(vocabulary, pairs), batch_tokens=640, seed=seed)
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule.with_peak(6e-3, 48, 100))
    for _ in Trainer(Objective(model), adam, batches).updates(EPOCHS):
        pass

    new = _encode_pairs(vocabulary, new_pairs)
    per_token = mean_loss(model, Batches(new, batch_tokens=4000))
    n_tokens = sum(len(target) + 1 for _, target in new)  # 1: <eos>
    return Result(n, per_token, per_token * (n_tokens / len(new)))


def _encode_pairs(vocabulary: BPEVocabulary, pairs) -> list[tuple[list[int], list[int]]]:
    return [(vocabulary.encode(pair[0]), vocabulary.encode(pair[1])) for pair in pairs]


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(
        description="Print how well translators do with vocabularies of several sizes."
    )
    parser.add_argument("--pairs", type=int, default=1000, help="how many to train on")
    parser.add_argument(
        "--seeds", type=int, default=2, help="how many starts and orders of batches"
    )
    given = parser.parse_args()

    train, held_out = datasets.get("multi30k").load("train", "held_out")
    print("| tokens | loss per token | loss per sentence |\n|---|---|---|")
    for size in (300, 500, 1000, 2000, 4000):
        results = []
        for seed in range(given.seeds):
            results.append(trained(train[: given.pairs], held_out[:200], size, seed))
        per_token = "  ".join(f"{result.per_token:.2f}" for result in results)
        per_sentence = "  ".join(f"{result.per_sentence:.1f}" for result in results)
        print(f"| {results[0].size} | {per_token} | {per_sentence} |", flush=True)


if __name__ == "__main__":
    main()
