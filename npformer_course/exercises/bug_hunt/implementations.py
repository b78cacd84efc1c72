"""What the student's tests are run on: functions that are right in two styles, or wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .exercise import build
from .verdicts import six_implementations


# as the text of the exercise has them, without the bugs
def layer_norm_backward(dy, xhat, rstd, gain):
    dgain = (dy * xhat).sum((0, 1))
    dbias = dy.sum((0, 1))
    dxhat = dy * gain
    along_ones = dxhat.mean(-1, keepdims=True)
    along_xhat = (dxhat * xhat).mean(-1, keepdims=True)
    dx = rstd * (dxhat - along_ones - xhat * along_xhat)
    return dx, dgain, dbias


def softmax_backward(dy, y):
    total = (dy * y).sum(-1, keepdims=True)
    return y * (dy - total)


def average_backward(dy, weights, keep, value):
    dropped = dy @ value.swapaxes(-1, -2)
    return dropped * keep, (weights * keep).swapaxes(-1, -2) @ dy


# the same in another style
def layer_norm_backward_otherwise(dy, xhat, rstd, gain):
    D = len(gain)
    slope = np.eye(D) - 1 / D - np.einsum("bti,btj->btij", xhat, xhat) / D
    dx = np.einsum("bti,btij->btj", dy * gain, slope) * rstd
    return dx, np.einsum("btd,btd->d", dy, xhat), np.einsum("btd->d", dy)


def softmax_backward_otherwise(dy, y):
    dx = np.empty(dy.shape)  # of floats, also where a test's dy is of integers
    for b in range(len(y)):
        dx[b] = (np.diag(y[b]) - np.outer(y[b], y[b])) @ dy[b]
    return dx


def average_backward_otherwise(dy, weights, keep, value):
    dweights = np.einsum("btk,bsk,bts->bts", dy, value, keep)
    return dweights, np.einsum("bts,bts,btk->bsk", weights, keep, dy)


RIGHT = {
    "layer_norm_backward": (layer_norm_backward, layer_norm_backward_otherwise),
    "softmax_backward": (softmax_backward, softmax_backward_otherwise),
    "average_backward": (average_backward, average_backward_otherwise),
}


def implementations(name: str) -> list[Callable]:
    """Return the six on which a test is run, three right ones first."""
    right, otherwise = RIGHT[name]
    return six_implementations(right, otherwise, build(name))
