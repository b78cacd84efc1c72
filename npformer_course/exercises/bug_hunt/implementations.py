"""What the student's tests are run on: functions that are right in two styles, or wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .exercise import build


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


def split_heads(x, n_heads):
    B, T, D = x.shape
    return x.reshape(B, T, n_heads, D // n_heads).transpose(0, 2, 1, 3)


def average_backward(dy, weights, keep, value):
    dropped = dy @ value.swapaxes(-1, -2)
    return dropped * keep, (weights * keep).swapaxes(-1, -2) @ dy


def embedding_backward(dy, ids, vocab_size):
    D = dy.shape[-1]
    dtable = np.zeros((vocab_size, D))
    np.add.at(dtable, ids, dy * np.sqrt(D))
    return dtable


def tied_backward(dx, ids, dlogits, y):
    D = y.shape[-1]
    V = dlogits.shape[-1]
    dtable = np.zeros((V, D))
    np.add.at(dtable, ids, dx * np.sqrt(D))
    dtable += dlogits.reshape(-1, V).T @ y.reshape(-1, D)
    return dtable


# the same in another style
def layer_norm_backward_otherwise(dy, xhat, rstd, gain):
    D = len(gain)
    slope = np.eye(D) - 1 / D - np.einsum("bti,btj->btij", xhat, xhat) / D
    dx = np.einsum("bti,btij->btj", dy * gain, slope) * rstd
    return dx, np.einsum("btd,btd->d", dy, xhat), np.einsum("btd->d", dy)


def softmax_backward_otherwise(dy, y):
    dx = np.empty_like(dy)
    for b in range(len(y)):
        dx[b] = (np.diag(y[b]) - np.outer(y[b], y[b])) @ dy[b]
    return dx


def split_heads_otherwise(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=1)


def split_heads_by_loops(x, n_heads):
    B, T, D = x.shape
    width = D // n_heads
    y = np.zeros((B, n_heads, T, width), x.dtype)
    for d in range(D):
        y[:, d // width, :, d % width] = x[:, :, d]
    return y


def average_backward_otherwise(dy, weights, keep, value):
    dweights = np.einsum("btk,bsk,bts->bts", dy, value, keep)
    return dweights, np.einsum("bts,bts,btk->bsk", weights, keep, dy)


def embedding_backward_otherwise(dy, ids, vocab_size):
    one_hot = np.eye(vocab_size)[ids]
    return dy.shape[-1] ** 0.5 * np.einsum("btv,btd->vd", one_hot, dy)


def tied_backward_otherwise(dx, ids, dlogits, y):
    dtable = np.einsum("btv,btd->vd", dlogits, y)
    for place in np.ndindex(ids.shape):
        dtable[ids[place]] += dx[place] * y.shape[-1] ** 0.5
    return dtable


RIGHT = {
    "layer_norm_backward": (layer_norm_backward, layer_norm_backward_otherwise),
    "softmax_backward": (softmax_backward, softmax_backward_otherwise),
    "split_heads": (split_heads, split_heads_otherwise),
    "average_backward": (average_backward, average_backward_otherwise),
    "embedding_backward": (embedding_backward, embedding_backward_otherwise),
    "tied_backward": (tied_backward, tied_backward_otherwise),
}


def rounded_differently(x):
    """Move numbers by up to 1e-10 of the largest."""
    return x + 1e-10 * np.abs(x).max() * np.cos(np.arange(x.size)).reshape(x.shape)


def doubled(x):
    return 2 * x


def with_changed_results(function, change):
    """Return a function whose results are those of `function`, each changed."""

    def changed(*args, **keywords):
        results = function(*args, **keywords)
        if isinstance(results, tuple):
            return tuple(change(result) for result in results)
        return change(results)

    return changed


def implementations(name: str) -> list[Callable]:
    """Return the six on which a test is run, three right ones first."""
    right, otherwise = RIGHT[name]
    # split_heads only moves numbers, so nothing is rounded
    third = with_changed_results(right, rounded_differently)
    if name == "split_heads":
        third = split_heads_by_loops

    return [
        right,
        otherwise,
        third,
        build(name),
        with_changed_results(right, doubled),
        with_changed_results(right, np.ones_like),
    ]
