"""Add & Norm: what figure 1 draws around every sub-layer."""

from collections.abc import Callable

import numpy as np

from ..module import Module
from .dropout import Dropout
from .layer_norm import LayerNorm


class AddNorm(Module):
    """A sub-layer with dropout, a residual connection around it, and a LayerNorm: see `PostNorm` and `PreNorm`.

    x is (..., D). What the sub-layer takes besides x (memory, masks) is passed on to it, and what its backward
    returns besides dx is passed back: around cross-attention backward returns (dx, dmemory). `around` takes any
    function of x in the sub-layer's place, as decoding does, one position at a time.
    """

    def __init__(
        self,
        sublayer: Module,
        d_model: int,
        *,
        dropout: float = 0.1,
        eps: float = 1e-6,
        rng: np.random.Generator | int | None = None,
        dtype="float32",
    ):
        self.sublayer = sublayer
        self.dropout = Dropout(dropout, rng=rng)
        self.norm = LayerNorm(d_model, eps=eps, dtype=dtype)

    def forward(self, x, *context):  # (..., D)
        return self.around(x, lambda inner: self.sublayer.forward(inner, *context))  # (..., D)

    def around(self, x, sublayer: Callable):
        """Return what forward does, with another function in the sub-layer's place."""
        raise NotImplementedError

    def through_sublayer(self, dtotal) -> tuple:  # (..., D)
        """Return what goes back through dropout and sub-layer: (dinner,), or (dinner, dmemory)."""
        dinner = self.sublayer.backward(self.dropout.backward(dtotal))
        return dinner if isinstance(dinner, tuple) else (dinner,)


class PostNorm(AddNorm):
    """Run a sub-layer, drop out, add what went in, and normalise the sum.

        y = LayerNorm(x + Dropout(sublayer(x)))

    Paper sections 3.1 and 5.4; arguments and shapes as in `AddNorm`.

    >>> from npformer.layers import FeedForward
    >>> layer = PostNorm(FeedForward(4, 16, rng=0), 4, dropout=0.1, rng=1)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def around(self, x, sublayer: Callable):  # (..., D)
        return self.norm.forward(x + self.dropout.forward(sublayer(x)))  # (..., D)

    def backward(self, dy):  # (..., D)
        dtotal = self.norm.backward(dy)
        dinner, *dcontext = self.through_sublayer(dtotal)
        dx = dtotal + dinner  # the residual path and the sub-layer's
        return (dx, *dcontext) if dcontext else dx


class PreNorm(AddNorm):
    """Normalise, run a sub-layer, drop out, and add what went in.

        y = x + Dropout(sublayer(LayerNorm(x)))

    Xiong et al. 2020; arguments and shapes as in `AddNorm`.

    >>> from npformer.layers import FeedForward
    >>> layer = PreNorm(FeedForward(4, 16, rng=0), 4, dropout=0.1, rng=1)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def around(self, x, sublayer: Callable):  # (..., D)
        return x + self.dropout.forward(sublayer(self.norm.forward(x)))  # (..., D)

    def backward(self, dy):  # (..., D)
        dinner, *dcontext = self.through_sublayer(dy)
        dx = dy + self.norm.backward(dinner)  # the residual path and the sub-layer's
        return (dx, *dcontext) if dcontext else dx
