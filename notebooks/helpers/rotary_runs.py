"""Language models with rotary positions, with sinusoids and with none; for notebook 30."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from npformer.layers.positional_encoding import sinusoids
from npformer.models import LanguageModel
from npformer.utils.wrap_methods import wrap_methods
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, ink, main_color
from npformer_course.student.student_layers import own_layers

from .course_sentence import CourseSentence
from .expected import Expected
from .paired_runs import LENGTH, PAPER, D, H, losses_by_place, trained

RATE = 0.02  # of 0.005, 0.01, 0.02 and 0.04 it is the best for each of the three
RATES = 10000 ** (-np.arange(0, D // H, 2) / (D // H))  # angle per position, of each pair
# held-out losses of seeds 0, 1 and 2, by the kind of positions
MEASURED = {
    "none": [1.767, 1.789, 1.774],
    "sinusoids": [1.355, 1.438, 1.368],
    "rotary": [1.031, 1.049, 1.061],
}


def trained_on_32_characters(rotate: Callable, rotate_backward: Callable) -> dict:
    """Return three trained models, by the kind of their positions.

    Positions have no parameters, so all begin with the same ones, and get the same batches. The
    functions turn the queries and keys of the third.
    """
    seed = 0
    own = SimpleNamespace(rotate=rotate, rotate_backward=rotate_backward)
    without: Any = LanguageModel(PAPER, rng=seed)
    without.decoder.input_embedding.positions.table[:] = 0  # zeros are added
    models = {
        "none": trained(without, seed, rate=RATE),
        "sinusoids": trained(LanguageModel(PAPER, rng=seed), seed, rate=RATE),
    }
    rotary = LanguageModel(replace(PAPER, positions="rotary"), rng=seed)
    with own_layers({"rotary": own}):
        models["rotary"] = trained(rotary, seed, rate=RATE)
    return models


def held_out_loss(model: LanguageModel) -> float:
    """Return the mean loss of held-out texts, in nats per character."""
    return float(losses_by_place(model).mean())


def losses_of_longer_texts(models: dict) -> dict[str, np.ndarray]:
    """Return the held-out loss at each place of texts twice as long as in training."""
    return {name: losses_by_place(model, 2 * LENGTH) for name, model in models.items()}


def losses_with_pair_held(model: LanguageModel, pair: int, farthest: int) -> np.ndarray:
    """Return the held-out loss at each place of longer texts, with one pair of features held.

    For words that are farther away than `farthest` this pair gets the angle of `farthest`.
    """

    def forward(plain, query, key, value, mask=None):
        return _weights_with_pair_held(query, key, pair, farthest) @ value

    decoder: Any = model.decoder
    attentions = [layer.self_attention.sublayer.attention for layer in decoder.layers]
    with wrap_methods([(attention, "forward", forward) for attention in attentions]):
        return losses_by_place(model, 2 * LENGTH)


def _weights_with_pair_held(q: np.ndarray, k: np.ndarray, pair: int, farthest: int) -> np.ndarray:
    """Return the weights (B, H, T, T) of rotary attention in which one pair is held.

    q and k (B, H, T, d_k) are not turned yet.
    """
    # a pair of features is a complex number, and to turn it by an angle a is to multiply by e^(ia)
    q_arrows = q[..., 0::2] + 1j * q[..., 1::2]  # (B, H, T, d_k / 2)
    k_arrows = k[..., 0::2] + 1j * k[..., 1::2]
    places = np.arange(q.shape[2])
    distance = places[:, None] - places  # (T, T), query less key
    scores = np.zeros((*q.shape[:3], q.shape[2]))
    for i, rate in enumerate(RATES):
        turned_by = rate * (np.minimum(distance, farthest) if i == pair else distance)
        q_of_pair = q_arrows[..., :, None, i]
        k_of_pair = k_arrows[..., None, :, i]
        scores += (q_of_pair.conj() * k_of_pair * np.exp(-1j * turned_by)).real

    scores = np.where(distance < 0, -np.inf, scores / np.sqrt(D // H))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return (powers / powers.sum(-1, keepdims=True)).astype(q.dtype)


def plot_held_out_losses(losses: dict[str, float]):
    """Draw the losses of three models, and pale those of the two other seeds."""
    figure, ax = new_figure(width=6, height=3)
    for place, (name, loss) in enumerate(losses.items()):
        color = _colors()[place]
        ax.scatter([place] * 2, MEASURED[name][1:], color=color, alpha=0.4, s=45)
        ax.scatter(place, loss, color=color, s=60)
    ax.set_xticks(range(len(losses)), list(losses))
    ax.set(xlim=(-0.5, len(losses) - 0.5), ylabel="held-out loss (nats per character)")
    return figure


def plot_by_place(losses: dict[str, np.ndarray]):
    """Draw the losses at each place of longer texts, a line for each name."""
    figure, ax = new_figure(width=6.5, height=3.2)
    styles = ["-", "-", "-", "--", ":"]
    for (name, by_place), color, style in zip(losses.items(), _colors(), styles, strict=False):
        places = range(1, len(by_place) + 1)
        ax.plot(places, by_place, style, color=color, linewidth=2, label=name)
    ax.axvline(LENGTH, color=ink(), linewidth=1, linestyle=":", label="longest text in training")
    ax.set(xlabel="characters read", ylabel="held-out loss (nats per character)")
    ax.legend(loc="upper left", fontsize="small")
    return figure


def _colors() -> list[str]:
    return [main_color(), ORANGE, GREEN, PINK, GREY]


def head_without_positions(sentence: CourseSentence) -> tuple[np.ndarray, np.ndarray]:
    """Return queries and keys (1, H, T, d_k) of encoder layer 0, of words without positions."""
    return _queries_and_keys(sentence, 0)


def scores_with_sinusoids(sentence: CourseSentence, start: int) -> np.ndarray:
    """Return the scores (H, T, T) of encoder layer 0 if the sentence begins at a position."""
    d_model = sentence.model.config.d_model
    n_words = len(sentence.source_tokens)
    q, k = _queries_and_keys(sentence, sinusoids(start + n_words, d_model)[start:])
    return (q @ k.swapaxes(2, 3))[0] / np.sqrt(q.shape[-1])


def _queries_and_keys(sentence: CourseSentence, positions) -> tuple[np.ndarray, np.ndarray]:
    words = sentence.arrays("encoder.input_embedding.embedding")["output"]  # (T, D)
    x = (words + positions)[None].astype("float32")
    attention = sentence.model.encoder.layers[0].self_attention.sublayer
    q = attention._split(attention.w_query.forward(x))
    k = attention._split(attention.w_key.forward(x))
    return q, k


def full_turns() -> Expected:
    """Return after how many positions each pair of a head of these models is where it was."""
    expected = Expected(full_turn=2 * np.pi / RATES)
    expected.say("these are the angles of one position", full_turn=RATES)
    expected.say("after so many positions a pair has turned by 1 radian", full_turn=1 / RATES)
    return expected
