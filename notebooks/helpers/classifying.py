"""Sentences with planted mistakes, and classifiers of them, for notebooks 28b and 28c."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from npformer import Module
from npformer.datasets import LabeledText
from npformer.layers import Softmax
from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import (
    Batches,
    ClassificationBatch,
    Objective,
    TextClassifier,
    held_out_scores,
)
from npformer.text import Labels, Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, PINK, main_color

from . import few_mistakes
from .expected import Expected

D = 64  # features
RATE = 0.003  # the largest learning rate
WARMUP = 200  # updates
EPOCHS = 4

ENCODERS: dict[str, dict[str, Any]] = {
    "self-attention": {"encoder": "attention"},
    "neighbors only": {"encoder": "attention", "neighbors": 2},  # one on either side
    "LSTM": {"encoder": "lstm"},
    "convolution": {"encoder": "convolution"},
}


# With 6 epochs, each encoder at its best of three rates: accuracy with seeds 0, 1 and 2, and F1 of
# the class "adjective", as printed by `python -m helpers.encoder_seeds`. The accuracies are in
# docs/explanation/results.md too.
MEASURED = {
    "self-attention": ((0.815, 0.809, 0.795), (0.319, 0.444, 0.480)),
    "near first": ((0.860, 0.892, 0.876), (0.532, 0.667, 0.577)),
    "neighbors only": ((0.897, 0.922, 0.902), (0.688, 0.790, 0.689)),
    "LSTM": ((0.937, 0.936, 0.931), (0.709, 0.726, 0.711)),
    "convolution": ((0.971, 0.969, 0.972), (0.873, 0.881, 0.940)),
}


class Sentences:
    """The German sentences in three parts, with their vocabulary and the names of the classes.

    >>> sentences = Sentences()
    >>> len(sentences.train), len(sentences.words), sentences.labels.names[:3]
    (8000, 465, ['adjective', 'case', 'gender'])
    """

    def __init__(self) -> None:
        self.train, self.held_out, self.test = few_mistakes.read_parts()
        self.words = Vocabulary.build(text for _, text in self.train)
        self.labels = Labels.build(label for label, _ in self.train)

    def classes(self, examples: Sequence[LabeledText]) -> np.ndarray:
        """Return the class (N,) of each sentence, as a number."""
        return np.array([self.labels.id(example.label) for example in examples])

    def counts(self, texts: Sequence[str]) -> np.ndarray:
        """Return how often each word is in each text, (N, V)."""
        counts = np.zeros((len(texts), len(self.words)))
        for count, text in zip(counts, texts, strict=True):
            np.add.at(count, self.words.encode(text), 1)
        return counts

    def batch(self, *texts: str) -> ClassificationBatch:
        """Return a batch of some texts, with padding."""
        return ClassificationBatch.collate([(self.words.encode(text), 0) for text in texts])

    def confusion(self, predicted: np.ndarray) -> np.ndarray:
        """Return how often test sentences of each class were predicted as each class, (C, C)."""
        confusion = np.zeros((len(self.labels), len(self.labels)), int)
        np.add.at(confusion, (self.classes(self.test), predicted), 1)
        return confusion

    def pairs(self, examples: Sequence[LabeledText]) -> list[tuple[list[int], int]]:
        """Return the ids and the class of each sentence."""
        found = []
        for label, text in examples:
            found.append((self.words.encode(text), self.labels.id(label)))
        return found


class OwnPooling(Module):
    """Mean pooling by two functions of the exercise.

    Arguments:
        forward: as `mean_pool`
        backward: as `mean_pool_backward`
    """

    def __init__(self, forward: Callable, backward: Callable):
        self.pool = forward
        self.pool_backward = backward

    def forward(self, x, mask):  # (B, S, D), (B, S)
        """Return y (B, D)."""
        return self.remember(self.pool(x, mask).astype(x.dtype), mask)

    def backward(self, dy):  # (B, D)
        """Return dx (B, S, D)."""
        (mask,) = self.recall(dy)
        return self.pool_backward(dy, mask).astype(dy.dtype)


class BiasedSoftmax(Softmax):
    """Softmax of scores to which a function of the exercise has added a bias.

    A constant does not matter on the way back.

    Arguments:
        bias: as `near_first`
        slope: of all heads
    """

    def __init__(self, bias: Callable, slope: float):
        super().__init__()
        self.bias = bias
        self.slope = slope

    def forward(self, scores, mask=None):  # (B, H, S, S)
        """Return the weights."""
        slopes = np.full(scores.shape[1], self.slope, scores.dtype)
        return super().forward(self.bias(scores, slopes).astype(scores.dtype), mask)


def new_classifier(sentences: Sentences, encoder: str = "self-attention", seed: int = 0):
    """Return an untrained classifier with two layers of one of ENCODERS and mean pooling."""
    config = ClassifierConfig(
        vocab_size=len(sentences.words),
        n_classes=len(sentences.labels),
        d_model=D,
        d_ff=D,
        n_heads=4,
        n_encoder_layers=2,
        dropout=0.0,
        **ENCODERS[encoder],
    )
    return Classifier(config, rng=seed)


def put_bias(model: Classifier, bias: Callable, slope: float) -> Classifier:
    """Put a bias before softmax, in every layer of a classifier."""
    layers: Any = model.encoder.layers
    for layer in layers:
        layer.self_attention.sublayer.attention.softmax = BiasedSoftmax(bias, slope)
    return model


def train(
    sentences: Sentences,
    model: Classifier,
    *,
    epochs: int = EPOCHS,
    rate: float = RATE,
    seed: int = 0,
) -> tuple[TextClassifier, list[float | None]]:
    """Train a classifier, and return it with its held-out accuracy after each epoch."""
    settings: dict[str, Any] = {"collate": ClassificationBatch.collate, "n_special_tokens": (1,)}
    batches = Batches(sentences.pairs(sentences.train), batch_tokens=512, seed=seed, **settings)
    check = Batches(sentences.pairs(sentences.held_out), batch_tokens=2048, **settings)
    schedule = WarmupSchedule.with_peak(rate, D, WARMUP)
    adam = Adam(model.parameters(), learning_rate=schedule)

    accuracies = []
    for record in Trainer(Objective(model), adam, batches).updates(epochs):
        if record.ends_epoch:
            scores = held_out_scores(Objective(model, label_smoothing=0.0), check)
            accuracies.append(scores.accuracy)
    return TextClassifier(model.eval(), sentences.words, sentences.labels), accuracies


def expected_lines(confusion: np.ndarray) -> Expected:
    """Return the line to write in notebook 28b for a matrix (C, C), and a mistake in it."""
    right = np.diag(confusion)
    expected = Expected(precision=right / confusion.sum(0))
    expected.say(
        "it is the share of a row: of the sentences of a class, those that are found",
        precision=right / confusion.sum(1),
    )
    return expected


def plot_measured():
    """Draw what three seeds gave for each encoder: accuracies and F1 of adjectives."""
    figure, axes = new_figure(1, 2, width=9, height=2.6)
    for which, title in enumerate(("accuracy", "F1 of adjectives")):
        ax = axes[which]
        for place, (name, values) in enumerate(MEASURED.items()):
            percent = 100 * np.array(values[which])
            ax.scatter(percent, [place] * 3, color=color_of(name), s=45, alpha=0.8)
        ax.set_yticks(range(len(MEASURED)), list(MEASURED) if which == 0 else [])
        ax.invert_yaxis()
        ax.grid(alpha=0.3)
        ax.set(title=f"{title}, a dot per seed", xlabel="%")
    return figure


def plot_curves(curves: Mapping[str, Sequence[float]], accuracy: Mapping[str, float]):
    """Draw held-out accuracies after each epoch, and at the right those of the test."""
    figure, ax = new_figure(width=7, height=3.2)
    for name, curve in curves.items():
        epochs = range(1, len(curve) + 1)
        label = f"{name}: {100 * accuracy[name]:.1f} % of the test"
        ax.plot(epochs, 100 * np.array(curve), "o-", color=color_of(name), label=label)
    ax.set(xlabel="epoch", ylabel="% of held-out sentences right", ylim=(40, 100))
    ax.set_xticks(epochs)
    ax.legend(loc="lower right")
    ax.grid(alpha=0.3)
    return figure


def color_of(name: str) -> str:
    """Return the color of an encoder."""
    colors = {"neighbors only": GREEN, "LSTM": PINK, "convolution": ORANGE, "near first": GREY}
    return colors.get(name, main_color())
