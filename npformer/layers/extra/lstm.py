"""The recurrent layer of the models that the Transformer replaced."""

import math

import numpy as np

from ...backend import xp
from ...module import Module, Parameter
from ...utils import random_generator
from ..init import orthogonal
from ..linear import Linear
from ..reductions import flat
from ..validation import check_sequence, check_sizes, check_tokens


class LSTM(Module):
    """Read a sequence position after position, with a cell whose gates say what to forget, let in and give out.

        i, f, o = sigmoid(x_t W + h_t-1 U + b),   g = tanh(x_t W + h_t-1 U + b)      each with weights of its own
        c_t = f c_t-1 + i g,   h_t = o tanh(c_t)

    Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000; their cells look at their own state
    nowhere (no peepholes). Shapes: x (B, T, d_in), y (B, T, H), all h_t; state and cell start at 0. `w_input` holds W
    and b of i, f, g, o side by side, `w_hidden` is U (H, 4H); the forget gate's bias starts at 1. `reverse=True` reads
    from the last position to the first. Where `mask` (B, T) is False, the state passes unchanged and y is 0.

    Raises `InputError` for a size below 1, when x is not (B, T, d_in), or when the mask is not boolean or not (B, T).

    >>> import numpy as np
    >>> lstm = LSTM(3, 5, rng=0)
    >>> y = lstm.forward(np.ones((2, 4, 3), "float32"), np.array([[True] * 4, [True, True, False, False]]))
    >>> y.shape, y[1].any(-1).tolist(), lstm.backward(y).shape
    ((2, 4, 5), [True, True, False, False], (2, 4, 3))
    """

    def __init__(self, d_in: int, d_hidden: int, *, reverse: bool = False, rng=None, dtype="float32"):
        check_sizes(d_in=d_in, d_hidden=d_hidden)
        rng = random_generator(rng)
        one_gate = math.sqrt((d_in + 4 * d_hidden) / (d_in + d_hidden))  # each gate's W starts as if it stood alone
        self.reverse = reverse
        self.w_input = Linear(d_in, 4 * d_hidden, gain=one_gate, rng=rng, dtype=dtype)
        self.w_input.bias.data[d_hidden : 2 * d_hidden] = 1
        self.w_hidden = Parameter(np.hstack([orthogonal(d_hidden, rng, dtype) for _ in range(4)]))

    @property
    def label(self) -> str:
        return f"LSTM({self.w_input.weight.data.shape[0]}, {self.w_hidden.data.shape[0]})"

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        check_sequence(self, x, self.w_input.weight.data.shape[0])
        if mask is not None:
            check_tokens(self, mask, x.shape[:2])
            mask = self.as_read(mask)[..., None]  # (T, B, 1)
        gates = self.w_input.forward(self.as_read(x))  # (T, B, 4H), all positions in one product
        length, batch, width = gates.shape
        shape = length + 1, batch, width // 4
        h, c = xp.zeros(shape, gates.dtype), xp.zeros(shape, gates.dtype)  # before each position, and after the last
        out, squashed = xp.empty_like(h[1:]), xp.empty_like(h[1:])  # (T, B, H)
        for t in range(length):
            gates[t] += h[t] @ self.w_hidden.data
            self.open_gates(gates[t], None if mask is None else mask[t])
            i, f, g, o = quarters(gates[t])  # (B, H)
            c[t + 1] = f * c[t]
            c[t + 1] += i * g
            xp.tanh(c[t + 1], out=squashed[t])
            xp.multiply(o, squashed[t], out=out[t])
            h[t + 1] = out[t] if mask is None else xp.where(mask[t], out[t], h[t])
        return self.remember(self.as_written(out), gates, h, c, squashed, mask)  # (B, T, H)

    def backward(self, dy):  # (B, T, H)
        gates, h, c, squashed, mask = self.recall(dy)
        dout = self.as_read(dy)  # (T, B, H)
        i, f, g, o = quarters(gates)  # (T, B, H)

        # What each gate's sum moves: sigmoid' = s (1 - s), tanh' = 1 - tanh^2. i, f and g reach the cell, o the output.
        dgates = xp.empty(gates.shape, gates.dtype)  # (T, B, 4H)
        to_i, to_f, to_g, to_o = quarters(dgates)
        xp.multiply(i * (1 - i), g, out=to_i)
        xp.multiply(f * (1 - f), c[:-1], out=to_f)
        xp.multiply(i, 1 - g * g, out=to_g)
        xp.multiply(o * (1 - o), squashed, out=to_o)
        to_cell = o * (1 - squashed * squashed)  # (T, B, H)

        dh, dc = xp.zeros_like(h[0]), xp.zeros_like(h[0])  # (B, H), from later positions
        for t in reversed(range(len(gates))):
            dh_t = dh + dout[t]
            dc += dh_t * to_cell[t]
            for part, change in ((to_i, dc), (to_f, dc), (to_g, dc), (to_o, dh_t)):
                part[t] *= change
            dc *= f[t]
            through_gates = dgates[t] @ self.w_hidden.data.T
            dh = through_gates if mask is None else xp.where(mask[t], through_gates, dh)
        self.w_hidden.grad += flat(h[:-1]).T @ flat(dgates)  # (H, 4H)
        return self.as_written(self.w_input.backward(dgates))  # (B, T, d_in)

    def open_gates(self, sums, real) -> None:
        """Turn sums (B, 4H) into gates, in place; where a token is not real (B, 1), nothing goes in, out or is lost."""
        i, f, _, o = quarters(sums)
        for gate in (i, f, o):
            gate *= 0.5  # sigmoid(z) = (1 + tanh(z / 2)) / 2
        xp.tanh(sums, out=sums)
        for gate in (i, f, o):
            gate *= 0.5
            gate += 0.5
        if real is not None:
            sums *= real
            f += ~real

    def as_read(self, x):
        """Lay x (B, T, ...) out in the order of reading: (T, B, ...)."""
        x = x.swapaxes(0, 1)
        return xp.ascontiguousarray(x[::-1] if self.reverse else x)

    def as_written(self, y):
        """Lay y (T, B, ...) out as the sequence stands: (B, T, ...)."""
        return xp.ascontiguousarray((y[::-1] if self.reverse else y).swapaxes(0, 1))


def quarters(gates) -> list:
    """View gates (..., 4H) as the four of them: i, f, g, o, each (..., H)."""
    width = gates.shape[-1] // 4
    return [gates[..., k * width : (k + 1) * width] for k in range(4)]
