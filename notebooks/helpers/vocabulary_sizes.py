"""Train translators whose vocabularies differ in size, and draw what they have learned.

    cd notebooks && python -m helpers.vocabulary_sizes

prints MULTI30K of notebook 20b as a table, in some minutes; it needs Multi30k.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

import npformer as npf
from npformer import datasets
from npformer.tasks import Batches, Objective, mean_loss
from npformer.text import BPEVocabulary
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from .expected import Expected

# losses per sentence of 1,000 pairs of Multi30k with seed 0, by the tokens of the vocabulary
MULTI30K = {300: 110.9, 500: 97.9, 1000: 88.7, 2000: 88.6, 4000: 94.1}
# how many of these tokens occur fewer than ten times in the 1,000 pairs
MULTI30K_RARE = {300: 2, 500: 8, 1000: 93, 2000: 1027, 4000: 3332}
FIRST_MERGED = 260  # ids below are 4 special tokens and 256 bytes
SIZES = {"d_model": 48, "d_ff": 96, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.1}
EPOCHS = 20


class Result(NamedTuple):
    """The tokens of a vocabulary, and what a translator with it has learned."""

    size: int
    per_token: float  # held-out loss, nats
    n_tokens: float  # of a held-out target sentence with <eos>, on average


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
    return Result(n, per_token, n_tokens / len(new))


def merged_counts(vocabulary: BPEVocabulary, lines: Sequence[str]) -> np.ndarray:
    """Return how often each merged token occurs in lines, one number per merge."""
    counts = Counter(i for line in lines for i in vocabulary.encode(line))
    return np.array([counts[i] for i in range(FIRST_MERGED, len(vocabulary))])


def n_rare(vocabulary: BPEVocabulary, lines: Sequence[str]) -> int:
    """Return how many merged tokens occur fewer than ten times in lines."""
    return int(np.sum(merged_counts(vocabulary, lines) < 10))


def expected_rare(counts: np.ndarray) -> Expected:
    """Return how many tokens are rare, and what is said of mistakes."""
    expected = Expected(rare=np.sum(counts < 10))
    expected.say("ten times is not fewer than ten times", rare=np.sum(counts <= 10))
    expected.say("those are the others", rare=np.sum(counts >= 10))
    expected.say(
        "add up how many there are, not how often they occur", rare=counts[counts < 10].sum()
    )
    return expected


def expected_per_sentence(per_token: np.ndarray, n_tokens: np.ndarray) -> Expected:
    """Return the losses of sentences, and what is said of mistakes."""
    expected = Expected(per_sentence=per_token * n_tokens)
    expected.say(
        "a sentence has many tokens, so its loss is larger", per_sentence=per_token / n_tokens
    )
    return expected


def draw_costs(
    n_merges: Sequence[int], lengths: Sequence[float], n_rare: Sequence[int], by_word: float
) -> plt.Figure:
    """Draw the tokens per sentence and the rare tokens, by the number of merges.

    Arguments:
        n_merges: of each vocabulary
        lengths: tokens per sentence
        n_rare: how many merged tokens are rare
        by_word: words per sentence
    """
    figure, (left, right) = new_figure(1, 2, width=9, height=2.8)
    left.plot(n_merges, lengths, "o-", color=main_color(), linewidth=2, label="subwords")
    left.axhline(by_word, color=GREY, linewidth=1, linestyle="--", label="words")
    left.set(xlabel="merges", ylabel="tokens per sentence", ylim=(0, None))
    left.legend()
    right.plot(n_merges, n_rare, "o-", color=ORANGE, linewidth=2)
    right.set(xlabel="merges", ylabel="rare merged tokens", ylim=(0, None))
    return figure


def draw_losses(
    per_token: np.ndarray, per_sentence: np.ndarray, sizes: Sequence[int]
) -> plt.Figure:
    """Draw the losses per token and per sentence of vocabularies; the best is orange."""
    figure, axes = new_figure(1, 2, width=9, height=2.8)
    labels = [f"{size:,}" for size in sizes]
    for ax, losses, name in zip(
        axes, (per_token, per_sentence), ("token", "sentence"), strict=True
    ):
        colors = [ORANGE if loss == losses.min() else main_color() for loss in losses]
        ax.bar(labels, losses, 0.6, color=colors)
        for label, loss in zip(labels, losses, strict=True):
            ax.annotate(f"{loss:.2f}", (label, loss), ha="center", va="bottom", fontsize=9)
        ax.set(xlabel="tokens in the vocabulary", ylabel="nats", title=f"loss per {name}")
        ax.set_ylim(0, 1.15 * losses.max())
    return figure


def draw_multi30k() -> plt.Figure:
    """Draw the losses of Multi30k, and the share of the merged tokens that are rare."""
    figure, (left, right) = new_figure(1, 2, width=9, height=2.8)
    labels = [f"{size:,}" for size in MULTI30K]
    left.plot(labels, list(MULTI30K.values()), "o-", color=main_color(), linewidth=2)
    left.set(xlabel="tokens in the vocabulary", ylabel="nats per sentence", title="held-out loss")
    shares = [rare / (size - FIRST_MERGED) for size, rare in MULTI30K_RARE.items()]
    right.bar(labels, shares, 0.6, color=ORANGE)
    right.axhline(0.5, color=GREY, linestyle="--", linewidth=1)
    right.set(xlabel="tokens in the vocabulary", ylabel="share", ylim=(0, 1))
    right.set_title("merged tokens that are rare")
    return figure


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
        per_sentence = "  ".join(f"{result.per_token * result.n_tokens:.1f}" for result in results)
        print(f"| {results[0].size} | {per_token} | {per_sentence} |", flush=True)


if __name__ == "__main__":
    main()
