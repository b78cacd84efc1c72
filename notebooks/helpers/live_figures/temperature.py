"""The next character of a text: what temperature, top-k and top-p make of its probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, main_color

from .frame import LiveFigure, Slider

TEMPERATURES = [0.1, 0.2, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5]
TOP_PS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]
N_BARS = 12
LOWEST = 1e-4  # of the scale


def live_temperature(text: str, characters: Sequence[str], logits, read: int) -> LiveFigure:
    """Return a figure with sliders for temperature, top-k, top-p and how much has been read.

    Arguments:
        text: a text (T characters)
        characters: all that can come next (V)
        logits: theirs (T, V), after 0, 1, ... characters of the text
        read: after how many characters it starts
    """
    V = len(characters)
    ks = [k for k in (1, 2, 3, 5, 10, 20) if k < V]
    logits = np.round(np.asarray(logits, dtype=float), 3)
    return LiveFigure(
        "temperature.js",
        "The next character, before and after a cut",
        "Bars of the probabilities of the most probable next characters, on a logarithmic scale; "
        "those that remain are solid.",
        [
            Slider("read", "characters read", list(range(len(text))), read),
            Slider("temperature", "temperature", TEMPERATURES, 1),
            Slider("top_k", "top-k", [*ks, V], V),
            Slider("top_p", "top-p", TOP_PS, 1),
        ],
        {"text": text, "characters": list(characters), "logits": logits.tolist()},
        _picture(text[:read], characters, logits[read]),
    )


def temperature_numbers(logits, temperature: float, top_k: int, top_p: float):
    """Return the probabilities of characters (V,), and those from which one is drawn (V,).

    top_p looks at the first top_k characters, whose sum is made 1, as npformer's `Sampler` does.

    >>> p, drawn = temperature_numbers(np.log([0.5, 0.3, 0.2]), 1, 3, 0.7)
    >>> p.round(3).tolist(), drawn.round(3).tolist()
    ([0.5, 0.3, 0.2], [0.625, 0.375, 0.0])
    """
    scaled = np.asarray(logits) / temperature
    exponentials = np.exp(scaled - scaled.max())
    p = exponentials / exponentials.sum()

    best = np.argsort(-p)[:top_k]
    of_best = p[best] / p[best].sum()
    is_needed = np.cumsum(of_best) - of_best < top_p
    drawn = np.zeros_like(p)
    drawn[best[is_needed]] = p[best[is_needed]]
    return p, drawn / drawn.sum()


def _picture(beginning, characters, logits):
    """Draw the most probable characters at two temperatures, and after two cuts."""
    figure, axes = new_figure(1, 3, width=9, height=2.8)
    cases = {
        "temperature 1": (1, len(characters), 1),
        "temperature 2": (2, len(characters), 1),
        "temperature 2, top-p 0.9": (2, len(characters), 0.9),
    }
    order = np.argsort(-np.asarray(logits))[:N_BARS]
    names = [{" ": "␣", "\n": "↵"}.get(characters[i], characters[i]) for i in order]
    for ax, (title, settings) in zip(axes, cases.items(), strict=True):
        p, drawn = temperature_numbers(logits, *settings)
        ax.bar(names, p[order], facecolor="none", edgecolor=GREY, linestyle="--")
        ax.bar(names, drawn[order], color=main_color())
        ax.set(title=title, yscale="log", ylim=(LOWEST, 1))
        ax.tick_params(axis="x", length=0)
    axes[0].set_ylabel(f"P after {beginning[-12:]!r}")
    return figure
