"""The embedding tables of notebook 27: of a model that predicts German words, and of its nouns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

from .expected import Expected
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
MARKERS = {"m": "o", "f": "^", "n": "D"}
GENDERS = {"m": "masculine", "f": "feminine", "n": "neuter"}
FONT_SIZE = 8  # of the nouns' labels
LETTER_WIDTH = 4.6  # points
LABEL_HEIGHT = 10  # points


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


def expected_lines(X: np.ndarray) -> Expected:
    """Return the lines to write in the notebook for rows (n, D), and what is said of mistakes."""
    U, S, _ = np.linalg.svd(X - X.mean(0), full_matrices=False)
    expected = Expected(**first_two_components(X))
    expected.say("along both components they differ equally", coordinates=U[:, :2])
    expected.say("the share is that of squares", share=S[:2].sum() / S.sum())
    return expected


def first_two_components(X: np.ndarray) -> dict:
    """Return the coordinates of rows (n, D) along two principal components, and their share."""
    U, S, _ = np.linalg.svd(X - X.mean(0), full_matrices=False)
    return {"coordinates": U[:, :2] * S[:2], "share": (S[:2] ** 2).sum() / (S**2).sum()}


def show_nouns(untrained: np.ndarray, coordinates: np.ndarray):
    """Draw the nouns at their first two components, before training and, with words, after it.

    Arguments:
        untrained: their rows before training (47, D)
        coordinates: after training (47, 2)
    """
    figure, (left, right) = new_figure(1, 2, width=12, height=8)
    left.get_gridspec().set_width_ratios([1, 3])
    _draw_dots(left, first_two_components(untrained)["coordinates"], "before training")
    left.set_box_aspect(1)
    _draw_dots(right, coordinates, "after training")
    right.legend(fontsize=8, loc="lower left")
    _draw_words(right, coordinates)
    return figure


def _draw_dots(ax, coordinates: np.ndarray, title: str) -> None:
    """Draw a dot for each noun, in the color of its kind and with the marker of its gender."""
    _, kinds, genders = kinds_and_genders()
    for kind, color in COLORS.items():
        for gender, marker in MARKERS.items():
            chosen = (kinds == kind) & (genders == gender)
            ax.plot(*coordinates[chosen].T, marker, color=color, markersize=5)
        ax.plot([], [], "s", color=color, label=kind)
    for gender, marker in MARKERS.items():
        ax.plot([], [], marker, color=GREY, label=GENDERS[gender])
    ax.set(xlabel="component 0", ylabel="component 1", title=title)
    ax.margins(0.1)
    ax.autoscale_view()


def _with_english(noun) -> str:
    """Return a noun with its English, unless both are the same word."""
    if noun.german.lower() == noun.english:
        return noun.german
    return f"{noun.german} ({noun.english})"


def _draw_words(ax, coordinates: np.ndarray) -> None:
    """Write each noun and its English next to its dot, with a line where that is not near."""
    _, kinds, _ = kinds_and_genders()
    words = [_with_english(noun) for noun in singular_nouns()]
    ax.figure.draw_without_rendering()  # the places of dots are known now
    dots = ax.transData.transform(coordinates) * 72 / ax.figure.dpi  # in points
    widths = [LETTER_WIDTH * len(word) for word in words]
    box = ax.bbox.get_points() * 72 / ax.figure.dpi
    for i, (x, y) in enumerate(places_of_labels(dots, widths, edges=(box[0, 0], box[1, 0]))):
        label = ax.annotate(
            words[i],
            coordinates[i],
            (x - dots[i, 0], y - dots[i, 1]),
            textcoords="offset points",
            va="center",
            color=COLORS[kinds[i]],
            fontsize=FONT_SIZE,
            arrowprops={
                "arrowstyle": "-",
                "color": GREY,
                "linewidth": 0.5,
                "shrinkA": 0,
                "shrinkB": 3,
                "relpos": (np.clip((dots[i, 0] - x) / widths[i], 0, 1), 0.5),
            },
        )
        label.set_in_layout(False)  # the dots stay where they are


def places_of_labels(
    dots: np.ndarray, widths: Sequence[float], edges: tuple[float, float]
) -> list[tuple[float, float]]:
    """Return where labels begin that cover neither a dot nor each other, each near its dot.

    Arguments:
        dots: (n, 2), in points
        widths: of the labels
        edges: the least and the largest x of a label

    >>> places_of_labels(np.array([[0.0, 0.0], [100.0, 0.0]]), [20, 20], edges=(-10, 110))
    [(6.0, 0.0), (74.0, 0.0)]
    """
    placed: list[tuple[float, float, float]] = []
    for dot, width in zip(dots, widths, strict=True):
        for x, y in _candidates(dot, width):
            if x < edges[0] or x + width > edges[1]:
                continue
            on_a_dot = (dots[:, 0] > x - 4) & (dots[:, 0] < x + width + 4)
            on_a_dot &= np.abs(dots[:, 1] - y) < LABEL_HEIGHT / 2 + 3
            on_a_label = False
            for other_x, other_y, other_width in placed:
                beside = x + width + 3 < other_x or other_x + other_width + 3 < x
                if not beside and abs(y - other_y) < LABEL_HEIGHT:
                    on_a_label = True
            if not on_a_dot.any() and not on_a_label:
                break
        placed.append((float(x), float(y), width))
    return [(x, y) for x, y, _ in placed]


def _candidates(dot: np.ndarray, width: float) -> list[tuple[float, float]]:
    """Return where the label of a dot may begin, the nearest places first."""
    found = []
    for up in range(-120, 121, 4):
        for side in (6, -width / 2, -6 - width):
            across = 0 if side == -width / 2 else 6
            found.append((np.hypot(across, up), dot[0] + side, dot[1] + up))
    found.sort(key=lambda candidate: candidate[0])
    return [(x, y) for _, x, y in found]


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


def nearest_by_dot_product(table: np.ndarray) -> np.ndarray:
    """Return the row with the largest dot product, other than its own, of each word (words,)."""
    products = table @ table.T  # (V, V)
    np.fill_diagonal(products, -np.inf)
    return products[4:-N_UNUSED].argmax(-1)  # without the special tokens


def counts_of_words() -> np.ndarray:
    """Return how often each row's word occurs in the text (V,)."""
    _, sentences = german()
    return np.bincount(np.concatenate(sentences), minlength=len(names_of_rows()))
