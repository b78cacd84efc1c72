"""What layers cost, and how far apart positions are in them, for notebook 29."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.paper.table1 import (
    KINDS,
    Size,
    gradient_by_position,
    layers_between_ends,
    measure_costs,
)
from npformer.utils.threads_and_memory import keep_freed_memory
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, ink, main_color

from .expected import Expected
from .pictures import plot_reach, show_arrays

NAMES = {kind.name: kind for kind in KINDS}
FOUR = ("self-attention", "recurrent (LSTM)", "convolution", "restricted")
LABELS = ("self-attention", "recurrent (LSTM)", "convolution, k = 3", "restricted, r = 8")
D = 512  # features of the paper's base model
LENGTHS = np.array([30, 300, 3000])
N_WORDS = 30  # of a sentence
ENDS = Size(33, 8, k=3, r=8)  # a sequence whose ends are 32 apart


def multiply_adds_to_write() -> Expected:
    """Return what the lines on multiply-adds should give: for LENGTHS and D, and for N_WORDS."""
    of_sentence = Size(N_WORDS, D)
    whole = np.array([NAMES[name].multiply_adds(of_sentence) for name in FOUR[:3]])
    expected = Expected(
        attention=2 * LENGTHS**2 * D, recurrence=2 * LENGTHS * D**2, crossing=D, whole=whole
    )
    expected.say("it has one of the two products", attention=LENGTHS**2 * D)
    expected.say("it has the scores, but not the weighted sums", attention=LENGTHS**2 * (D + 1))
    expected.say("it has one of the two products", recurrence=LENGTHS * D**2)
    expected.say("these are the products of one step", recurrence=2 * D**2 + 0 * LENGTHS)
    expected.say("at this n one is still twice the other", crossing=2 * D)
    projections = 4 * N_WORDS * D**2
    expected.say("self-attention has two products more", whole=[projections, *whole[1:]])
    expected.say(
        "self-attention has four products more", whole=[whole[0] - projections, *whole[1:]]
    )
    return expected


def layers_to_write() -> Expected:
    """Return how many layers of the FOUR kinds lie between the ends."""
    layers = np.array([layers_between_ends(NAMES[name], ENDS) for name in FOUR])
    expected = Expected(layers=layers)
    twice = "a neighborhood of k or of r + 1 reaches only half as far to one side"
    expected.say(twice, layers=np.array([1, 1, 16, 4]))
    expected.say(f"convolution: {twice}", layers=np.array([1, 1, 16, 8]))
    expected.say(f"restricted: {twice}", layers=np.array([1, 1, 32, 4]))
    in_one = "how many *layers* of the LSTM does it take from one end to the other?"
    expected.say(in_one, layers=np.array([1, 32, 32, 8]))
    return expected


def plot_multiply_adds(lengths: Sequence[int]):
    """Draw the multiply-adds of the FOUR kinds in units of n d^2, a panel for each length."""
    figure, axes = new_figure(1, len(lengths), width=9, height=2.4)
    for ax, n in zip(axes, lengths, strict=True):
        size = Size(int(n), D, k=3, r=8)
        for place, name in enumerate(FOUR):
            total = NAMES[name].multiply_adds(size) / (n * D**2)
            by_weights = 4 if "self" in name or name == "restricted" else total
            ax.barh(place, by_weights, color=main_color(), label="with the weights")
            ax.barh(
                place, total - by_weights, left=by_weights, color=ORANGE, label="between positions"
            )
            ax.annotate(
                f"{total:.1f}", (total, place), (3, 0), textcoords="offset points", va="center"
            )
        ax.set_yticks(range(len(FOUR)), LABELS if n == lengths[0] else [])
        ax.invert_yaxis()
        ax.set(title=f"n = {n:,}", xlim=(0, 25), xlabel="multiply-adds / n d²")
    handles, labels = axes[0].get_legend_handles_labels()
    axes[0].legend(handles[:2], labels[:2], loc="lower right", fontsize=8)
    return figure


def show_reach():
    """Draw which positions a gradient of the last one reaches, for stacks of 1 to 8 layers."""
    figure, axes = new_figure(1, len(KINDS), width=11, height=2.8)
    plot_reach(axes, KINDS, ENDS, n_layers=8)
    return figure


def plot_gradient_in_one_layer():
    """Draw the gradient by position, through one layer of self-attention and of the LSTM."""
    figure, ax = new_figure(width=7, height=2.8)
    for name, color in (("self-attention", main_color()), ("recurrent (LSTM)", ORANGE)):
        norms = gradient_by_position(NAMES[name], ENDS, 1)
        ax.semilogy(norms, color=color, linewidth=2, marker="o", markersize=4, label=name)
    ax.set(xlabel="position", ylabel="norm of the gradient there", title="one layer")
    ax.grid(alpha=0.3)
    ax.legend()
    return figure


def products_in_a_row(lengths: Sequence[int]) -> dict[str, np.ndarray]:
    """Return the products that wait for each other on the longest path, for each length."""
    found = {}
    for kind in KINDS:
        products = []
        for n in lengths:
            size = Size(int(n), 4, k=3, r=8)
            products.append(kind.steps(size) * layers_between_ends(kind, size))
        found[kind.name] = np.array(products)
    return found


def plot_products(lengths: Sequence[int], products: dict[str, np.ndarray]):
    """Draw the products in a row by length, a line for each kind."""
    figure, ax = new_figure(width=7, height=3.2)
    colors = [main_color(), ORANGE, ink(), ink(), ink()]
    styles = ["o-", "s-", "^:", "v--", "x-."]
    for (name, row), color, style in zip(products.items(), colors, styles, strict=True):
        ax.plot(lengths, row, style, color=color, label=name, fillstyle="none", markersize=7)
    ax.set(xlabel="positions n", ylabel="matrix products in a row", xticks=lengths)
    ax.grid(alpha=0.3)
    ax.legend()
    return figure


def seconds_at_equal_work(widths: Sequence[int], batches: Sequence[int]):
    """Return a picture of the LSTM's seconds over self-attention's, where n = 2 d."""
    keep_freed_memory()
    ratios = np.zeros((len(batches), len(widths)))
    for row, batch in enumerate(batches):
        for column, d in enumerate(widths):
            kinds = [NAMES["self-attention"], NAMES["recurrent (LSTM)"]]
            ours, theirs = measure_costs((2 * d,), (d,), batch=batch, turns=2, kinds=kinds)
            ratios[row, column] = theirs.seconds / ours.seconds
    rows = [f"batch of {batch}" for batch in batches]
    columns = [f"d = {d}" for d in widths]
    return show_arrays(times_as_long=ratios, rows=rows, columns=columns, decimals=1)
