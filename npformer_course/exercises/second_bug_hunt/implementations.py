"""What the student's tests are run on: functions that are right in two styles, or wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..bug_hunt.verdicts import six_implementations
from .exercise import build


# as the text of the exercise has them, without the bugs
def split_heads(x, n_heads):
    B, T, D = x.shape
    return x.reshape(B, T, n_heads, D // n_heads).transpose(0, 2, 1, 3)


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
def split_heads_otherwise(x, n_heads):
    return np.stack(np.split(x, n_heads, axis=-1), axis=1)


def split_heads_by_loops(x, n_heads):
    B, T, D = x.shape
    width = D // n_heads
    y = np.zeros((B, n_heads, T, width), x.dtype)
    for d in range(D):
        y[:, d // width, :, d % width] = x[:, :, d]
    return y


def embedding_backward_otherwise(dy, ids, vocab_size):
    # not rows of np.eye(vocab_size): a test may have a large vocabulary
    one_hot = ids[..., None] == np.arange(vocab_size)
    return dy.shape[-1] ** 0.5 * np.einsum("btv,btd->vd", one_hot, dy)


def tied_backward_otherwise(dx, ids, dlogits, y):
    dtable = np.einsum("btv,btd->vd", dlogits, y)
    for place in np.ndindex(ids.shape):
        dtable[ids[place]] += dx[place] * y.shape[-1] ** 0.5
    return dtable


RIGHT = {
    "split_heads": (split_heads, split_heads_otherwise),
    "embedding_backward": (embedding_backward, embedding_backward_otherwise),
    "tied_backward": (tied_backward, tied_backward_otherwise),
}


def implementations(name: str) -> list[Callable]:
    """Return the six on which a test is run, three right ones first."""
    right, otherwise = RIGHT[name]
    # split_heads only moves numbers, so nothing is rounded
    third = split_heads_by_loops if name == "split_heads" else None
    return six_implementations(right, otherwise, build(name), third)
