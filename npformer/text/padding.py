"""Sentences of different length in one array, and which are short enough."""

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


def fits(ids: Sequence[int], longest: int) -> bool:
    """Tell whether a sentence is not empty and has, with <eos>, at most `longest` tokens.

    >>> fits([5, 6], 3), fits([5, 6], 2), fits([], 3)
    (True, False, False)
    """
    return 0 < len(ids) < longest
