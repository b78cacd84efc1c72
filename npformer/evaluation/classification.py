"""The scores of a classifier: accuracy, F1 and the confusion matrix."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..datasets import LabeledText
from ..utils import InputError, one_line

__all__ = ["ClassificationScores", "score_classes"]

_CORNER = "true \\ predicted"  # of the confusion matrix


class ClassificationScores(NamedTuple):
    """The predicted classes of labeled texts.

    texts: those that were classified. left_out: how many were not, empty or too long.
    probabilities: of the classes of each text.
    names: the names of the classes.
    confusion: counts of texts, row = true class, column = predicted class.
    loss: the mean of -log P(true class), in nats.
    """

    texts: list[LabeledText]
    left_out: int
    probabilities: np.ndarray  # (texts, C)
    names: list[str]
    confusion: np.ndarray  # (C, C)
    loss: float

    @property
    def accuracy(self) -> float:
        """The share of texts whose class was predicted, 0 to 1."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def macro_f1(self) -> float:
        """The mean over classes of F1, the harmonic mean of precision and recall."""
        return float(self.f1().mean())

    def f1(self) -> np.ndarray:
        """Return F1 of each class, (C,); 0 for a class that never occurs."""
        correct = np.diag(self.confusion)
        n_true = self.confusion.sum(1)
        n_predicted = self.confusion.sum(0)
        return 2 * correct / np.maximum(n_predicted + n_true, 1)

    def table(self) -> str:
        """The scores in a few lines, and the confusion matrix."""
        left_out = ""
        if self.left_out:
            left_out = f", {self.left_out} left out (empty, or too long)"
        summary = (
            f"texts         {len(self.texts)}{left_out}\n"
            f"accuracy      {100 * self.accuracy:.1f}%\n"
            f"macro F1      {100 * self.macro_f1:.1f}%\n"
            f"loss          {self.loss:.4f}  nats per text\n\n"
        )
        return summary + self._confusion_table()

    def _confusion_table(self) -> str:
        largest = len(str(self.confusion.max()))
        widths = [max(len(name), largest) for name in self.names]
        first_width = max(len(name) for name in (*self.names, _CORNER))

        rows = [(_CORNER, self.names, "   F1")]
        for name, counts, f1 in zip(self.names, self.confusion, self.f1(), strict=True):
            rows.append((name, counts, f"{100 * f1:5.1f}"))

        lines = []
        for name, cells, f1 in rows:
            padded = []
            for cell, width in zip(cells, widths, strict=True):
                padded.append(f"{cell:>{width}}")
            lines.append(f"{name:<{first_width}}  {'  '.join(padded)}  {f1}")
        return "\n".join(lines)

    def examples(self, number: int) -> str:
        """The first texts, with the true class, the predicted one, and the probability of that."""
        lines = ["texts: true class, predicted class and its probability (* differs)\n"]
        width = max(len(name) for name in self.names)
        for (label, text), row in zip(self.texts[:number], self.probabilities, strict=False):
            predicted = self.names[row.argmax()]
            mark = " " if predicted == label else "*"
            classes = f"{label:<{width}}  {predicted:<{width}}"
            lines.append(f"{mark} {classes} {row.max():5.2f}  {one_line(text)}")
        return "\n".join(lines)


def score_classes(
    texts: list[LabeledText],
    classes: Sequence[int],
    probabilities: np.ndarray,
    names: list[str],
    *,
    left_out: int = 0,
) -> ClassificationScores:
    """Compare the probabilities (texts, C) of labeled texts with their true classes.

    `names` are those of the classes, and `left_out` is the number of texts that have no
    probabilities.

    Raises `InputError` when there are no texts, and unless each text has a class, one of 0 to
    C - 1, and a row of C probabilities, which have the sum 1.
    """
    if not texts:
        raise InputError("there are no texts to score: give at least one")
    n_classes = len(names)
    true = np.asarray(classes)
    if true.dtype.kind not in "iu" or not ((true >= 0) & (true < n_classes)).all():
        raise InputError(f"classes = {classes!r:.60}: expected integers from 0 to {n_classes - 1}")
    if true.shape != (len(texts),) or probabilities.shape != (len(texts), n_classes):
        raise InputError(
            f"{len(texts)} texts, but classes of shape {true.shape} and probabilities of shape "
            f"{probabilities.shape}: expected a class and {n_classes} probabilities for each text"
        )

    # in float32 a sum is not exact; NaN is not above 0 either
    if not ((probabilities >= 0).all() and np.allclose(probabilities.sum(1), 1, atol=1e-3)):
        raise InputError(
            "the probabilities of a text are not 0 or more with the sum 1: "
            "give those of a softmax, not its scores"
        )

    confusion = np.zeros((n_classes, n_classes), int)
    # not confusion[...] += 1, which counts a pair of classes that occurs twice only once
    np.add.at(confusion, (true, probabilities.argmax(1)), 1)

    # a probability that was rounded to 0 would have an infinite loss
    of_true = np.maximum(probabilities[np.arange(len(true)), true], 1e-30)
    loss = float(-np.log(of_true).mean())
    return ClassificationScores(texts, left_out, probabilities, names, confusion, loss)
