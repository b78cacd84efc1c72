"""Dropout.

Next: models/sublayers.py
"""

import numpy as np

from ..backend import drawable_probability, dropout_mask
from ..module import Module
from ..utils import Rng
from .hyperparameter_checks import check_probability
from .validation import check_floats


class Dropout(Module):
    """Set each value to zero with probability p, and scale the others by 1 / (1 - p).

    The scale keeps the mean. Srivastava et al. 2014; paper section 5.4 puts dropout on the output
    of every sub-layer and on the sums of embeddings and positions. In eval mode, and with p = 0,
    the input passes through. Any shape.

    Arguments:
        p: The probability, rounded to a multiple of 1 / 65536 (`backend.drawable_probability`).
        rng: A generator or a seed.

    Raises `InputError` unless 0 <= p < 1.

    >>> dropout = Dropout(0.5, rng=np.random.default_rng(4))
    >>> dropout.forward(np.ones(6)).tolist(), dropout.backward(np.ones(6)).tolist()
    ([0.0, 2.0, 0.0, 2.0, 0.0, 2.0], [0.0, 2.0, 0.0, 2.0, 0.0, 2.0])
    """

    def __init__(self, p: float, *, rng: Rng = None):
        check_probability(p)
        self.p = drawable_probability(p)
        self.rng = np.random.default_rng(rng)

    @property
    def display_name(self) -> str:
        return f"Dropout({self.p:.3g})"

    def forward(self, x):
        check_floats(self, x)
        if not self.training or self.p == 0:
            return self.remember(x, None)
        # mask and factor in one array, which is all that backward needs
        scale = dropout_mask(self.rng, x.shape, self.p).astype(x.dtype)
        scale *= 1 / (1 - self.p)
        return self.remember(x * scale, scale)

    def backward(self, dy):
        (scale,) = self.recall(dy)
        return dy if scale is None else dy * scale
