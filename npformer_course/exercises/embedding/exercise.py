# %% [markdown]
# # Embedding
#
# A sentence comes as numbers of words, its *ids*: (7, 2, 7). Numbers of words are names. Word 7 is
# not "more" than word 2, so nothing may be computed with them. Instead, a table holds a learned row
# of $D$ features for each of the $V$ words of the vocabulary, and an id says which row to take.
# Section 3.4 of the paper adds a factor:
#
# $$y_{b,t} = \sqrt{d_{model}}\;\, E_{id_{b,t}}, \qquad E \text{ of shape } (V, D), \quad d_{model} = D$$
#
# Why the root? The same table also scores words at the other end of the model, and for that its
# numbers must be small, about $1/\sqrt{D}$ each. As inputs they would then be drowned by the
# positions that are added next, whose numbers are of size 1. The root makes them loud enough.
#
# **Backwards.** An id has no gradient: there is no word 2.01. The table has one. Row $w$ of it was
# used wherever the id was $w$, perhaps at many places in many sentences, perhaps at none, and at
# each place it went through the root:
#
# $$dE_w = \sqrt{D} \sum_{b,t \,:\; id_{b,t} = w} dy_{b,t}$$
#
# One row is special. Id 0 is *padding*: it fills short sentences up to the length of the batch, and
# means nothing. We agree that in `embed` it is looked up like any other word, and that in backward
# the row of padding gets no gradient, whatever `dy` holds there: `dtable[0]` is 0.
#
# One number at a time:

# %%
import math

import numpy as np

PAD = 0


def embed_slowly(ids, table):
    """The same as `embed` below, by loops."""
    B, T = ids.shape
    D = table.shape[1]
    y = np.zeros((B, T, D))
    for b in range(B):
        for t in range(T):
            for i in range(D):
                y[b, t, i] = math.sqrt(D) * table[ids[b, t], i]
    return y


def embed_backward_slowly(dy, ids, vocab_size):
    """The same as `embed_backward` below, by loops."""
    B, T, D = dy.shape
    dtable = np.zeros((vocab_size, D))
    for b in range(B):
        for t in range(T):
            if ids[b, t] == PAD:
                continue
            for i in range(D):
                dtable[ids[b, t], i] += math.sqrt(D) * dy[b, t, i]
    return dtable


# %% [markdown]
# ## Your turn
#
# Both without loops over positions (in this course loops of any kind are accepted, over words and
# features too). Forward is one line, for NumPy takes a whole array of ids between the brackets.
#
# Backward has a trap. The `+=` of the slow loop runs once a place. What does `+=` do when NumPy
# gets all the places at once, and an id stands among them twice? Try `a = np.zeros(3);
# a[np.array([1, 1, 1])] += 1; print(a)` before you write, and read the docstring of `np.add.at`. A
# product with a matrix of zeros and ones does it too.


# %%
def embed(ids, table):
    """Look up the row of each id, times the root of d_model.

    ids (B, T), integers from 0 to V - 1; table (V, D). Returns y (B, T, D). The inputs are not
    changed.
    """
    # BEGIN SOLUTION
    d_model = table.shape[1]
    return table[ids] * math.sqrt(d_model)
    # END SOLUTION


def embed_backward(dy, ids, vocab_size):
    """Return dtable (V, D), the gradient of the table, V = vocab_size.

    The row of padding, id 0, gets none. dy (B, T, D): the gradient of `embed`'s result. ids (B, T).
    The inputs are not changed.
    """
    # BEGIN SOLUTION
    D = dy.shape[-1]
    into = np.zeros((vocab_size, D), dy.dtype)
    np.add.at(into, ids, dy)
    into *= math.sqrt(D)
    into[PAD] = 0
    return into
    # END SOLUTION
