"""Models that see in training what they will not have later, for notebook 18b, and their tests.

The task is that of notebook 18: three to six digits, to be written in reverse order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import npformer as npf
from npformer.tasks import TranslationBatch
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

from .suspects import (
    EOS,
    VOCABULARY,
    Pair,
    loss_of,
    pairs_of_digits,
    suspect_batch,
    suspect_model,
    train,
)

BOS = 2
LENGTHS = (3, 4, 5, 6)
PAIR: Pair = ([4, 5, 6, 7], [7, 6, 5, 4])
SHORT: Pair = ([4, 5, 6], [6, 5, 4])
LONG: Pair = ([7, 8, 9, 10, 11, 12], [12, 11, 10, 9, 8, 7])

# from which result on a test fails
LIMITS = {
    "first loss": 1.5 * np.log(VOCABULARY),
    "one batch": 0.1,
    "target": 1e-4,
    "padding": 1e-4,
}


class _SeesPadding(npf.Transformer):
    """A Transformer that attends to the padding of the source."""

    def encode(self, src):
        everything = np.ones((len(src), 1, src.shape[1]), bool)  # (B, 1, S)
        return self.encoder.forward(src, everything), everything


def model_with(bug: str = "") -> npf.Transformer:
    """Return a fresh model, always with the same numbers.

    Arguments:
        bug: "no causal mask", "padding leaks", one of notebook 18 ("A", "C", "D"), or nothing
    """
    healthy: Any = suspect_model("B")
    if bug == "no causal mask":
        healthy.decoder.layers[0].self_attention.sublayer.attention.causal = False
        return healthy
    if bug == "padding leaks":
        return _SeesPadding(healthy.config, rng=0)
    return suspect_model(bug or "B")


def held_out() -> list[Pair]:
    """Return 100 pairs that no model was trained on."""
    return pairs_of_digits(100, seed=1)


def written_by(model: npf.Transformer, sources: list[list[int]], n_zeros: int = 0) -> list:
    """Return what a model writes for sources of one length, each followed by some padding.

    The most probable token is taken each time, eight at most.
    """
    rows = []
    for source in sources:
        rows.append([*source, EOS, *[0] * n_zeros])
    src = np.array(rows)  # (B, S)
    written = np.full((len(src), 1), BOS)  # (B, T)
    for _ in range(8):
        logits = model.forward(src, written)  # (B, T, V)
        written = np.append(written, logits[:, -1:].argmax(-1), axis=1)

    results = []
    for row in written.tolist():
        end = row.index(EOS) if EOS in row else len(row)
        results.append(row[1:end])
    return results


def share_right(model: npf.Transformer, length: int, n_zeros: int = 0) -> float:
    """Return the share of held-out rows of a length that a model writes correctly."""
    pairs = [pair for pair in held_out() if len(pair[0]) == length]
    results = written_by(model, [source for source, _ in pairs], n_zeros)
    right = [result == target for result, (_, target) in zip(results, pairs, strict=True)]
    return float(np.mean(right))


def number_right(model: npf.Transformer) -> int:
    """Return how many of the 100 held-out rows a model writes correctly, without padding."""
    n_right = 0
    for length in LENGTHS:
        pairs = [pair for pair in held_out() if len(pair[0]) == length]
        results = written_by(model, [source for source, _ in pairs])
        for result, (_, target) in zip(results, pairs, strict=True):
            n_right += result == target
    return n_right


def shares_with_padding(model: npf.Transformer, zeros=(0, 1, 2, 3)) -> np.ndarray:
    """Return the share of correct rows by the number of digits and of zeros after them."""
    rows = []
    for length in LENGTHS:
        rows.append([share_right(model, length, n) for n in zeros])
    return np.array(rows)


def who_notices(model: npf.Transformer, suspect: str = "B") -> np.ndarray:
    """Return how much each position notices of a change of each token of a target of four (5, 4).

    In row t and column s is the largest change of a logit of position t if target token s is
    changed. `suspect` says how the batch is made, as in notebook 18.
    """
    source, target = PAIR
    batch = suspect_batch(suspect, [PAIR])
    before = model.forward(batch.src, batch.tgt_in)[0]  # (5, V)
    columns = []
    for s in range(len(target)):
        other = list(target)
        other[s] = 13
        batch = suspect_batch(suspect, [(source, other)])
        after = model.forward(batch.src, batch.tgt_in)[0]
        columns.append(np.abs(after - before).max(-1))
    return np.stack(columns, axis=1)


def may_notice() -> np.ndarray:
    """Return which position may notice which target token (5, 4)."""
    places = np.arange(5)
    return places[:, None] > places[:4]


def largest_where(noticed: np.ndarray, allowed: np.ndarray) -> float:
    """Return the largest change at a place where there may be none."""
    return float(noticed[~allowed].max())


def alone_and_together(model: npf.Transformer) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits of a short pair alone (1, 4, V), and with a longer one (2, 7, V)."""
    results = []
    for pairs in ([SHORT], [SHORT, LONG]):
        batch = TranslationBatch.collate(pairs)
        results.append(model.forward(batch.src, batch.tgt_in))
    return results[0], results[1]


def change_by_company(alone: np.ndarray, together: np.ndarray) -> float:
    """Return the largest change of a logit of the short pair."""
    n_positions = alone.shape[1]
    return float(np.abs(together[0, :n_positions] - alone[0]).max())


def results_of_tests(bug: str = "", rate: float = 3e-3) -> dict[str, float]:
    """Return what each of the four tests gives for a fresh model, by its name in `LIMITS`."""
    suspect = bug if bug in ("C", "D") else "B"
    model = model_with(bug)
    batch = suspect_batch(suspect, pairs_of_digits(16))
    noticed = who_notices(model, suspect)
    return {
        "first loss": loss_of(model, batch),
        "target": largest_where(noticed, may_notice()),
        "padding": change_by_company(*alone_and_together(model)),
        "one batch": train(model, 75 * [batch], rate)[-1],  # the last: it changes the model
    }


def show_losses(losses: Mapping[str, np.ndarray]):
    """Draw the losses of trainings by name, a mean of five updates, and return the figure."""
    figure, ax = new_figure(width=7, height=2.8)
    looks = zip(losses.items(), (main_color(), ORANGE, GREEN), ("-", "--", ":"), strict=False)
    for (name, curve), color, style in looks:
        ax.plot(running_mean(curve.tolist(), 5), style, color=color, linewidth=2, label=name)
    ax.axhline(np.log(VOCABULARY), color=GREY, linewidth=1)
    ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None))
    ax.legend()
    return figure


def show_shares(shares: Mapping[str, np.ndarray], zeros=(0, 1, 2, 3)):
    """Draw the shares of correct rows by digits and zeros, one panel per model."""
    figure, axes = new_figure(1, len(shares), width=8, height=2.8)
    for ax, (name, array) in zip(axes, shares.items(), strict=True):
        ax.imshow(array, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for (i, j), share in np.ndenumerate(array):
            color = "white" if share > 0.5 else "black"
            ax.text(j, i, f"{share:.0%}", ha="center", va="center", color=color)
        ax.set(title=name, xlabel="zeros after the source", ylabel="digits")
        ax.set_xticks(range(len(zeros)), zeros)
        ax.set_yticks(range(len(LENGTHS)), LENGTHS)
    return figure


def show_failures(results: Mapping[str, Mapping[str, float]]):
    """Draw which test each model fails, a row per model, and return the figure."""
    figure, ax = new_figure(width=7, height=3.2)
    for row, found in enumerate(results.values()):
        for column, (test, limit) in enumerate(LIMITS.items()):
            fails = found[test] > limit
            ax.scatter(
                column,
                row,
                s=160,
                color=ORANGE if fails else main_color(),
                marker="X" if fails else "o",
                alpha=1 if fails else 0.3,
            )
    ax.set_xticks(range(len(LIMITS)), LIMITS)
    ax.set_yticks(range(len(results)), results)
    ax.set(xlim=(-0.5, len(LIMITS) - 0.5), ylim=(len(results) - 0.5, -0.5))
    ax.set_title("cross: the test fails", fontsize=10)
    ax.grid(alpha=0.2)
    return figure
