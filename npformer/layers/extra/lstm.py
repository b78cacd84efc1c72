"""The recurrent layer that the Transformer replaced."""

import math

import numpy as np

from ...backend import xp
from ...module import Module, Parameter
from ...utils import Rng
from ..hyperparameter_checks import check_sizes
from ..linear import Linear
from ..row_and_column_sums import flatten_positions
from ..validation import check_last_axis
from .validation import check_tokens


class LSTM(Module):
    """Read a sequence position by position, into a cell whose gates decide what it keeps.

        i, f, o = sigmoid(x_t W + h_t-1 U + b),   g = tanh(x_t W + h_t-1 U + b)
        c_t = f c_t-1 + i g,   h_t = o tanh(c_t)

    Each of i, f, g and o has a W, U and b of its own. Hochreiter and Schmidhuber 1997, with the
    forget gate f of Gers et al. 2000. See `lstm` in npformer/slow_formulas.py for the same formula
    with scalar loops.

    Shapes: x (B, T, d_in), y (B, T, H), all h_t. `w_input` holds W and b of i, f, g, o side by
    side, `w_hidden` is U (H, 4H). The forget gate's bias starts at 1. Where `mask` (B, T) is False,
    the state passes unchanged and y is 0.

    Arguments:
        d_in: The number of features of x.
        d_hidden: H, the size of the state.
        rng: A generator or a seed for the weights.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, when x is not (B, T, d_in), or when the mask is not
    boolean or not (B, T).

    >>> lstm = LSTM(3, 5, rng=0)
    >>> mask = np.array([[True] * 4, [True, True, False, False]])
    >>> y = lstm.forward(np.ones((2, 4, 3), "float32"), mask)
    >>> y.shape, y[1].any(-1).tolist(), lstm.backward(y).shape
    ((2, 4, 5), [True, True, False, False], (2, 4, 3))
    """

    def __init__(self, d_in: int, d_hidden: int, *, rng: Rng = None, dtype: str = "float32"):
        check_sizes(d_in=d_in, d_hidden=d_hidden)
        rng = np.random.default_rng(rng)
        # the W of each gate starts as a matrix (d_in, H) of its own
        one_gate = math.sqrt((d_in + 4 * d_hidden) / (d_in + d_hidden))
        self.w_input = Linear(d_in, 4 * d_hidden, gain=one_gate, rng=rng, dtype=dtype)

        bias = self.w_input.bias
        assert bias is not None  # no Linear is without one by default
        bias.data[d_hidden : 2 * d_hidden] = 1  # the forget gate starts open

        matrices = [_orthogonal(d_hidden, rng, dtype) for _ in range(4)]
        self.w_hidden = Parameter(np.hstack(matrices))  # (H, 4H)

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        check_last_axis(self, x, self.w_input.weight.data.shape[0], "d_in")
        if mask is None:
            mask = xp.ones(x.shape[:2], bool)  # (B, T)
        check_tokens(self, x, mask)
        mask = mask.T[..., None]  # (T, B, 1)

        # x W + b needs no state: all positions in one product
        projected = self.w_input.forward(x.swapaxes(0, 1))  # (T, B, 4H)
        gates = xp.zeros_like(projected)  # (T, B, 4H), for backward
        length, batch, d_gates = gates.shape
        h = xp.zeros((length + 1, batch, d_gates // 4), gates.dtype)  # (T + 1, B, H), from h_0 on
        c = xp.zeros_like(h)  # (T + 1, B, H)
        for t in range(length):
            i, f, g, o = xp.split(projected[t] + h[t] @ self.w_hidden.data, 4, -1)  # (B, H)
            i = _sigmoid(i)
            f = _sigmoid(f)
            g = xp.tanh(g)
            o = _sigmoid(o)
            gates[t] = xp.concatenate([i, f, g, o], -1)  # (B, 4H)

            new_c = f * c[t] + i * g  # (B, H)
            c[t + 1] = xp.where(mask[t], new_c, c[t])
            h[t + 1] = xp.where(mask[t], o * xp.tanh(new_c), h[t])

        y = (h[1:] * mask).swapaxes(0, 1)  # (B, T, H)
        return self.remember(y, gates, h, c, mask)

    def backward(self, dy):  # (B, T, H)
        gates, h, c, mask = self.recall(dy)
        dy = dy.swapaxes(0, 1) * mask  # (T, B, H)
        dgates = xp.zeros_like(gates)  # (T, B, 4H)
        dh = xp.zeros_like(h[0])  # (B, H), from later positions
        dc = xp.zeros_like(c[0])  # (B, H), from later positions
        for t in reversed(range(len(gates))):
            i, f, g, o = xp.split(gates[t], 4, -1)  # (B, H)
            tanh_c = xp.tanh(c[t + 1])  # (B, H)
            dh_t = dy[t] + dh * mask[t]  # (B, H)
            dc_t = dc * mask[t] + dh_t * o * (1 - tanh_c * tanh_c)  # (B, H)

            # sigmoid' = s (1 - s), tanh' = 1 - tanh^2
            di = dc_t * g * i * (1 - i)  # (B, H)
            df = dc_t * c[t] * f * (1 - f)  # (B, H)
            dg = dc_t * i * (1 - g * g)  # (B, H)
            do = dh_t * tanh_c * o * (1 - o)  # (B, H)
            dgates[t] = xp.concatenate([di, df, dg, do], -1)  # (B, 4H)

            # at padding the state passed unchanged, and so does its gradient
            dh = dgates[t] @ self.w_hidden.data.T + dh * ~mask[t]  # (B, H)
            dc = dc_t * f + dc * ~mask[t]  # (B, H)

        self.w_hidden.grad += flatten_positions(h[:-1]).T @ flatten_positions(dgates)  # (H, 4H)
        return self.w_input.backward(dgates).swapaxes(0, 1)  # (B, T, d_in)


def _sigmoid(x):
    return 0.5 + 0.5 * xp.tanh(0.5 * x)  # 1 / (1 + exp(-x)), without overflow


def _orthogonal(d: int, rng: Rng, dtype: str) -> np.ndarray:
    """Draw a rotation or reflection (d, d), which keeps all norms: Saxe et al. 2014."""
    q, r = np.linalg.qr(np.random.default_rng(rng).normal(size=(d, d)))
    # the decomposition fixes signs of q: those of r make all matrices equally probable
    return (q * np.sign(np.diag(r))).astype(dtype)
