"""How well a classifier names the classes of texts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..datasets import LabelledText
from ..decoding import TextClassifier
from ..decoding.batching import BATCH_TOKENS
from ..decoding.text_classifier import Prediction
from ..text import BOS, fits
from ..training.alone import Alone
from ..utils import InputError


class ClassificationScores(NamedTuple):
    """The classes found for some labelled texts; `confusion` counts them: a row a right class, a column a found one.

    `loss` is the mean of -log P(right class), in nats. Texts that are empty or too long are left out.
    """

    texts: list[LabelledText]
    left_out: int
    found: list[Prediction]
    names: list[str]
    confusion: np.ndarray  # (C, C)
    loss: float

    @property
    def accuracy(self) -> float:
        """The share of texts whose class was found, 0 to 1."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def macro_f1(self) -> float:
        """The mean over classes of F1, the harmonic mean of precision and recall (of a class that never comes: 0)."""
        return float(self.f1().mean())

    def f1(self) -> np.ndarray:
        """Return F1 of each class, (C,)."""
        right, either = np.diag(self.confusion), self.confusion.sum(0) + self.confusion.sum(1)
        return 2 * right / np.maximum(either, 1)

    def table(self) -> str:
        """The scores in a few lines, and the confusion matrix."""
        left_out = f", {self.left_out} left out (empty, or too long)" if self.left_out else ""
        lines = [
            f"texts         {len(self.texts)}{left_out}",
            f"accuracy      {100 * self.accuracy:.1f} %",
            f"macro F1      {100 * self.macro_f1:.1f} %",
            f"loss          {self.loss:.4f}  nats per text",
            "",
            confusion_table(self.confusion, self.names, self.f1()),
        ]
        return "\n".join(lines)


def confusion_table(confusion: np.ndarray, names: Sequence[str], f1: np.ndarray) -> str:
    """Return a confusion matrix as text: a row a right class, a column a found one, and F1 at the end."""
    corner = "right \\ found"
    first = max(map(len, (*names, corner)))
    widths = [max(len(name), len(str(column.max()))) for name, column in zip(names, confusion.T, strict=True)]
    header = "  ".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    lines = [f"{corner:<{first}}  {header}     F1"]
    for name, row, score in zip(names, confusion, f1, strict=True):
        cells = "  ".join(f"{count:>{width}}" for count, width in zip(row, widths, strict=True))
        lines.append(f"{name:<{first}}  {cells}  {100 * score:5.1f}")
    return "\n".join(lines)


def evaluate_labels(
    labeller: TextClassifier,
    texts: Sequence[LabelledText],
    *,
    batch_tokens: int = BATCH_TOKENS,
    ranks: Alone | None = None,
) -> ClassificationScores:
    """Name the class of every text that can be read and compare with its label; `ranks`, where given, share the work.

    Raises `InputError` when none can be read, or a label was never seen in training.
    """
    max_len, labels = labeller.model.config.max_len, labeller.label
    encoded = [(text, labeller.text.encode(text.text.strip())) for text in texts]
    readable = [(text, [BOS, *ids]) for text, ids in encoded if fits(ids, max_len)]
    if not readable:
        raise InputError(f"none of {len(texts)} texts can be read: expected 1 to {max_len} tokens with <bos>")
    usable, ids = zip(*readable, strict=True)
    right = np.array([labels.id(text.label) for text in usable])
    probabilities = labeller.probabilities(ids, batch_tokens=batch_tokens, ranks=ranks)  # (texts, C)
    confusion = np.zeros((len(labels), len(labels)), int)
    np.add.at(confusion, (right, probabilities.argmax(1)), 1)
    return ClassificationScores(
        texts=list(usable),
        left_out=len(texts) - len(usable),
        found=[labeller.classified(row) for row in probabilities],
        names=labels.names,
        confusion=confusion,
        loss=float(-np.log(np.maximum(probabilities[np.arange(len(right)), right], 1e-30)).mean()),
    )
