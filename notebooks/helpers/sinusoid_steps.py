"""The matrix that moves sinusoids by some positions, for notebook 05b."""

from __future__ import annotations

import numpy as np

from .expected import Expected


def step_matrix(k: int, d_model: int) -> np.ndarray:
    """Return R_k (d_model, d_model), which moves an encoding by k positions.

    >>> step_matrix(0, 4).tolist() == np.eye(4).tolist()
    True
    """
    angle = k / 10000 ** (np.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
    sine = np.arange(0, d_model, 2)
    cosine = np.arange(1, d_model, 2)
    matrix = np.zeros((d_model, d_model))
    matrix[sine, sine] = np.cos(angle)
    matrix[cosine, cosine] = np.cos(angle)
    matrix[sine, cosine] = np.sin(angle)
    matrix[cosine, sine] = -np.sin(angle)
    return matrix


def block_to_write(omega: float, k: int) -> Expected:
    """Return what the notebook expects of `block`, and what is said of mistakes in it."""
    block = _block(omega * k)
    expected = Expected(block=block)
    expected.say("it moves k positions back", block=block.T)
    expected.say("it moves by one position", block=_block(omega))
    expected.say("its rows are exchanged: the sine is first", block=block[::-1])
    return expected


def _block(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
