"""Starting weights, drawn on the host so that both backends start alike."""

import math

import numpy as np

from ..base import generator


def glorot_uniform(d_in: int, d_out: int, rng, dtype, *, gain: float = 1.0) -> np.ndarray:
    """Draw a matrix (d_in, d_out) uniformly from +-gain sqrt(6 / (d_in + d_out)): Glorot and Bengio 2010, eq. 16."""
    limit = gain * math.sqrt(6 / (d_in + d_out))
    return generator(rng).uniform(-limit, limit, (d_in, d_out)).astype(dtype)


def table_normal(rows: int, d_model: int, rng, dtype) -> np.ndarray:
    """Draw a table (rows, d_model) from a normal distribution of variance 1 / d_model.

    Embeddings times sqrt(d_model) then have variance 1, and the logits of a shared table start at order 1.
    """
    return generator(rng).normal(0, d_model**-0.5, (rows, d_model)).astype(dtype)


def orthogonal(d: int, rng, dtype) -> np.ndarray:
    """Draw a rotation, perhaps with a reflection, (d, d), each as likely: Saxe et al. 2014. It keeps all lengths."""
    q, r = np.linalg.qr(generator(rng).normal(size=(d, d)))
    return (q * np.sign(np.diag(r))).astype(dtype)
