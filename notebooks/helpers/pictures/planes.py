"""Queries and keys as arrows in a plane."""

from __future__ import annotations

from collections.abc import Sequence

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ROLES


def show_queries_and_keys(
    words: Sequence[str], keys, queries: dict, *, axes_names: tuple[str, str] = ("", "")
):
    """Draw the keys of words and several choices of their queries as arrows, a panel per choice.

    Arguments:
        words: the words
        keys: (words, 2)
        queries: by the title of their panel, (words, 2)
        axes_names: what the two numbers are
    """
    figure, axes = new_figure(1, len(queries), width=3.6 * len(queries), height=3.5)
    for ax, (title, asked) in zip(axes, queries.items(), strict=True):
        # queries are thin and on top, so that a key below one can be seen
        for role, vectors, width, distance in (("key", keys, 6, 1.14), ("query", asked, 1.5, 1.4)):
            for word, (x, y) in zip(words, vectors, strict=True):
                look = {"arrowstyle": "-|>", "color": ROLES[role], "linewidth": width}
                look |= {"shrinkA": 0, "shrinkB": 0}
                ax.annotate("", (x, y), (0, 0), arrowprops=look)
                place = (x, distance * y)
                text = f"{role} of {word}"
                ax.annotate(text, place, ha="center", va="center", color=ROLES[role])
        ax.set(title=title, xlim=(-1.8, 1.8), ylim=(-1.7, 1.7))
        ax.set(xlabel=axes_names[0], xticks=(-1, 0, 1), yticks=(-1, 0, 1))
        ax.axhline(0, color=GREY, linewidth=0.5)
        ax.axvline(0, color=GREY, linewidth=0.5)
    axes[0].set_ylabel(axes_names[1])
    return figure
