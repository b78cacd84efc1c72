"""The sinusoidal positional encoding: paper section 3.5.

Learned positions are in extra/learned_positions.py.

Next: dropout.py
"""

import numpy as np

from ..backend import to_device
from ..module import Module
from .hyperparameter_checks import check_even_d_model, check_sizes
from .validation import check_floats, check_last_axis, check_length


def sinusoids(max_len: int, d_model: int, *, interleaved: bool = True) -> np.ndarray:
    """Return the table PE (max_len, d_model) of paper section 3.5, in float64.

        PE[pos, 2i]     = sin(pos / 10000^(2i / d_model))
        PE[pos, 2i + 1] = cos(pos / 10000^(2i / d_model))

    See `position` in npformer/slow_formulas.py for the same formula with scalar loops. With
    `interleaved=False` all sines come first, then all cosines, as in Marian. Raises `InputError`
    when d_model is odd, because sines and cosines come in pairs.

    >>> sinusoids(2, 4).round(3).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.841, 0.54, 0.01, 1.0]]
    """
    check_even_d_model(d_model)
    position = np.arange(max_len)[:, None]  # (max_len, 1)
    angle = position / 10000.0 ** (np.arange(0, d_model, 2) / d_model)  # (max_len, D/2)
    table = np.empty((max_len, d_model))
    if interleaved:
        table[:, 0::2] = np.sin(angle)
        table[:, 1::2] = np.cos(angle)
    else:
        table[:, : d_model // 2] = np.sin(angle)
        table[:, d_model // 2 :] = np.cos(angle)
    return table


class SinusoidalPositionalEncoding(Module):
    """Add a fixed wave to every feature, so that positions can be distinguished.

        y = x + PE[start : start + T]

    Paper section 3.5. Nothing is learned. x is (..., T, D). `start` is the position of the first
    row of x, which is above 0 only in decoding with a cache.

    Arguments:
        d_model: D, the number of features, which is even.
        max_len: The number of positions.
        interleaved: Whether sines and cosines alternate, as in the paper.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, when d_model is odd, start is below 0, start + T is
    above max_len, or the last axis of x is not d_model.

    >>> positions = SinusoidalPositionalEncoding(4, max_len=10)
    >>> positions.forward(np.zeros((2, 5, 4), "float32")).shape
    (2, 5, 4)
    """

    def __init__(
        self,
        d_model: int,
        *,
        max_len: int = 512,
        interleaved: bool = True,
        dtype: str = "float32",
    ):
        check_sizes(d_model=d_model, max_len=max_len)
        table = sinusoids(max_len, d_model, interleaved=interleaved)
        self.table = to_device(table.astype(dtype))  # (max_len, D)
        check_floats(self, self.table)

    @property
    def display_name(self) -> str:
        return f"SinusoidalPositionalEncoding({self.table.shape[1]})"

    def forward(self, x, start: int = 0):  # (..., T, D)
        check_last_axis(self, x, self.table.shape[1])
        end = check_length(self, x, start, len(self.table))
        return self.remember(x + self.table[start:end])  # (..., T, D)

    def backward(self, dy):  # (..., T, D)
        self.recall(dy)
        return dy
