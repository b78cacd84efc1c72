"""The recurrent layer that the Transformer replaced."""

import math

import numpy as np

from ...backend import xp
from ...module import Module, Parameter
from ..hyperparameter_checks import check_sizes
from ..linear import Linear
from ..row_and_column_sums import flatten_positions
from ..validation import check_last_axis
from .validation import check_tokens


class LSTM(Module):
    """Read a sequence position by position, into a cell whose gates decide what to forget, let in and give out.

        i, f, o = sigmoid(x_t W + h_t-1 U + b),   g = tanh(x_t W + h_t-1 U + b)      each with weights of its own
        c_t = f c_t-1 + i g,   h_t = o tanh(c_t)

    Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000. One number at a time it is `lstm` in
    npformer/slow_formulas.py. Shapes: x (B, T, d_in), y (B, T, H), all h_t. `w_input` holds W and b of i, f, g, o side by
    side, `w_hidden` is U (H, 4H); the forget gate's bias starts at 1. Where `mask` (B, T) is False, the state passes
    unchanged and y is 0.

    Raises `InputError` for a size below 1, when x is not (B, T, d_in), or when the mask is not boolean or not (B, T).

    >>> lstm = LSTM(3, 5, rng=0)
    >>> y = lstm.forward(np.ones((2, 4, 3), "float32"), np.array([[True] * 4, [True, True, False, False]]))
    >>> y.shape, y[1].any(-1).tolist(), lstm.backward(y).shape
    ((2, 4, 5), [True, True, False, False], (2, 4, 3))
    """

    def __init__(self, d_in: int, d_hidden: int, *, rng=None, dtype="float32"):
        check_sizes(d_in=d_in, d_hidden=d_hidden)
        rng = np.random.default_rng(rng)
        one_gate = math.sqrt(
            (d_in + 4 * d_hidden) / (d_in + d_hidden)
        )  # each gate's W starts as a matrix of its own
        self.w_input = Linear(d_in, 4 * d_hidden, gain=one_gate, rng=rng, dtype=dtype)
        self.w_input.bias.data[d_hidden : 2 * d_hidden] = 1
        self.w_hidden = Parameter(np.hstack([_orthogonal(d_hidden, rng, dtype) for _ in range(4)]))

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        check_last_axis(self, x, self.w_input.weight.data.shape[0], "d_in")
        mask = xp.ones(x.shape[:2], bool) if mask is None else mask
        check_tokens(self, x, mask)
        mask = mask.T[..., None]  # (T, B, 1)
        gates = self.w_input.forward(x.swapaxes(0, 1))  # (T, B, 4H), all positions in one product
        h = xp.zeros(
            (len(gates) + 1, gates.shape[1], gates.shape[2] // 4), gates.dtype
        )  # before t, and after the last
        c = xp.zeros_like(h)
        for t in range(len(gates)):
            i, f, g, o = xp.split(gates[t] + h[t] @ self.w_hidden.data, 4, -1)  # (B, H)
            i, f, g, o = _sigmoid(i), _sigmoid(f), xp.tanh(g), _sigmoid(o)
            gates[t] = xp.concatenate([i, f, g, o], -1)
            new_c = f * c[t] + i * g
            c[t + 1] = xp.where(mask[t], new_c, c[t])
            h[t + 1] = xp.where(mask[t], o * xp.tanh(new_c), h[t])
        return self.remember((h[1:] * mask).swapaxes(0, 1), gates, h, c, mask)  # (B, T, H)

    def backward(self, dy):  # (B, T, H)
        gates, h, c, mask = self.recall(dy)
        dy, dgates = dy.swapaxes(0, 1) * mask, xp.empty_like(gates)  # (T, B, H), (T, B, 4H)
        dh, dc = xp.zeros_like(h[0]), xp.zeros_like(c[0])  # (B, H), from later positions
        for t in reversed(range(len(gates))):
            i, f, g, o = xp.split(gates[t], 4, -1)  # (B, H)
            tanh_c = xp.tanh(c[t + 1])
            dh_t = dy[t] + dh * mask[t]
            dc_t = dc * mask[t] + dh_t * o * (1 - tanh_c * tanh_c)
            # sigmoid' = s (1 - s), tanh' = 1 - tanh^2
            di, df, dg = dc_t * g * i * (1 - i), dc_t * c[t] * f * (1 - f), dc_t * i * (1 - g * g)
            dgates[t] = xp.concatenate([di, df, dg, dh_t * tanh_c * o * (1 - o)], -1)
            # at padding the state passed unchanged
            dh, dc = dgates[t] @ self.w_hidden.data.T + dh * ~mask[t], dc_t * f + dc * ~mask[t]
        self.w_hidden.grad += flatten_positions(h[:-1]).T @ flatten_positions(dgates)  # (H, 4H)
        return self.w_input.backward(dgates).swapaxes(0, 1)  # (B, T, d_in)


def _sigmoid(x):
    return 0.5 + 0.5 * xp.tanh(0.5 * x)  # 1 / (1 + exp(-x)), without overflow


def _orthogonal(d: int, rng, dtype) -> np.ndarray:
    """Draw a rotation or reflection (d, d), which keeps all norms: Saxe et al. 2014."""
    q, r = np.linalg.qr(np.random.default_rng(rng).normal(size=(d, d)))
    return (q * np.sign(np.diag(r))).astype(dtype)
