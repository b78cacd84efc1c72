"""Classification: a batch of texts, each with its class."""

import numpy as np

from ..text import BOS, PAD, pad


class ClassificationBatch:
    """Padded ids (B, S), each text after a <bos>, at which first-token pooling looks; and a class for each, (B,).

    A batch counts its texts where others count tokens: each has one thing to be predicted.

    >>> batch = ClassificationBatch.of([[4, 5], [6]], [1, 0])
    >>> batch.ids.tolist(), batch.labels.tolist(), batch.n_tokens
    ([[2, 4, 5], [2, 6, 0]], [1, 0], 2)
    """

    def __init__(self, ids, labels):
        self.ids, self.labels = ids, labels

    @property
    def inputs(self) -> tuple:
        """What the model is given."""
        return (self.ids,)

    @property
    def targets(self):
        """What it is to predict."""
        return self.labels

    @property
    def n_tokens(self) -> int:
        """How many classes are to be predicted."""
        return len(self.labels)

    @staticmethod
    def sides(example) -> tuple[list[int]]:
        """Return the texts of an example: the one there is."""
        return example[:1]

    @staticmethod
    def lengths(example) -> tuple[int]:
        """Return how many tokens an example's text has in a batch, which decides which batch it is in."""
        text, _ = example
        return (1 + len(text),)

    @classmethod
    def of(cls, texts, labels) -> "ClassificationBatch":
        """Lay out the ids of texts, without special tokens, and their classes as a batch."""
        return cls(pad([[BOS, *ids] for ids in texts], PAD), np.array(labels))

    def shares(self, n: int) -> list["ClassificationBatch"]:
        """Deal the texts out to n batches, or to as many as there are texts."""
        n = min(n, len(self.ids))
        return [ClassificationBatch(self.ids[i::n], self.labels[i::n]) for i in range(n)]
