"""Wrong backwards as people publish them, one mistake each, and what a gradient check says about them.

A layer here is a forward, which returns y and what backward needs, and its right gradients by name. Both read arrays
and settings from a namespace. A wrong backward replaces one or two of the gradients.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from npformer import Module, Parameter

B, T, S, H, D_K, D, V = 3, 4, 5, 2, 3, 6, 8
DX, DK, DV = "input 0", "input 1", "input 2"


class Layer(Module):
    """A layer with the gradients of `right`, of which those that `wrong` returns are replaced."""

    def __init__(self, wrong, rng=None, **settings):
        self.wrong, self.rng = wrong, rng
        for name, value in settings.items():
            setattr(self, name, Parameter(value) if isinstance(value, np.ndarray) else value)

    def forward(self, *inputs):
        parameters = {name: parameter.data for name, parameter in self.named_parameters()}
        y, cache = self.compute(SimpleNamespace(**{**vars(self), **parameters}), *inputs)
        return self.remember(y, SimpleNamespace(**{**vars(self), **parameters, **cache}))

    def backward(self, dy):
        (c,) = self.recall(dy)
        c.dy = dy
        gradients = self.right(c) | self.wrong(c)
        for name, parameter in self.named_parameters():
            parameter.grad += gradients[name]
        return tuple(gradients.get(f"input {i}") for i in range(3))


def mean(x):
    return x.mean(-1, keepdims=True)


def total(x):
    return x.sum(-1, keepdims=True)


def transposed(x):
    return x.swapaxes(-1, -2)


def softmax(x):
    y = np.exp(x - x.max(-1, keepdims=True))
    return y / total(y)


def of_weight(x, dy):
    return np.einsum("bti,btj->ij", x, dy)


def of_rows(ids, dy):
    rows = np.zeros((V, D))
    np.add.at(rows, ids, dy)
    return rows


def of_last_rows(ids, dy):
    rows = np.zeros((V, D))
    rows[ids] = dy
    return rows


class LayerNorm(Layer):
    def compute(self, c, x, ddof=0):
        rstd = 1 / np.sqrt(x.var(-1, ddof=ddof, keepdims=True) + c.eps)
        xhat = (x - mean(x)) * rstd
        return c.gain * xhat + c.bias, {"x": x, "xhat": xhat, "rstd": rstd}

    def right(self, c):
        c.d = c.dy * c.gain
        return {DX: norm(c, c.d), "gain": (c.dy * c.xhat).sum((0, 1)), "bias": c.dy.sum((0, 1))}


def norm(c, d):
    return c.rstd * (d - mean(d) - c.xhat * mean(d * c.xhat))


def unbiased(c):
    return {DX: norm(SimpleNamespace(**LayerNorm.compute(None, c, c.x, ddof=1)[1]), c.d)}


class Softmax(Layer):
    def compute(self, c, x):
        y = softmax(x)
        return y, {"y": y}

    def right(self, c):
        return {DX: c.y * (c.dy - total(c.dy * c.y))}


class Attention(Layer):
    """softmax(q k^T / sqrt(d_k)) v, where the mask hides weights after the softmax."""

    def compute(self, c, q, k, v, mask):
        w = softmax(q @ transposed(k) / np.sqrt(D_K))
        return (w * mask) @ v, {"q": q, "k": k, "v": v, "mask": mask, "w": w}

    def right(self, c):
        c.ds = dscores(c, c.mask)
        return of_scores(c, c.ds) | {DV: transposed(c.w * c.mask) @ c.dy}


def dscores(c, mask):
    dw = c.dy @ transposed(c.v) * mask
    return c.w * (dw - total(dw * c.w)) / np.sqrt(D_K)


def of_scores(c, ds):
    return {DX: ds @ c.k, DK: transposed(ds) @ c.q}


class CrossEntropy(Layer):
    def compute(self, c, logits, ids):
        real, p, onehot = (ids != 0)[..., None], softmax(logits), np.eye(V)[ids]
        q, n = (1 - c.eps) * onehot + c.eps / V, real.sum()
        return -(q * np.log(p) * real).sum() / n, {"p": p, "q": q, "onehot": onehot, "real": real, "n": n}

    def right(self, c):
        return {DX: c.dy * (c.p - c.q) * c.real / c.n}


class Residual(Layer):
    """x + tanh(x W)."""

    def compute(self, c, x):
        h = np.tanh(x @ c.w)
        return x + h, {"x": x, "h": h}

    def right(self, c):
        c.dh = c.dy * (1 - c.h**2)
        return {DX: c.dy + c.dh @ c.w.T, "w": of_weight(c.x, c.dh)}


class Dropout(Layer):
    def compute(self, c, x):
        kept = self.rng.random(x.shape) >= c.p
        return x * kept / (1 - c.p), {"kept": kept}

    def right(self, c):
        return {DX: c.dy * c.kept / (1 - c.p)}


class Embedding(Layer):
    def compute(self, c, ids):
        return c.table[ids] * np.sqrt(D), {"ids": ids}

    def right(self, c):
        return {"table": of_rows(c.ids, c.dy * np.sqrt(D))}


class Linear(Layer):
    def compute(self, c, x):
        return x @ c.w + c.b, {"x": x}

    def right(self, c):
        return {DX: c.dy @ c.w.T, "w": of_weight(c.x, c.dy), "b": c.dy.sum((0, 1))}


class FeedForward(Layer):
    def compute(self, c, x):
        h = np.maximum(x @ c.w1, 0)
        return h @ c.w2, {"x": x, "h": h}

    def right(self, c):
        return of_hidden(c, c.dy @ c.w2.T * (c.h > 0)) | {"w2": of_weight(c.h, c.dy)}


def of_hidden(c, dh):
    return {DX: dh @ c.w1.T, "w1": of_weight(c.x, dh)}


class GELU(Layer):
    def compute(self, c, x):
        u = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
        return 0.5 * x * (1 + u), {"x": x, "u": u, "s": 1 / (1 + np.exp(-1.702 * x))}

    def right(self, c):
        return {DX: c.dy * 0.5 * (1 + c.u + c.x * (1 - c.u**2) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * c.x**2))}


class Heads(Layer):
    """x is split into heads, each is multiplied by its own matrix, and the heads are merged."""

    def compute(self, c, x):
        return merged(heads(x) @ c.w), {"x": x}

    def right(self, c):
        dw = np.einsum("bhti,bhtj->hij", heads(c.x), heads(c.dy))
        return {DX: merged(heads(c.dy) @ transposed(c.w)), "w": dw}


def heads(x):
    return x.reshape(*x.shape[:2], H, D_K).swapaxes(1, 2)


def merged(x):
    return x.swapaxes(1, 2).reshape(len(x), -1, D)


class Positions(Layer):
    def compute(self, c, x):
        return x * np.sqrt(D) + np.sin(np.arange(x.shape[1]))[:, None], {}

    def right(self, c):
        return {DX: c.dy * np.sqrt(D)}


class Tied(Layer):
    """The embedding matrix is that of the generator, too."""

    def compute(self, c, ids):
        h = np.tanh(c.table[ids])
        return h @ c.table.T, {"ids": ids, "h": h}

    def right(self, c):
        return {"table": of_weight(c.dy, c.h) + of_rows(c.ids, c.dy @ c.table * (1 - c.h**2))}


def make(kind, wrong=lambda c: {}):
    """Return a layer and the inputs of its forward."""
    rng = np.random.default_rng(7)
    ids = np.array([[1, 2, 2, 5], [3, 1, 5, 0], [6, 2, 0, 0]])
    x, square, table = rng.normal(size=(B, T, D)), rng.normal(size=(D, D)), rng.normal(size=(V, D))
    qkv = rng.normal(size=(B, T, D_K)), rng.normal(size=(B, S, D_K)), rng.normal(size=(B, S, D))
    settings = {
        LayerNorm: {"gain": rng.normal(size=D), "bias": rng.normal(size=D), "eps": 1e-5},
        CrossEntropy: {"eps": 0.1},
        Residual: {"w": square},
        Dropout: {"p": 0.4, "rng": rng},
        Embedding: {"table": table},
        Linear: {"w": square, "b": rng.normal(size=D)},
        FeedForward: {"w1": table.T.copy(), "w2": table},
        Heads: {"w": rng.normal(size=(H, D_K, D_K))},
        Tied: {"table": table},
    }
    inputs = {
        Attention: (*qkv, rng.random((B, T, S)) > 0.3),
        CrossEntropy: (rng.normal(size=(B, T, V)), ids),
        Embedding: (ids,),
        Tied: (ids,),
    }
    return kind(wrong, **settings.get(kind, {})), inputs.get(kind, (x,))


class WrongBackward(NamedTuple):
    """A layer, the wrong gradients in its backward, and the finding about each of them: "" where there is none."""

    name: str
    layer: type[Layer]
    wrong: Callable[[SimpleNamespace], dict]
    finding: str


A_MEAN = "differs in each row by a multiple of 1, as if a mean were wrong"
PROJECTION = "differs in each row by a multiple of x - mean(x), as if the projection on it were wrong"
BOTH = "differs in each row by multiples of 1 and of x - mean(x), as if mean and projection were wrong"
TRANSPOSE = "is J dy, not J^T dy: a transpose is missing"
GAIN_LAST = "is right for dy / gain, times gain: gain is used after the sums, not before; also " + TRANSPOSE
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

CASES = (
    ("no mean term", LayerNorm, lambda c: {DX: norm(c, c.d) + c.rstd * mean(c.d)}, A_MEAN),
    ("no projection", LayerNorm, lambda c: {DX: c.rstd * (c.d - mean(c.d))}, PROJECTION),
    ("neither of them", LayerNorm, lambda c: {DX: c.rstd * c.d}, BOTH),
    ("sums, not means", LayerNorm, lambda c: {DX: c.rstd * (c.d - total(c.d) - c.xhat * total(c.d * c.xhat))}, BOTH),
    ("gain after the sums", LayerNorm, lambda c: {DX: c.gain * norm(c, c.dy)}, GAIN_LAST),
    ("gain missing", LayerNorm, lambda c: {DX: norm(c, c.dy)}, NO_GAIN),
    ("variance by D - 1", LayerNorm, unbiased, ""),
    ("gain's gradient from x", LayerNorm, lambda c: {"gain": (c.dy * c.x).sum((0, 1))}, ""),
    ("diagonal only", Softmax, lambda c: {DX: c.y * (1 - c.y) * c.dy}, DIAGONAL),
    ("wrong sign", Softmax, lambda c: {DX: c.y * (total(c.dy * c.y) - c.dy)}, SIGN),
    ("no subtraction", Softmax, lambda c: {DX: c.y * c.dy}, SUM_OF_Y),
    ("sum over another axis", Softmax, lambda c: {DX: c.y * (c.dy - (c.dy * c.y).sum(1, keepdims=True))}, ""),
    ("no scale", Attention, lambda c: of_scores(c, c.ds * np.sqrt(D_K)), ROOT_3),
    ("scale twice", Attention, lambda c: of_scores(c, c.ds / np.sqrt(D_K)), INVERSE_3),
    ("diagonal of the softmax", Attention, lambda c: of_scores(c, c.w * (1 - c.w) * (c.dy @ transposed(c.v))), ""),
    ("mask ignored", Attention, lambda c: of_scores(c, dscores(c, 1)), ""),
    ("keys not transposed", Attention, lambda c: {DK: (transposed(c.q) @ c.ds).reshape(c.k.shape)}, ORDER),
    ("not divided by N", CrossEntropy, lambda c: {DX: c.dy * (c.p - c.q) * c.real}, TOKENS),
    ("padding counted", CrossEntropy, lambda c: {DX: c.dy * (c.p - c.q) / c.n}, PADDING),
    ("smoothing forgotten", CrossEntropy, lambda c: {DX: c.dy * (c.p - c.onehot) * c.real / c.n}, ""),
    ("dy ignored", CrossEntropy, lambda c: {DX: (c.p - c.q) * c.real / c.n}, NO_DY),
    ("residual forgotten", Residual, lambda c: {DX: c.dh @ c.w.T}, NO_RESIDUAL),
    ("not masked", Dropout, lambda c: {DX: c.dy}, DY),
    ("not scaled", Dropout, lambda c: {DX: c.dy * c.kept}, SCALE),
    ("repeated ids overwritten", Embedding, lambda c: {"table": of_last_rows(c.ids, c.dy * np.sqrt(D))}, REPEATED),
    ("without sqrt(d_model)", Embedding, lambda c: {"table": of_rows(c.ids, c.dy)}, INVERSE_6),
    ("bias without a gradient", Linear, lambda c: {"b": 0}, "is 0 everywhere"),
    ("weight not transposed", Linear, lambda c: {DX: c.dy @ c.w}, TRANSPOSE),
    ("weight's gradient transposed", Linear, lambda c: {"w": of_weight(c.dy, c.x)}, ORDER),
    ("mean over the batch", Linear, lambda c: {"w": of_weight(c.x, c.dy) / len(c.x)}, MEAN),
    ("ReLU by the gradient's sign", FeedForward, lambda c: of_hidden(c, np.maximum(c.dy @ c.w2.T, 0)), ""),
    ("slope of x sigmoid(1.702 x)", GELU, lambda c: {DX: c.dy * c.s * (1 + 1.702 * c.x * (1 - c.s))}, ""),
    ("heads not merged", Heads, lambda c: {DX: (heads(c.dy) @ transposed(c.w)).reshape(c.dy.shape)}, ORDER),
    ("scale of x forgotten", Positions, lambda c: {DX: c.dy}, f"{INVERSE_6}; also {DY}"),
    ("embedding's part missing", Tied, lambda c: {"table": of_weight(c.dy, c.h)}, PRESENT),
)
WRONG_BACKWARDS = [WrongBackward(*case) for case in CASES]
