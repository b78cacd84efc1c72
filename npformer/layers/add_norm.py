"""Add & Norm: what figure 1 draws around every sub-layer."""

import numpy as np

from ..base.errors import InputError
from ..module import Module
from .dropout import Dropout
from .layer_norm import LayerNorm


class AddNorm(Module):
    """Run a sub-layer, drop out, add what went in, and normalise.

        post:  y = LayerNorm(x + Dropout(sublayer(x)))       paper sections 3.1 and 5.4
        pre:   y = x + Dropout(sublayer(LayerNorm(x)))       Xiong et al. 2020

    x is (..., D). What the sub-layer takes besides x (memory, masks) is passed on to it, and what its backward
    returns besides dx is passed back: around cross-attention backward returns (dx, dmemory).

    Raises `InputError` when norm is neither "post" nor "pre".

    >>> from npformer.layers import FeedForward
    >>> rng = np.random.default_rng(0)
    >>> layer = AddNorm(FeedForward(4, 16, rng=rng), 4, dropout=0.1, rng=rng)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        sublayer: Module,
        d_model: int,
        *,
        norm: str = "post",
        dropout: float = 0.1,
        eps: float = 1e-6,
        rng: np.random.Generator | None = None,
        dtype="float32",
    ):
        if norm not in ("post", "pre"):
            raise InputError(f"norm = {norm!r} is unknown: expected 'post' (the paper) or 'pre'")
        self.pre = norm == "pre"
        self.sublayer = sublayer
        self.dropout = Dropout(dropout, rng=rng)
        self.norm = LayerNorm(d_model, eps=eps, dtype=dtype)

    def forward(self, x, *context):  # (..., D)
        inner = self.norm.forward(x) if self.pre else x
        total = x + self.dropout.forward(self.sublayer.forward(inner, *context))
        return total if self.pre else self.norm.forward(total)  # (..., D)

    def backward(self, dy):  # (..., D)
        dtotal = dy if self.pre else self.norm.backward(dy)
        dinner = self.sublayer.backward(self.dropout.backward(dtotal))
        dinner, *dcontext = dinner if isinstance(dinner, tuple) else (dinner,)
        dx = dtotal + (self.norm.backward(dinner) if self.pre else dinner)  # the residual and the sub-layer's path
        return (dx, *dcontext) if dcontext else dx
