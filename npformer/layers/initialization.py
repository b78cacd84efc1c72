"""Initial weights, drawn on the host so that both backends start with the same."""

import math

import numpy as np

from ..utils import InputError, Rng


def glorot_uniform(d_in: int, d_out: int, rng: Rng, dtype: str, *, gain: float = 1.0) -> np.ndarray:
    """Draw a matrix (d_in, d_out) uniformly from +-gain sqrt(6 / (d_in + d_out)).

    Glorot and Bengio 2010, eq. 16.
    """
    limit = gain * math.sqrt(6 / (d_in + d_out))
    return np.random.default_rng(rng).uniform(-limit, limit, (d_in, d_out)).astype(dtype)


def glorot_normal(d_in: int, d_out: int, rng: Rng, dtype: str, *, gain: float = 1.0) -> np.ndarray:
    """Draw a matrix (d_in, d_out) from a normal distribution of variance gain^2 2 / (d_in + d_out).

    Glorot and Bengio 2010, eq. 12.
    """
    std = gain * math.sqrt(2 / (d_in + d_out))
    return np.random.default_rng(rng).normal(0, std, (d_in, d_out)).astype(dtype)


def embedding_normal(rows: int, d_model: int, rng: Rng, dtype: str) -> np.ndarray:
    """Draw an embedding matrix (rows, d_model) from a normal distribution of variance 1 / d_model.

    Embeddings times sqrt(d_model) then have variance 1, and the logits of a shared matrix start at
    order 1.
    """
    return np.random.default_rng(rng).normal(0, d_model**-0.5, (rows, d_model)).astype(dtype)


INITS = {
    "glorot": glorot_uniform,
    "glorot_normal": glorot_normal,
    "per_head": glorot_normal,  # with the gain of `projection_gain`
}


def initialize(
    init: str, d_in: int, d_out: int, rng: Rng, dtype: str, *, gain: float = 1.0
) -> np.ndarray:
    """Draw a matrix (d_in, d_out) as the setting `init` specifies.

    Raises `InputError` when `init` is not in `INITS`.

    >>> float(initialize("glorot", 2, 4, 0, "float64", gain=0.5).max()) < 0.5
    True
    """
    if init not in INITS:
        raise InputError(f"init = {init!r}: expected one of {', '.join(INITS)}")
    draw = INITS[init]
    # int, because d_in + d_out of NumPy's narrow integers overflows
    return draw(int(d_in), int(d_out), rng, dtype, gain=gain)


def projection_gain(d_model: int, n_heads: int, d_head: int, init: str) -> float:
    """Return the gain with which a W^Q, W^K or W^V (d_model, n_heads * d_head) starts.

    The three start together as one Glorot matrix (D, 3D), as in PyTorch's MultiheadAttention: each
    then has half the variance of a Glorot matrix (D, D). With the full variance post-norm learns
    slowly. With init = "per_head" each head's part is a Glorot matrix (d_model, d_head) of its own,
    of variance 2 / (d_model + d_head), which is more.
    """
    if init != "per_head":
        return math.sqrt(0.5)
    return math.sqrt((d_model + n_heads * d_head) / (d_model + d_head))
