"""The pictures that a training leaves in its run folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..inference import Translator, cross_attention_weights, greedy_decode
from ..plots import new_figure, plot_attention, plot_learning_rate, plot_loss, save_figure
from ..text import BOS, EOS
from ..training import TrainingLog


def draw_curves(log: TrainingLog, path: Path) -> None:
    """Draw the loss above the learning rate."""
    figure, (above, below) = new_figure(2, 1, width=7.5, height=6)
    plot_loss(above, *log.column("loss"), *log.column("validation_loss"))
    plot_learning_rate(below, *log.column("learning_rate"))
    save_figure(figure, path)


def draw_attention(translator: Translator, sentence: str, path: Path) -> None:
    """Translate a sentence and draw where the last decoder layer looked, as the mean over its heads.

    Row t is the step that writes output token t.
    """
    source, target = translator.source, translator.target
    src = np.array([translator.encode(sentence)])  # (1, S)
    [output] = greedy_decode(translator.model, src, bos_id=BOS, eos_id=EOS)
    weights = cross_attention_weights(translator.model, src, np.array([[BOS, *output]]))  # (L, 1, H, T, S)
    keys = [source.tokens[i] for i in src[0]]
    queries = [target.tokens[i] for i in [*output, EOS]]
    figure, ax = new_figure(width=1.5 + 0.55 * len(keys), height=1.5 + 0.4 * len(queries))
    title = "cross-attention of the last decoder layer, mean over heads"
    plot_attention(ax, weights[-1, 0].mean(0), queries, keys, title=title)
    ax.set_ylabel("output token being written")
    save_figure(figure, path)
