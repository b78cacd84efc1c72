"""Add & Norm: what figure 1 draws around every sub-layer.

Next: embedding.py
"""

from ..module import Module
from ..utils import Rng
from .dropout import Dropout
from .layer_norm import LayerNorm


class AddNorm(Module):
    """A sub-layer with dropout, a residual connection around it, and a LayerNorm: see `PostNorm` and `PreNorm`.

    x is (..., D). Other inputs of the sub-layer (memory, masks) follow x, and their gradients follow dx: with
    cross-attention backward returns (dx, dmemory).
    """

    def __init__(
        self,
        sublayer: Module,
        d_model: int,
        *,
        dropout=0.1,
        eps=1e-6,
        rng: Rng = None,
        dtype="float32",
    ):
        self.sublayer = sublayer
        self.dropout = Dropout(dropout, rng=rng)
        self.norm = LayerNorm(d_model, eps=eps, dtype=dtype)

    def _sublayer_backward(self, dy) -> tuple:  # (..., D)
        dinput = self.sublayer.backward(self.dropout.backward(dy))
        return (
            dinput if isinstance(dinput, tuple) else (dinput,)
        )  # (dinput, dmemory) of cross-attention


class PostNorm(AddNorm):
    """Run a sub-layer, drop out, add the input, and normalize the sum.

        y = LayerNorm(x + Dropout(sublayer(x)))

    Paper sections 3.1 and 5.4; with `pre=False` it is `add_norm` in npformer/slow_formulas.py.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = PostNorm(FeedForward(4, 16, rng=0), 4, dropout=0.1, rng=1)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def forward(self, x, *context):  # (..., D)
        y = self.sublayer.forward(x, *context)
        return self.norm.forward(x + self.dropout.forward(y))  # (..., D)

    def backward(self, dy):  # (..., D)
        dtotal = self.norm.backward(dy)
        dinput, *dcontext = self._sublayer_backward(dtotal)
        dx = dtotal + dinput  # through the residual connection, and through the sub-layer
        return (dx, *dcontext) if dcontext else dx


class PreNorm(AddNorm):
    """Normalize, run a sub-layer, drop out, and add the input.

        y = x + Dropout(sublayer(LayerNorm(x)))

    Xiong et al. 2020; with `pre=True` it is `add_norm` in npformer/slow_formulas.py.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = PreNorm(FeedForward(4, 16, rng=0), 4, dropout=0.1, rng=1)
    >>> layer.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def forward(self, x, *context):  # (..., D)
        y = self.sublayer.forward(self.norm.forward(x), *context)
        return x + self.dropout.forward(y)  # (..., D)

    def backward(self, dy):  # (..., D)
        dinput, *dcontext = self._sublayer_backward(dy)
        dx = dy + self.norm.backward(
            dinput
        )  # through the residual connection, and through the sub-layer
        return (dx, *dcontext) if dcontext else dx
