"""What happens to words in an encoder layer of the shipped translator, for notebook 06."""

from __future__ import annotations

import numpy as np

import npformer as npf
from npformer.tasks import Objective, Translator
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from .course_sentence import CourseSentence


def entering_network(translator: Translator, sentences: list[str]) -> np.ndarray:
    """Return what enters the feed-forward network of encoder layer 0, (B, T, D).

    The sentences must have the same number of tokens.
    """
    ids = np.array([translator.encode(sentence) for sentence in sentences])
    with npf.trace(translator.model) as trace:
        translator.model.encode(ids)
    return trace["encoder.layers.0.feed_forward"].arrays["x"]


def show_norms(tokens: list[str], **arrays):
    """Draw the norm of each row of one or two arrays (T, D), and return the figure."""
    figure, ax = new_figure(width=6.5, height=2.8)
    places = np.arange(len(tokens))
    width = 0.8 / len(arrays)
    left = -0.4 + width / 2
    for (name, array), color in zip(arrays.items(), (main_color(), ORANGE), strict=False):
        ax.bar(places + left, np.linalg.norm(array, axis=-1), width, color=color, label=name)
        left += width
    ax.set_xticks(places, tokens)
    ax.set_ylabel("norm")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return figure


def show_hidden(nouns: list[str], values, feature: int):
    """Draw a hidden feature for each noun, and return the figure."""
    figure, ax = new_figure(width=6.5, height=2.6)
    bars = ax.bar(range(len(nouns)), values, color=main_color())
    ax.bar_label(bars, fmt="%.2f", fontsize=8)
    ax.axhline(0, color=GREY, linewidth=0.8)
    ax.set_xticks(range(len(nouns)), nouns)
    ax.set(ylabel=f"hidden feature {feature}", ylim=(0, 1.6))
    return figure


class _ForwardOnly(Objective):
    """A model with its loss, of which only forward runs."""

    def zero_grad(self) -> None:
        pass

    def backward(self, dloss: float = 1.0) -> None:
        pass


def forward_steps(sentence: CourseSentence, layer: str):
    """Return a recording of each line of a layer's forward, for the step debugger."""
    objective = _ForwardOnly(sentence.model)
    objective.train()
    vocabularies = [sentence.translator.source, sentence.translator.target]
    try:
        return npf.step_through(objective, sentence.batch, only=layer, vocabularies=vocabularies)
    finally:
        sentence.model.eval()
