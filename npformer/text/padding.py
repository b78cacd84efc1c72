"""Sentences of different length in one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def pad(sentences: Sequence[Sequence[int]], pad_id: int) -> np.ndarray:
    """Lay the ids of sentences into one array (B, longest), filled up with pad_id.

    >>> pad([[5, 6], [7]], pad_id=0).tolist()
    [[5, 6], [7, 0]]
    """
    ids = np.full((len(sentences), max(map(len, sentences))), pad_id, np.int64)
    for row, sentence in zip(ids, sentences, strict=True):
        row[: len(sentence)] = sentence
    return ids
