"""Language models with rotary positions, with sinusoids and with none; for notebook 30."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from npformer.layers import RotaryAttention
from npformer.layers.positional_encoding import sinusoids
from npformer.models import LanguageModel
from npformer_course.student.student_layers import own_layers

from .course_sentence import CourseSentence
from .expected import Expected
from .paired_runs import LENGTH, D, H, losses_by_place, paper_model, trained

RATE = 0.02  # of 0.005, 0.01, 0.02 and 0.04 it is the best for each of the three
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
    models = {
        "none": trained(_without_positions(paper_model(seed)), seed, rate=RATE),
        "sinusoids": trained(paper_model(seed), seed, rate=RATE),
    }
    with own_layers({"rotary": own}):
        models["rotary"] = trained(_with_rotary_positions(paper_model(seed)), seed, rate=RATE)
    return models


def _without_positions(model: Any) -> LanguageModel:
    """Take the sinusoids out of a model: add zeros."""
    model.decoder.input_embedding.positions.table[:] = 0
    return model


def _with_rotary_positions(model: Any) -> LanguageModel:
    """Exchange the sinusoids of a model for rotary positions."""
    for layer in model.decoder.layers:
        attention = RotaryAttention(D // H, causal=True, max_len=2 * LENGTH)
        layer.self_attention.sublayer.attention = attention
    return _without_positions(model)


def held_out_loss(model: LanguageModel) -> float:
    """Return the mean loss of held-out texts, in nats per character."""
    return float(losses_by_place(model).mean())


def losses_of_longer_texts(models: dict) -> dict[str, np.ndarray]:
    """Return the held-out loss at each place of texts twice as long as in training."""
    return {name: losses_by_place(model, 2 * LENGTH) for name, model in models.items()}


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
    rates = 10000 ** (-np.arange(0, D // H, 2) / (D // H))
    expected = Expected(full_turn=2 * np.pi / rates)
    expected.say("these are the angles of one position", full_turn=rates)
    expected.say("after so many positions a pair has turned by 1 radian", full_turn=1 / rates)
    return expected
