"""The embedding tables of notebook 27: of a model that predicts German words, and of its nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from npformer.datasets import phrasebook
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import LabelSmoothingLoss
from npformer.text import BOS, EOS, PAD, Vocabulary, pad
from npformer.training import Adam, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import AMBER, GREEN, GREY, ORANGE, PINK, main_color

from .nouns import NOUNS

D_MODEL = 32
N_UNUSED = 20
N_UPDATES = 600
GROUPS = {
    "people": ("adult", "youth", "kin"),
    "animals": ("animal",),
    "food": ("food", "meal"),
    "drinks": ("drink",),
    "places": ("outdoors", "indoors"),
}


COLORS = dict(
    zip((*GROUPS, "things"), (main_color(), ORANGE, GREEN, PINK, AMBER, GREY), strict=True)
)


@dataclass(frozen=True)
class Tables:
    """The table of a model before and after training, and those of a model that has two.

    Arguments:
        untrained, tied: (V, D), one table for reading and for scoring
        input, output: (V, D), of a model in which these are two
        losses: of the last updates, by "tied" and "two tables"
    """

    untrained: np.ndarray
    tied: np.ndarray
    input: np.ndarray
    output: np.ndarray
    losses: Mapping[str, float]


@cache
def german() -> tuple[Vocabulary, list[list[int]]]:
    """Return the words of the phrasebook's German, and its sentences as ids."""
    pairs, _ = phrasebook.split()
    words = Vocabulary.build((pair.target for pair in pairs), lowercase=True)
    return words, [words.encode(pair.target) for pair in pairs]


def names_of_rows() -> list[str]:
    """Return what each row is for: the words, and at the end those that occur nowhere."""
    words, _ = german()
    return [*words.tokens, *(f"unused{i}" for i in range(N_UNUSED))]


def new_model(tie_embeddings: str) -> LanguageModel:
    """Return a model of one layer with random parameters."""
    config = LanguageModelConfig(
        vocab_size=len(names_of_rows()),
        tie_embeddings=tie_embeddings,
        d_model=D_MODEL,
        d_ff=4 * D_MODEL,
        n_heads=4,
        n_decoder_layers=1,
        dropout=0.0,
    )
    return LanguageModel(config, rng=0)


def train(model: LanguageModel) -> float:
    """Train a model to predict each next word; return the mean loss of the last updates.

    The highest rate, 0.006, was the best of 0.003, 0.006 and 0.012 by this loss.
    """
    _, sentences = german()
    loss = LabelSmoothingLoss(eps=0.0)
    schedule = WarmupSchedule.with_peak(6e-3, D_MODEL, 100)
    adam = Adam(model.parameters(), learning_rate=schedule)
    losses = []
    for update in range(N_UPDATES):
        batch = sentences[32 * update : 32 * (update + 1)]
        read = pad([[BOS, *ids] for ids in batch], PAD)
        came = pad([[*ids, EOS] for ids in batch], PAD)
        model.zero_grad()
        losses.append(loss.forward(model.forward(read), came))
        model.backward(loss.backward())
        adam.clip_gradient(1.0)
        adam.step()
    return float(np.mean(losses[-50:]))


def trained_tables() -> Tables:
    """Train a model with one table and one with two."""
    tied = new_model("all")
    untrained = tied.generator.table.data.copy()
    of_tied = train(tied)
    untied = new_model("none")
    of_untied = train(untied)
    return Tables(
        untrained=untrained,
        tied=tied.generator.table.data,
        input=untied.decoder.input_embedding.embedding.table.data,
        output=untied.generator.table.data,
        losses={"tied": of_tied, "two tables": of_untied},
    )


def singular_nouns():
    """Return the nouns that name one thing only, without "Junge", which is also "young"."""
    return [noun for noun in NOUNS if noun.german != "Junge"]


def kinds_and_genders() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows, kinds and genders of the nouns, each (47,)."""
    words, _ = german()
    group_of = {kind: group for group, kinds in GROUPS.items() for kind in kinds}
    nouns = singular_nouns()
    rows = [words.ids[noun.german.lower()] for noun in nouns]
    kinds = [group_of.get(noun.kind, "things") for noun in nouns]
    genders = [noun.gender for noun in nouns]
    return np.array(rows), np.array(kinds), np.array(genders)


def show_nouns(before: np.ndarray, after: np.ndarray):
    """Draw the nouns at their first two components, before and after training.

    Arguments:
        before: coordinates, (47, 2)
        after: coordinates, (47, 2)
    """
    figure, (left, right) = new_figure(1, 2, width=13, height=6.5)
    _draw_nouns(left, before, "before training")
    _draw_nouns(right, after, "after training")
    right.legend(fontsize=8)
    return figure


def _draw_nouns(ax, coordinates: np.ndarray, title: str) -> None:
    """Write each noun in English with its German gender, in the color of its kind."""
    _, kinds, genders = kinds_and_genders()
    for kind, color in COLORS.items():
        ax.plot(*coordinates[kinds == kind].T, ".", color=color, label=kind)
    ax.set(xlabel="component 0", ylabel="component 1", title=title)
    ax.margins(0.12)
    ax.autoscale_view()

    # from below, each label is moved up until it lies on no other
    dots = ax.transData.transform(coordinates) * 72 / ax.figure.dpi  # in points
    labels: list[tuple[float, float]] = []
    nouns = singular_nouns()
    for i in dots[:, 1].argsort():
        x, y = dots[i]
        while any(abs(x - other_x) < 52 and abs(y - other_y) < 9 for other_x, other_y in labels):
            y += 1
        labels.append((x, y))
        ax.annotate(
            f"{nouns[i].english} ({genders[i]})",
            coordinates[i],
            (3, 2 + y - dots[i, 1]),
            textcoords="offset points",
            color=COLORS[kinds[i]],
            fontsize=8,
        )


def show_shares(shares: Mapping[str, Mapping[str, float]]):
    """Draw which share of the nearest nouns is alike, by table and by what is alike."""
    figure, ax = new_figure(width=7, height=2.8)
    places = np.arange(len(shares))
    for offset, color, label in ((-0.2, main_color(), "same gender"), (0.2, ORANGE, "same kind")):
        values = [of_table[label] for of_table in shares.values()]
        bars = ax.bar(places + offset, values, 0.4, color=color, label=label)
        ax.bar_label(bars, [f"{value:.0%}" for value in values], fontsize=8)
    ax.set_xticks(places, list(shares))
    ax.set(ylabel="share of the nearest nouns", ylim=(0, 1.1))
    ax.legend(fontsize=8)
    return figure


def show_norms(tables: Tables):
    """Draw the norm of each row over the count of its word, for the input and the output table."""
    counts = counts_of_words()
    figure, axes = new_figure(1, 2, width=9, height=3)
    for ax, name in zip(axes, ("input", "output"), strict=True):
        norm = np.linalg.norm(getattr(tables, name), axis=1)
        ax.plot(np.maximum(counts[4:], 0.5), norm[4:], "o", color=main_color(), markersize=3)
        unused = norm[-N_UNUSED:]
        ax.plot(np.full(N_UNUSED, 0.5), unused, "o", color=ORANGE, markersize=4, label="never")
        ax.set(xscale="log", xlabel="occurrences (0.5: none)", title=name, ylim=(0, 2.6))
    axes[0].set_ylabel("norm of the row")
    axes[0].legend(fontsize=8)
    return figure


def counts_of_words() -> np.ndarray:
    """Return how often each row's word occurs in the text (V,)."""
    _, sentences = german()
    return np.bincount(np.concatenate(sentences), minlength=len(names_of_rows()))
