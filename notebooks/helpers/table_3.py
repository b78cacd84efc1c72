"""The rows of table 3 in miniature, and pictures of them, for notebook 22b."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, ink, main_color

from .expected import Expected

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "results.md"
N_SEEDS = 3
LEFT_END = -12.0  # of the axis of differences; three rows are farther left
LOWEST = 60.0  # of the axis of BLEU; three rows are below


class Row(NamedTuple):
    """A row of the table: what was changed, and BLEU of three seeds. The paper's may be missing."""

    letter: str
    change: str
    of_seeds: tuple[float, ...]
    bleu: float
    deviation: float
    paper_bleu: float | None


def read_table() -> tuple[Row, list[Row]]:
    """Return the base and the other rows of table 3 in docs/explanation/results.md.

    >>> base, rows = read_table()
    >>> base.of_seeds, base.bleu, base.paper_bleu, len(rows)
    ((75.4, 71.1, 75.3), 74.0, 25.8, 20)
    """
    page = PAGE.read_text(encoding="utf-8")
    rows = []
    for line in page[page.index("## Table 3") :].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 7 or "±" not in cells[5]:
            continue
        bleu, deviation = re.findall(r"[\d.]+", cells[5])
        of_seeds = tuple(map(float, cells[4].split(", ")))
        paper = re.findall(r"[\d.]+", cells[6])
        paper_bleu = float(paper[1]) if paper else None
        rows.append(Row(cells[0], cells[1], of_seeds, float(bleu), float(deviation), paper_bleu))
    base = rows[0]._replace(change="base")
    return base, rows[1:]


def expectations(base: Row, rows: Sequence[Row]) -> Expected:
    """Return the lines to write in the notebook, and what is said of mistakes in them."""
    of_base = base.deviation**2
    variances = np.array([row.deviation for row in rows]) ** 2
    paired = differences_by_seed(base, rows)
    own = paired.std(-1, ddof=1)
    s = np.sqrt((own**2).mean())
    expected = Expected(
        errors=np.sqrt((variances + of_base) / N_SEEDS),
        paired=own / np.sqrt(N_SEEDS),
        s=s,
        seeds=(2.8 * s / 0.8) ** 2,
    )
    expected.say("the base has an error too", errors=np.sqrt(variances / N_SEEDS))
    expected.say("they are those of single runs, not of means", errors=np.sqrt(variances + of_base))
    errors = (np.sqrt(variances) + base.deviation) / np.sqrt(N_SEEDS)
    expected.say("the errors themselves were added", errors=errors)
    expected.say("they are those of one difference, not of the mean of three", paired=own)
    of_three = paired.std(-1) / np.sqrt(N_SEEDS)
    expected.say("three numbers are closer to their own mean: ddof=1", paired=of_three)
    expected.say("it is the mean of the standard deviations", s=own.mean())
    expected.say("the root is missing", s=(own**2).mean())
    of_two_rows = 2 * (2.8 * s / 0.8) ** 2
    expected.say("s is that of the difference, which has both rows in it", seeds=of_two_rows)
    expected.say("the square is missing", seeds=2.8 * s / 0.8)
    return expected


def differences_by_seed(base: Row, rows: Sequence[Row]) -> np.ndarray:
    """Return each row's BLEU minus that of base, of each seed: (rows, seeds)."""
    return np.array([row.of_seeds for row in rows]) - np.array(base.of_seeds)


def t_values(
    n_seeds: int, rng: np.random.Generator, n_trials: int = 100_000, shift: float = 0.0
) -> np.ndarray:
    """Return difference / error of two rows of the same distribution, many times.

    Arguments:
        n_seeds: runs of each row
        rng: where they are drawn
        n_trials: how many times
        shift: by how many standard deviations the first row is better
    """
    first, second = rng.normal(size=(2, n_trials, n_seeds))
    first += shift
    errors = np.sqrt((first.var(-1, ddof=1) + second.var(-1, ddof=1)) / n_seeds)
    return (first.mean(-1) - second.mean(-1)) / errors


def draw_limits(limits: dict[int, float]) -> plt.Figure:
    """Draw how many errors a difference has by chance, by the number of seeds."""
    figure, ax = new_figure(width=6.5, height=2.6)
    places = range(len(limits))
    ax.plot(places, list(limits.values()), "o-", color=main_color())
    for place, limit in zip(places, limits.values(), strict=True):
        ax.annotate(f"{limit:.1f}", (place, limit), xytext=(6, 5), textcoords="offset points")
    ax.axhline(1.96, color=GREY, linestyle="--", linewidth=1)
    ax.annotate("1.96", (0, 1.96), xytext=(0, -13), textcoords="offset points", color=GREY)
    ax.set_xticks(places, [str(n) for n in limits])
    ax.set(xlabel="seeds of each row", ylabel="limit of 95%, in errors")
    ax.set(xlim=(-0.2, len(limits) - 0.6), ylim=(0, 5))
    return figure


def draw_counts(n_different: dict[str, np.ndarray]) -> plt.Figure:
    """Draw how often how many rows look different, a histogram per name."""
    figure, axes = new_figure(1, len(n_different), width=8, height=2.8)
    most = max(counts.max() for counts in n_different.values())
    for ax, (name, counts) in zip(axes, n_different.items(), strict=True):
        shares = np.bincount(counts, minlength=most + 1) / len(counts)
        colors = [ORANGE if n >= 5 else main_color() for n in range(most + 1)]
        ax.bar(range(most + 1), shares, color=colors)
        five = shares[5:].sum()
        ax.annotate(f"five or more: {five:.1%}", (6, 0.08), color=ORANGE, fontsize=9)
        ax.set_title(f"{name}: {counts.mean():.2f} on average", fontsize=10)
        ax.set_xticks(range(0, 21, 5))
        ax.set(xlabel="rows that look different", ylim=(0, 0.75), xlim=(-0.8, 15.5))
    axes[0].set_ylabel("share of the tables")
    return figure


def draw_differences(
    base: Row, rows: Sequence[Row], widths: np.ndarray, clear: Collection[Row]
) -> plt.Figure:
    """Draw the difference of each row from base with its interval, gray where it is not clear.

    A row that is farther left than the axis has an arrow and its number.

    Arguments:
        base: the row that all others are compared with
        rows: the other rows
        widths: half of the width of each interval
        clear: the rows that differ from base
    """
    figure, ax = new_figure(width=8, height=6)
    for place, (row, width) in enumerate(zip(rows, widths, strict=True)):
        color = main_color() if row in clear else GREY
        difference = row.bleu - base.bleu
        if difference < LEFT_END:
            ax.annotate(
                f"{difference:.1f} ± {width:.1f}",
                (LEFT_END, place),
                xytext=(28, 0),
                textcoords="offset points",
                va="center",
                fontsize=9,
                color=color,
                arrowprops={"arrowstyle": "->", "color": color},
            )
        else:
            ax.errorbar(
                difference, place, xerr=width, color=color, fmt="o", capsize=3, markersize=5
            )
    ax.axvline(0, color=ink(), linewidth=1)
    ax.set_yticks(range(len(rows)), [f"{row.letter}  {row.change}" for row in rows])
    ax.set(xlabel="BLEU minus base", xlim=(LEFT_END, 16), ylim=(len(rows) - 0.5, -0.5))
    return figure


def draw_by_seed(base: Row, rows: Sequence[Row]) -> plt.Figure:
    """Draw BLEU of each row, a line per seed; rows far below base are left out."""
    shown = [row for row in (base, *rows) if row.bleu > LOWEST]
    figure, ax = new_figure(width=8, height=4.6)
    places = range(len(shown))
    colors = (main_color(), ORANGE, GREY)
    for seed, (color, marker) in enumerate(zip(colors, "os^", strict=True)):
        bleu = [row.of_seeds[seed] for row in shown]
        ax.plot(places, bleu, marker=marker, color=color, label=f"seed {seed}", linewidth=1)
    ax.set_xticks(places, [row.change for row in shown], rotation=90, fontsize=8)
    ax.set_ylabel("BLEU")
    ax.legend()
    return figure


def draw_deviations(deviations: np.ndarray, drawn: np.ndarray, true: float) -> plt.Figure:
    """Draw the standard deviations of the differences above those of three draws each."""
    figure, ax = new_figure(width=7, height=3.2)
    label = f"of three draws, true {true}"
    ax.hist(drawn, np.arange(0, 5.6, 0.2), density=True, color=GREY, alpha=0.6, label=label)
    heights: dict[float, int] = {}
    for deviation in np.round(deviations, 1).tolist():
        n_before = heights.get(deviation, 0)
        heights[deviation] = n_before + 1  # equal ones are put on each other
        ax.plot(deviation, -0.05 - 0.045 * n_before, "o", color=ORANGE, markersize=6)
    ax.plot([], [], "o", color=ORANGE, label="of a row's differences")
    ax.set(xlabel="standard deviation of three differences", ylabel="density", xlim=(0, 5.5))
    ax.set_ylim(-0.05 - 0.045 * max(heights.values()), None)
    ax.set_yticks([0, 0.2, 0.4, 0.6])
    ax.axhline(0, color=ink(), linewidth=1)
    ax.legend()
    return figure


def draw_against_paper(
    base: Row, rows: Sequence[Row], clear: Collection[Row], limit: float
) -> plt.Figure:
    """Draw each row's difference from base, ours against the paper's.

    Orange are those that are clear here, and of the other sign or about 0 in the paper.
    """
    figure, ax = new_figure(width=8, height=4.6)
    for row in rows:
        if row.paper_bleu is None or base.paper_bleu is None:
            continue
        x = row.paper_bleu - base.paper_bleu
        y = row.bleu - base.bleu
        apart = row in clear and (x * y < 0 or abs(x) < 0.15)
        color = ORANGE if apart else main_color()
        ax.errorbar(x, y, yerr=limit, color=color, fmt="o", markersize=5, alpha=0.9)
        note = {"xytext": (6, 4), "textcoords": "offset points", "fontsize": 8}
        if row.letter == "E" or row.change.startswith("d_model 32"):  # left of its bar
            note.update(xytext=(-6, -10), ha="right")
        if row.change == "dropout 0.2":  # at the same place as four heads
            note.update(xytext=(-6, 4), ha="right")
        if apart or abs(x) > 0.7 or abs(y) > 5:
            ax.annotate(row.change.split(",")[0], (x, y), **note)
    ax.axhline(0, color=ink(), linewidth=1)
    ax.axvline(0, color=ink(), linewidth=1)
    ax.set(xlabel="the paper's BLEU minus its base", ylabel="our BLEU minus our base")
    return figure


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the correlation of the ranks of two lists; equal values share a rank.

    >>> rank_correlation([1, 5, 3], [10, 30, 20])
    1.0
    """
    ranks = []
    for values in (np.asarray(x), np.asarray(y)):
        above = (values[:, None] > values).sum(-1)
        equal = (values[:, None] == values).sum(-1)
        ranks.append(above + equal / 2)
    return round(float(np.corrcoef(ranks)[0, 1]), 2)
