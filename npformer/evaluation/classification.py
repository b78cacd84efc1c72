"""The scores of a classifier: accuracy, F1 and the confusion matrix."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..datasets import LabeledText
from ..utils import one_line


class ClassificationScores(NamedTuple):
    """Predicted classes of labeled texts. `confusion` counts them: row = true class, column = predicted class.

    `loss` is the mean of -log P(true class), in nats. Texts that are empty or too long are left out.
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
        """The mean over classes of F1, the harmonic mean of precision and recall (0 for a class that never occurs)."""
        return float(self.f1().mean())

    def f1(self) -> np.ndarray:
        """Return F1 of each class, (C,)."""
        correct, either = np.diag(self.confusion), self.confusion.sum(0) + self.confusion.sum(1)
        return 2 * correct / np.maximum(either, 1)

    def table(self) -> str:
        """The scores in a few lines, and the confusion matrix."""
        left_out = f", {self.left_out} left out (empty, or too long)" if self.left_out else ""
        table = (
            f"texts         {len(self.texts)}{left_out}\n"
            f"accuracy      {100 * self.accuracy:.1f}%\n"
            f"macro F1      {100 * self.macro_f1:.1f}%\n"
            f"loss          {self.loss:.4f}  nats per text\n"
        )
        first = max(map(len, (*self.names, "true \\ predicted")))
        widths = [max(len(name), len(str(self.confusion.max()))) for name in self.names]
        rows = zip(
            self.names, self.confusion, (f"{100 * f1:5.1f}" for f1 in self.f1()), strict=True
        )
        for name, row, f1 in (("true \\ predicted", self.names, "   F1"), *rows):
            cells = "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
            table += f"\n{name:<{first}}  {cells}  {f1}"
        return table

    def examples(self, number: int) -> str:
        """The first texts, each after its true class, the predicted one, and the probability of that."""
        lines = ["texts: true class, predicted class and its probability (* differs)\n"]
        width = max(map(len, self.names))
        for (label, text), row in zip(self.texts[:number], self.probabilities, strict=False):
            predicted = self.names[row.argmax()]
            mark = " " if predicted == label else "*"
            lines.append(
                f"{mark} {label:<{width}}  {predicted:<{width}} {row.max():5.2f}  {one_line(text)}"
            )
        return "\n".join(lines)


def score_classes(
    texts: list[LabeledText],
    classes: Sequence[int],
    probabilities: np.ndarray,
    names: list[str],
    *,
    left_out: int = 0,
) -> ClassificationScores:
    """Compare the probabilities (texts, C) of labeled texts with their classes."""
    confusion = np.zeros((len(names), len(names)), int)
    np.add.at(confusion, (np.array(classes), probabilities.argmax(1)), 1)
    of_true = np.maximum(probabilities[np.arange(len(classes)), classes], 1e-30)
    return ClassificationScores(
        texts, left_out, probabilities, names, confusion, float(-np.log(of_true).mean())
    )
