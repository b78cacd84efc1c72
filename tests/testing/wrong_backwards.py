"""Wrong backwards as people publish them, one mistake each, and what a gradient check says about
them.
"""

import numpy as np

from npformer import Module
from npformer.layers import (
    GELU,
    Dropout,
    Embedding,
    LayerNorm,
    Linear,
    ReLU,
    ScaledDotProductAttention,
    Softmax,
)
from npformer.tasks import LabelSmoothingLoss
from tests.small_models import disturb

B, T, S, D_K, D, V = 3, 4, 5, 3, 6, 8
DX, DK = "input 0", "input 1"


def spoilt(layer, wrong):
    """Return the layer, of which backward gives the gradients that `wrong(layer, dy, *cache)`
    returns by name.
    """

    class Wrong(type(layer)):
        def backward(self, dy):
            gradients = wrong(self, dy, *self._cache[1])
            returned = super().backward(dy)
            for name, parameter in self.named_parameters():
                parameter.grad = gradients.get(name, parameter.grad)
            returned = returned if isinstance(returned, tuple) else (returned,)
            return tuple(gradients.get(f"input {i}", dx) for i, dx in enumerate(returned))

    layer.__class__ = Wrong
    return layer


class Residual(Module):
    """x + Linear(x)."""

    def __init__(self):
        self.linear = Linear(D, D, rng=1, dtype="float64")

    def forward(self, x):
        return self.remember(x + self.linear.forward(x), x)

    def backward(self, dy):
        self.recall(dy)
        return dy + self.linear.backward(dy)


class Heads(Module):
    """tanh of heads, of which the last axis is reversed."""

    def forward(self, x):
        return self.remember(merged(np.tanh(heads(x))[..., ::-1]), x)

    def backward(self, dy):
        (x,) = self.recall(dy)
        return merged(heads(dy)[..., ::-1]) * (1 - np.tanh(x) ** 2)


class Positions(Module):
    """x sqrt(D) + position."""

    def forward(self, x):
        return self.remember(x * np.sqrt(D) + np.arange(x.shape[1])[:, None])

    def backward(self, dy):
        self.recall(dy)
        return dy * np.sqrt(D)


class Tied(Embedding):
    """An embedding whose matrix is that of the generator, too."""

    def forward(self, ids):
        h = super().forward(ids)
        return self.remember(h @ self.table.data.T, ids, h)

    def backward(self, dy):
        ids, h = self.recall(dy)
        self.table.grad += of_weight(dy, h) + of_rows(ids, dy @ self.table.data * self.scale)


def mean(x):
    return x.mean(-1, keepdims=True)


def total(x):
    return x.sum(-1, keepdims=True)


def turned(x):
    return x.swapaxes(-1, -2)


def of_weight(x, dy):
    return np.einsum("bti,btj->ij", x, dy)


def of_rows(ids, dy, add=np.add.at):
    rows = np.zeros((V, D))
    add(rows, ids, dy)
    return rows


def heads(x):
    return x.reshape(*x.shape[:2], 2, D_K).swapaxes(1, 2)


def merged(x):
    return x.swapaxes(1, 2).reshape(len(x), -1, D)


def norm(d, xhat, rstd):
    return rstd * (d - mean(d) - xhat * mean(d * xhat))


def of_scores(wrong):
    """Spoil the gradient of attention's scores, of which those of query and key are made."""

    def gradients(m, dy, q, k, v, w):
        dw = dy @ turned(v)
        ds = wrong(w * (dw - total(dw * w)) / np.sqrt(D_K), w, dw)
        return {DX: ds @ k, DK: turned(ds) @ q}

    return gradients


def of_loss(wrong):
    """Spoil the gradient of the logits:

    `wrong` takes dloss, p, q, onehot and where tokens are real.
    """

    def gradients(m, dy, exp_z, total, at, weights, shape):
        p, onehot = exp_z / total, np.zeros_like(exp_z)
        onehot[at] = 1
        q = (1 - m.eps) * onehot + m.eps / V
        return {DX: wrong(dy, p, q, onehot, weights > 0, (weights > 0).sum()).reshape(shape)}

    return gradients


A_MEAN = "differs in each row by one and the same number, as if a mean were wrong"
PROJECTION = (
    "differs in each row by a multiple of x - mean(x), as if the projection on it were wrong"
)
BOTH = (
    "differs in each row by multiples of 1 and of x - mean(x), as if mean and projection were wrong"
)
TRANSPOSE = "is J dy, not J^T dy: a transpose is missing"
GAIN_LAST = (
    "is right for dy / gain, times gain: gain is used after the sums, not before; also " + TRANSPOSE
)
NO_GAIN = "is right for dy / gain: gain is missing"
DIAGONAL = "is diag(J) dy: only the diagonal of the Jacobian J is used"
SIGN = "has the wrong sign, and is right otherwise"
SUM_OF_Y = "differs in each row by a multiple of y, as if the sum of dy * y were wrong"
ROOT_3 = "is right except for a factor sqrt(3)"
INVERSE_3 = "is right except for a factor 1/sqrt(3)"
INVERSE_6 = "is right except for a factor 1/sqrt(6)"
ORDER = "has the entries of the right one in another order"
TOKENS = "is right except for a factor the number of real tokens"
PADDING = "is wrong only where input 1 has id 0"
NO_DY = "is right for a dy of ones: dy is not used"
NO_RESIDUAL = "is the right one minus dy, as if a residual connection were left out"
DY = "is dy, unchanged"
SCALE = "is right except for a factor (1 - p)"
REPEATED = "is wrong only in the rows of ids that input 0 has more than once"
PRESENT = "is wrong only in the rows of ids that input 0 has"
MEAN = "is right except for a factor 1/B, as if a mean over B had been taken (B = 3)"

LAYERS = {  # each with the inputs of its forward
    "LayerNorm": lambda rng, x, ids: (with_noise(LayerNorm(D, dtype="float64"), rng), x),
    "Softmax": lambda rng, x, ids: (Softmax(), x),
    "attention": lambda rng, x, ids: (
        *(ScaledDotProductAttention(), rng.normal(size=(B, T, D_K)), rng.normal(size=(B, S, D_K))),
        *(rng.normal(size=(B, S, D)), rng.random((B, T, S)) > 0.3),
    ),
    "loss": lambda rng, x, ids: (LabelSmoothingLoss(eps=0.1), rng.normal(size=(B, T, V)), ids),
    "residual": lambda rng, x, ids: (Residual(), x),
    "Dropout": lambda rng, x, ids: (Dropout(0.4, rng=rng), x),
    "Embedding": lambda rng, x, ids: (Embedding(V, D, rng=rng, dtype="float64"), ids),
    "Linear": lambda rng, x, ids: (Linear(D, D, rng=rng, dtype="float64"), x),
    "ReLU": lambda rng, x, ids: (ReLU(), x),
    "GELU": lambda rng, x, ids: (GELU(), x),
    "heads": lambda rng, x, ids: (Heads(), x),
    "positions": lambda rng, x, ids: (Positions(), x),
    "tied": lambda rng, x, ids: (Tied(V, D, rng=rng, dtype="float64"), ids),
}


def with_noise(layer, rng):
    disturb(layer, rng, 1.0)
    return layer


def make(name):
    """Return a layer and the inputs of its forward."""
    rng = np.random.default_rng(7)
    x, ids = rng.normal(size=(B, T, D)), np.array([[1, 2, 2, 5], [3, 1, 5, 0], [6, 2, 0, 0]])
    layer, *inputs = LAYERS[name](rng, x, ids)
    return layer, inputs


def of_norm(wrong):
    """Spoil LayerNorm's gradient: `wrong` takes dy * gain, xhat, 1 / std, dy and gain."""
    return lambda m, dy, xhat, rstd: {DX: wrong(dy * m.gain.data, xhat, rstd, dy, m.gain.data)}


def sigmoid_slope(m, dy, x, phi):
    s = 1 / (1 + np.exp(-1.702 * x))
    return {DX: dy * s * (1 + 1.702 * x * (1 - s))}


def overwritten(m, dy, ids):
    return {
        "table": of_rows(ids, dy * m.scale, add=lambda rows, ids, dy: rows.__setitem__(ids, dy))
    }


def without_mask(m, dy, q, k, v, w):
    w = np.exp(q @ turned(k) / np.sqrt(D_K))
    return of_scores(lambda ds, *_: ds)(m, dy, q, k, v, w / total(w))


R = 1.2**0.5  # of D / (D - 1)
# the mistake, the layer, what backward gives, and the finding: "" where there is none
WRONG_BACKWARDS = (
    (
        "no mean term",
        "LayerNorm",
        of_norm(lambda d, xhat, r, dy, g: r * (d - xhat * mean(d * xhat))),
        A_MEAN,
    ),
    (
        "no projection",
        "LayerNorm",
        of_norm(lambda d, xhat, r, dy, g: r * (d - mean(d))),
        PROJECTION,
    ),
    ("neither", "LayerNorm", of_norm(lambda d, xhat, r, dy, g: r * d), BOTH),
    (
        "sums",
        "LayerNorm",
        of_norm(lambda d, xhat, r, dy, g: r * (d - total(d) - xhat * total(d * xhat))),
        BOTH,
    ),
    (
        "gain after the sums",
        "LayerNorm",
        of_norm(lambda d, xhat, r, dy, g: g * norm(dy, xhat, r)),
        GAIN_LAST,
    ),
    ("gain missing", "LayerNorm", of_norm(lambda d, xhat, r, dy, g: norm(dy, xhat, r)), NO_GAIN),
    (
        "variance by D - 1",
        "LayerNorm",
        of_norm(lambda d, xhat, r, dy, g: norm(d, xhat / R, r / R)),
        "",
    ),
    ("gain from x", "LayerNorm", lambda m, dy, xhat, r: {"gain": (dy * xhat / r).sum((0, 1))}, ""),
    ("diagonal only", "Softmax", lambda m, dy, y: {DX: y * (1 - y) * dy}, DIAGONAL),
    ("wrong sign", "Softmax", lambda m, dy, y: {DX: y * (total(dy * y) - dy)}, SIGN),
    ("no subtraction", "Softmax", lambda m, dy, y: {DX: y * dy}, SUM_OF_Y),
    (
        "sum over another axis",
        "Softmax",
        lambda m, dy, y: {DX: y * (dy - (dy * y).sum(1, keepdims=True))},
        "",
    ),
    ("no scale", "attention", of_scores(lambda ds, w, dw: ds * np.sqrt(D_K)), ROOT_3),
    ("scale twice", "attention", of_scores(lambda ds, w, dw: ds / np.sqrt(D_K)), INVERSE_3),
    (
        "diagonal of the softmax",
        "attention",
        of_scores(lambda ds, w, dw: w * (1 - w) * dw / np.sqrt(D_K)),
        "",
    ),
    ("mask ignored", "attention", without_mask, ""),
    (
        "keys not transposed",
        "attention",
        lambda m, dy, q, k, v, w: {
            DK: (turned(of_scores(lambda ds, *_: ds)(m, dy, q, k, v, w)[DK])).reshape(k.shape)
        },
        ORDER,
    ),
    (
        "not divided by N",
        "loss",
        of_loss(lambda dy, p, q, onehot, real, n: dy * (p - q) * real),
        TOKENS,
    ),
    (
        "padding counted",
        "loss",
        of_loss(lambda dy, p, q, onehot, real, n: dy * (p - q) / n),
        PADDING,
    ),
    (
        "smoothing forgotten",
        "loss",
        of_loss(lambda dy, p, q, onehot, real, n: dy * (p - onehot) * real / n),
        "",
    ),
    ("dy ignored", "loss", of_loss(lambda dy, p, q, onehot, real, n: (p - q) * real / n), NO_DY),
    (
        "residual forgotten",
        "residual",
        lambda m, dy, x: {DX: dy @ m.linear.weight.data.T},
        NO_RESIDUAL,
    ),
    ("not masked", "Dropout", lambda m, dy, scale: {DX: dy}, DY),
    ("not scaled", "Dropout", lambda m, dy, scale: {DX: dy * (scale > 0)}, SCALE),
    ("repeated ids overwritten", "Embedding", overwritten, REPEATED),
    (
        "without sqrt(d_model)",
        "Embedding",
        lambda m, dy, ids: {"table": of_rows(ids, dy)},
        INVERSE_6,
    ),
    (
        "bias without a gradient",
        "Linear",
        lambda m, dy, x: {"bias": np.zeros(D)},
        "is 0 everywhere",
    ),
    ("weight not transposed", "Linear", lambda m, dy, x: {DX: dy @ m.weight.data}, TRANSPOSE),
    (
        "gradient of the weight transposed",
        "Linear",
        lambda m, dy, x: {"weight": of_weight(dy, x)},
        ORDER,
    ),
    ("mean over the batch", "Linear", lambda m, dy, x: {"weight": of_weight(x, dy) / len(x)}, MEAN),
    ("ReLU by the sign of dy", "ReLU", lambda m, dy, y: {DX: dy * (dy > 0)}, ""),
    ("slope of x sigmoid(1.702 x)", "GELU", sigmoid_slope, ""),
    (
        "heads not merged",
        "heads",
        lambda m, dy, x: {
            DX: (heads(dy)[..., ::-1] * (1 - np.tanh(heads(x)) ** 2)).reshape(dy.shape)
        },
        ORDER,
    ),
    ("scale of x forgotten", "positions", lambda m, dy: {DX: dy}, f"{INVERSE_6}; also {DY}"),
    (
        "part of the embedding missing",
        "tied",
        lambda m, dy, ids, h: {"table": of_weight(dy, h)},
        PRESENT,
    ),
)
