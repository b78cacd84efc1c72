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
# One id is special. Id 0 is *padding*: it fills short sentences up to the length of the batch, and
# means nothing. We agree that it is looked up like any other word. (That no word attends to it is
# the work of a mask, in a later exercise.)
#
# One number at a time:

# %%
import math

import numpy as np


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


# %% [markdown]
# ## Your turn
#
# Write it without loops over positions. (In this course loops of any kind are accepted, over
# features too.) It is one line, for NumPy takes a whole array of ids between the brackets: print
# `np.array([10, 20, 30])[np.array([[2, 0], [2, 2]])]` before you write.


# %%
def embed(ids, table):
    """Look up the row of each id, times the root of d_model.

    ids (B, T), integers from 0 to V - 1; table (V, D). Returns y (B, T, D). The inputs are not
    changed.
    """
    # BEGIN SOLUTION
    d_model = table.shape[1]
    return table[ids] * d_model**0.5
    # END SOLUTION
