"""The shipped translator with parameters that are rounded, for notebooks 21 and 22."""

from __future__ import annotations

import numpy as np

import npformer as npf
from npformer.tasks import Translator

from .course_sentence import SHIPPED


def rounded_translator(n_steps: int, *, cut: float = 1.0, by_row: bool = True) -> Translator:
    """Return the shipped translator with 2 n_steps + 1 values for all numbers of a matrix.

    The values are evenly spaced, symmetric around 0. What is beyond the last becomes the last.
    Gains and biases stay as they are.

    Arguments:
        n_steps: how many values are above 0
        cut: where the last value is, as a share of the largest number
        by_row: whether each row of a matrix has its own largest number, or the matrix has one

    >>> table = rounded_translator(3).model.encoder.input_embedding.embedding.table.data
    >>> len(np.unique(table[10]))
    7
    """
    translator = npf.load(SHIPPED)
    for parameter in translator.model.parameters():
        matrix = parameter.data
        if matrix.ndim < 2:
            continue
        sizes = np.abs(matrix)
        largest = sizes.max(1, keepdims=True) if by_row else sizes.max()
        step = cut * largest / n_steps
        parameter.data[...] = step * np.clip(np.round(matrix / step), -n_steps, n_steps)
    return translator
