"""Add & Norm: what figure 1 draws around every sub-layer.

Next: embedding.py
"""

from ..module import Module
from ..utils import Rng
from .dropout import Dropout
from .layer_norm import LayerNorm


class AddNorm(Module):
    """A sub-layer with dropout, a residual connection around it, and a LayerNorm.

    The base class of `PostNorm` and `PreNorm`. x is (..., D). Other inputs of the sub-layer, its
    `context`, follow x: (mask,), or (memory, mask). Of these memory alone has a gradient, which
    follows dx: with cross-attention backward returns (dx, dmemory), else dx.

    Arguments:
        sublayer: Attention or a feed-forward network.
        d_model: D, the number of features of x.
        dropout: The probability with which a value of the sub-layer's output is set to zero.
        norm: Another norm of d_model features in place of the LayerNorm.
        eps: Of the LayerNorm; another norm has its own.
        rng: A generator or a seed for dropout.
        dtype: Of the LayerNorm, "float32" or "float64"; another norm has its own.
    """

    def __init__(
        self,
        sublayer: Module,
        d_model: int,
        *,
        dropout: float = 0.1,
        norm: Module | None = None,
        eps: float = 1e-6,
        rng: Rng = None,
        dtype: str = "float32",
    ):
        self.sublayer = sublayer
        self.dropout = Dropout(dropout, rng=rng)
        if norm is None:
            norm = LayerNorm(d_model, eps=eps, dtype=dtype)
        self.norm = norm

    def _sublayer_backward(self, dy):  # (..., D)
        """Return the gradients of the sub-layer's inputs as a tuple: that of x, then of others."""
        dinputs = self.sublayer.backward(self.dropout.backward(dy))
        return dinputs if isinstance(dinputs, tuple) else (dinputs,)


class PostNorm(AddNorm):
    """Run a sub-layer, drop out, add the input, and normalize the sum.

        y = LayerNorm(x + Dropout(sublayer(x)))

    Paper sections 3.1 and 5.4. See `add_norm` in npformer/slow_formulas.py, with `pre=False`, for
    the same formula with scalar loops. The arguments are those of `AddNorm`.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = PostNorm(FeedForward(4, 16, rng=0), 4, dropout=0.1, rng=1)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def forward(self, x, *context):  # (..., D)
        y = self.sublayer.forward(x, *context)  # (..., D)
        return self.norm.forward(x + self.dropout.forward(y))  # (..., D)

    def backward(self, dy):  # (..., D)
        dtotal = self.norm.backward(dy)  # (..., D)
        dinput, *dcontext = self._sublayer_backward(dtotal)
        dx = dtotal + dinput  # through the residual connection, and through the sub-layer
        return (dx, *dcontext) if dcontext else dx


class PreNorm(AddNorm):
    """Normalize, run a sub-layer, drop out, and add the input.

        y = x + Dropout(sublayer(LayerNorm(x)))

    Xiong et al. 2020. See `add_norm` in npformer/slow_formulas.py, with `pre=True`, for the same
    formula with scalar loops. The arguments are those of `AddNorm`.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = PreNorm(FeedForward(4, 16, rng=0), 4, dropout=0.1, rng=1)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def forward(self, x, *context):  # (..., D)
        y = self.sublayer.forward(self.norm.forward(x), *context)  # (..., D)
        return x + self.dropout.forward(y)  # (..., D)

    def backward(self, dy):  # (..., D)
        dinput, *dcontext = self._sublayer_backward(dy)
        # through the residual connection, and through the sub-layer
        dx = dy + self.norm.backward(dinput)  # (..., D)
        return (dx, *dcontext) if dcontext else dx
