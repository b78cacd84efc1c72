"""Sentences of ids in one array, with as much padding as a test wants."""

import numpy as np


def padded(sentences, width=None):
    rows = np.zeros((len(sentences), width or max(map(len, sentences))), int)
    for row, sentence in zip(rows, sentences, strict=True):
        row[: len(sentence)] = sentence
    return rows
