"""Tests that are drawn, and pictures of them, for notebook 22."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from sacrebleu.metrics import BLEU

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, ink, main_color

from .damaged_sentences import words_of
from .expected import Expected
from .two_translators import all_scores

EVERY_N = (250, 500, 1000, 1500, 2000, 3000, 4000)


def expectations(a: np.ndarray, b: np.ndarray) -> Expected:
    """Return the lines to write in the notebook, and what is said of mistakes in them.

    Arguments:
        a: the scores of A on the held-out sentences
        b: those of B
    """
    n = len(a)
    all_a, all_b = all_scores()
    differences = all_a - all_b
    delta = differences.mean()
    s = differences.std()
    needed = (2.8 * s / delta) ** 2
    expected = Expected(
        error=a.std() / np.sqrt(n),
        apart=np.sqrt((a.var() + b.var()) / n),
        needed=needed,
    )
    expected.say("it is the standard deviation of one score, not of their mean", error=a.std())
    expected.say("the variance is that of one score", error=a.var())
    expected.say("it is divided by n: the sum has the root of n in it", error=a.std() / n)
    expected.say("the formula is that of the sum of all scores", error=a.std() * np.sqrt(n))
    expected.say(
        "it is the error on the same sentences, where a and b vary together",
        apart=(a - b).std() / np.sqrt(n),
    )
    expected.say(
        "the errors themselves were added", apart=a.std() / np.sqrt(n) + b.std() / np.sqrt(n)
    )
    expected.say("the variances are those of one score", apart=np.sqrt(a.var() + b.var()))
    expected.say("it is the root of n", needed=np.sqrt(needed))
    expected.say(
        "with so many, half of all tests exclude 0: the 0.84 is missing",
        needed=(1.96 * s / delta) ** 2,
    )
    return expected


def draw_scores(a: np.ndarray, b: np.ndarray) -> plt.Figure:
    """Draw how many sentences have which score, of A and of B."""
    figure, axes = new_figure(1, 2, width=8, height=2.6)
    for ax, scores, name in zip(axes, (a, b), "AB", strict=True):
        ax.hist(scores, np.arange(0, 106, 5), color=main_color())
        ax.set_yscale("log")
        ax.set(xlabel="score of a sentence", xlim=(0, 105), ylim=(0.7, 700))
        ax.set_title(
            f"{name}: mean {scores.mean():.2f}, standard deviation {scores.std():.1f}", fontsize=9
        )
    axes[0].set_ylabel("sentences")
    return figure


def draw_means(means: np.ndarray, center: float, error: float) -> plt.Figure:
    """Draw the means of many tests, and one and two standard errors around one of them."""
    figure, ax = new_figure(width=6.5, height=3)
    edges = np.linspace(means.min(), means.max(), 40)
    ax.hist(means, edges, color=GREY, alpha=0.7)
    top = ax.get_ylim()[1]
    for n_errors, height in ((2, 1.08), (1, 1.2)):
        ends = (center - n_errors * error, center + n_errors * error)
        ax.plot(ends, [height * top] * 2, "|-", color=main_color(), linewidth=2)
        words = "one standard error" if n_errors == 1 else "two"
        ax.annotate(
            words,
            (ends[1], height * top),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    ax.plot(center, 1.14 * top, "o", color=main_color())
    ax.set(xlabel="mean score of a test of 500 sentences", ylabel="tests", ylim=(0, 1.3 * top))
    ax.set_xlim(None, center + 3.4 * error)
    return figure


def draw_interval(means: np.ndarray, low: float, high: float, name: str) -> plt.Figure:
    """Draw the numbers that were drawn, and the interval that has most of them inside.

    Arguments:
        means: the number of each draw
        low: where the interval begins
        high: where it ends
        name: what was drawn
    """
    figure, ax = new_figure(width=6.5, height=2.6)
    ax.hist(means, 40, color=GREY, alpha=0.7)
    top = ax.get_ylim()[1]
    ax.plot((low, high), [1.08 * top] * 2, "|-", color=main_color(), linewidth=2)
    for end, align in ((low, "right"), (high, "left")):
        ax.annotate(f" {end:.2f} ", (end, 1.08 * top), ha=align, va="center", fontsize=9)
    ax.axvline(0, ymax=0.8, color=ink(), linewidth=1)  # it ends below the numbers
    ax.set(xlabel=name, ylabel="draws", ylim=(0, 1.2 * top))
    return figure


def draw_intervals(intervals: Sequence[tuple[float, float]], truth: float) -> plt.Figure:
    """Draw intervals below each other, and where the true difference is.

    Those that do not contain 0 are dark, all others gray. A dot marks those that miss the truth.
    """
    figure, ax = new_figure(width=7, height=4.2)
    n_shown = 0
    n_missing = 0
    for place, (low, high) in enumerate(intervals):
        misses = not low <= truth <= high
        shown = low > 0
        n_missing += misses
        n_shown += shown
        color = main_color() if shown else GREY
        ax.plot((low, high), (place, place), color=color, linewidth=2.2)
        if misses:
            ax.plot((low + high) / 2, place, "o", color=ORANGE, markersize=5)
    ax.axvline(0, color=ink(), linewidth=1)
    ax.axvline(truth, color=ink(), linewidth=1, linestyle="--")
    n = len(intervals)
    ax.set(xlabel="mean of a - b", yticks=[], ylim=(n, -7), ylabel=f"{n} tests of 500 sentences")
    ax.annotate(
        "true difference",
        (truth, -3.8),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=9,
    )
    ax.annotate("0", (0, -3.8), xytext=(5, 0), textcoords="offset points", va="center", fontsize=9)
    figure.suptitle(
        f"{n_shown} of {n} exclude 0 (dark); {n_missing} miss the true difference (orange dot)",
        fontsize=10,
    )
    return figure


def draw_paired(same: np.ndarray, others: np.ndarray) -> plt.Figure:
    """Draw the mean differences of drawn tests, on the same sentences and on others."""
    figure, ax = new_figure(width=6.5, height=2.9)
    edges = np.linspace(others.min(), others.max(), 50)
    ax.hist(
        others,
        edges,
        color=GREY,
        alpha=0.7,
        label=f"B on other sentences: standard error {others.std():.2f}",
    )
    ax.hist(same, edges, color=main_color(), alpha=0.7, label=f"both on the same: {same.std():.2f}")
    ax.axvline(0, color=ink(), linewidth=1)
    ax.set(xlabel="mean of a minus mean of b", ylabel="draws", ylim=(0, 1.35 * ax.get_ylim()[1]))
    ax.legend(loc="upper left", fontsize=9)
    return figure


def shares_shown(
    differences: np.ndarray, rng: np.random.Generator, n_tests: int = 400
) -> list[float]:
    """Return the share of tests of each of EVERY_N sentences whose interval does not contain 0.

    The interval is that of the standard error, which of so many sentences is as wide as that of
    the bootstrap.
    """
    shares = []
    for n in EVERY_N:
        tests = rng.choice(differences, (n_tests, n))
        low = tests.mean(-1) - 1.96 * tests.std(-1) / np.sqrt(n)
        shares.append(float(np.mean(low > 0)))
    return shares


def draw_power(shares: Sequence[float], needed: float) -> plt.Figure:
    """Draw how often a test shows the difference, by its size, and where 80% should be."""
    figure, ax = new_figure(width=6.5, height=3)
    ax.plot(EVERY_N, shares, "o-", color=main_color())
    ax.axhline(0.8, color=GREY, linestyle="--", linewidth=1)
    if np.ndim(needed) == 0 and np.isfinite(needed):
        ax.axvline(needed, color=ORANGE, linewidth=1.5)
        ax.annotate(
            "needed", (needed, 0.08), xytext=(5, 0), textcoords="offset points", color=ORANGE
        )
    ax.set(xlabel="sentences in the test", ylabel="share of tests that show it", ylim=(0, 1.03))
    ax.set_xlim(0, 4100)
    return figure


def drawn_bleu(
    translations: Sequence[str], references: Sequence[str], draws: np.ndarray
) -> np.ndarray:
    """Return BLEU of each drawn test, (R,); draws (R, N) are indices of sentences."""
    return _bleu(_bleu_counts(translations, references)[draws].sum(1))


def _bleu_counts(translations: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Return what BLEU counts in each sentence, (N, 10): four matches, four totals, two lengths."""
    bleu = BLEU(tokenize="none")
    rows = []
    for text, reference in zip(translations, references, strict=True):
        words = " ".join(words_of(text))
        right = " ".join(words_of(reference))
        score = bleu.corpus_score([words], [[right]])
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows)


def _bleu(counts: np.ndarray) -> np.ndarray:
    """Return BLEU of what was counted in a whole test, (..., 10)."""
    precisions = counts[..., :4] / counts[..., 4:8]
    penalty = np.exp(np.minimum(0, 1 - counts[..., 9] / counts[..., 8]))
    return 100 * penalty * np.prod(precisions, -1) ** 0.25
