"""A sentence on its way through a model, compared with one that differs in a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import npformer as npf
from npformer.tasks import Translator
from npformer.visualization.plots import new_figure, plot_heat_map
from npformer.visualization.plots.colors import GREEN, ORANGE, main_color

from ..expected import Expected

BOXES = {"self_attention": "self", "cross_attention": "cross", "feed_forward": "ffn"}
COLORS = (main_color(), ORANGE, GREEN)
DARKEST = 0.6  # of relative differences


def traced(translator: Translator, sentence: str, words: str = ""):
    """Return the trace of a sentence and of the first words of its translation."""
    tgt = [translator.model.config.start_id]
    if words:
        tgt += translator.target.encode(words)
    src = translator.encode(sentence)
    with npf.trace(translator.model, depth=2) as trace:
        translator.model.forward(np.array([src]), np.array([tgt]))
    return trace


def stream(translator: Translator, sentence: str, stack: str) -> dict[str, np.ndarray]:
    """Return what each box of a stack wrote, (positions, D), by the layer and the name of the box.

    The decoder has read its start token only.
    """
    trace = traced(translator, sentence)
    found = {}
    for name in trace:
        parts = name.split(".")
        if parts[0] != stack:
            continue
        if len(parts) == 2:  # encoder.input_embedding, encoder.norm
            found[parts[1].removeprefix("input_")] = trace[name].output[0]
        elif len(parts) == 4 and parts[3] in BOXES:  # encoder.layers.0.self_attention
            found[f"{parts[2]} {BOXES[parts[3]]}"] = trace[name].output[0]
    return found


def vectors(boxes: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the vectors of a stream as one array (boxes, positions, D)."""
    return np.array(list(boxes.values()))


def difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return by how much vectors (..., D) differ, relative to their mean norm (...)."""
    norms = np.linalg.norm(a, axis=-1) + np.linalg.norm(b, axis=-1)
    return np.linalg.norm(a - b, axis=-1) / (norms / 2)


def difference_to_write(a: np.ndarray, b: np.ndarray) -> Expected:
    """Return the relative difference of vectors (boxes, positions, D), and what else is written."""
    distance = np.linalg.norm(a - b, axis=-1)
    norm_of_a = np.linalg.norm(a, axis=-1)
    norm_of_b = np.linalg.norm(b, axis=-1)
    expected = Expected(apart=difference(a, b))
    expected.say("it is not divided by the mean of the two norms", apart=distance)
    expected.say("it is divided by the norm of a only", apart=distance / norm_of_a)
    expected.say(
        "the two norms are added, and not halved", apart=distance / (norm_of_a + norm_of_b)
    )
    expected.say("a difference of norms does not see a turn", apart=abs(norm_of_a - norm_of_b))
    return expected


def plot_heard(heard: Mapping[str, np.ndarray], boxes: Mapping, words: Mapping):
    """Draw where another word is heard, (boxes, positions) for each model."""
    figure, axes = new_figure(1, len(heard), width=4.2 * len(heard), height=3.4)
    for ax, (name, values) in zip(axes, heard.items(), strict=True):
        rows = boxes[name]
        columns = words[name]
        plot_heat_map(ax, values, title=name, row_names=rows, column_names=columns, limit=DARKEST)
    for bar in figure.axes[len(heard) :]:
        bar.set_ylabel(f"relative difference, cut at {DARKEST}")
    return figure


def plot_norms_and_arrival(encoder: Mapping[str, Mapping], arrives: Mapping[str, Mapping]):
    """Draw the norms in the encoder, and the differences at the decoder's first position."""
    figure, axes = new_figure(1, 2, width=11, height=3.6)
    for name, color, mark in zip(encoder, COLORS, "os^", strict=True):
        norms = np.linalg.norm(vectors(encoder[name]), axis=-1).mean(1)
        axes[0].plot(list(encoder[name]), norms, color=color, marker=mark, label=name)
        by_box = arrives[name]
        axes[1].plot(list(by_box), list(by_box.values()), color=color, marker=mark, label=name)
    axes[0].set(title="encoder", ylabel="norm of the stream's vectors (mean)")
    axes[1].set(title="decoder, first position: dog against cat", ylabel="relative difference")
    for ax in axes:
        ax.set(xlabel="layer and box of the stack", ylim=(0, None))
        ax.tick_params(axis="x", labelsize=8)
    axes[0].legend()
    return figure


def words_of(tokens: Sequence[str]) -> list[str]:
    """Return tokens without the sign that SentencePiece puts before words."""
    return [token.strip("▁") for token in tokens]
