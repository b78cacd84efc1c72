"""The sinusoidal positional encoding: paper section 3.5. Learned positions are in extra/learned_positions.py.

Next: dropout.py
"""

import numpy as np

from ..backend import to_device
from ..module import Module
from .hyperparameter_checks import check_even, check_sizes
from .validation import check_floats, check_last_axis, check_length


def sinusoids(max_len: int, d_model: int, *, halves: bool = False) -> np.ndarray:
    """Return the table PE (max_len, d_model) of paper section 3.5, in float64.

        PE[pos, 2i]     = sin(pos / 10000^(2i / d_model))
        PE[pos, 2i + 1] = cos(pos / 10000^(2i / d_model))

    One number at a time it is `position` in npformer/slow_formulas.py. With `halves` all sines come first, then all
    cosines, as in Marian. Raises `InputError` when d_model is odd, because sines and cosines come in pairs.

    >>> sinusoids(2, 4).round(3).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.841, 0.54, 0.01, 1.0]]
    """
    check_even(d_model)
    position = np.arange(max_len)[:, None]  # (max_len, 1)
    angle = position / 10000.0 ** (np.arange(0, d_model, 2) / d_model)  # (max_len, D/2)
    if halves:
        return np.concatenate([np.sin(angle), np.cos(angle)], 1)
    return np.stack([np.sin(angle), np.cos(angle)], 2).reshape(max_len, d_model)


class SinusoidalPositionalEncoding(Module):
    """Add a fixed wave to every feature, so that positions can be distinguished: y = x + PE[start : start + T].

    Paper section 3.5; `halves` is as in `sinusoids`. Nothing is learned. x is (..., T, D), the positions from `start`
    on. Raises `InputError` for a size below 1, when d_model is odd, start is below 0, start + T is above max_len, or
    the last axis of x is not d_model.

    >>> positions = SinusoidalPositionalEncoding(4, max_len=10)
    >>> positions.forward(np.zeros((2, 5, 4), "float32")).shape
    (2, 5, 4)
    """

    def __init__(self, d_model: int, *, max_len: int = 512, halves: bool = False, dtype="float32"):
        check_sizes(d_model=d_model, max_len=max_len)
        self.table = to_device(
            sinusoids(max_len, d_model, halves=halves).astype(dtype)
        )  # (max_len, D)
        check_floats(self, self.table)

    @property
    def label(self) -> str:
        return f"SinusoidalPositionalEncoding({self.table.shape[1]})"

    def forward(self, x, start: int = 0):  # (..., T, D)
        check_last_axis(self, x, self.table.shape[1])
        end = check_length(self, x, start, len(self.table))
        return self.remember(x + self.table[start:end])

    def backward(self, dy):  # (..., T, D)
        self.recall(dy)
        return dy
