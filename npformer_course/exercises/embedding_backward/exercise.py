# %% [markdown]
# # Embedding, backwards
#
# Forward, each id took its row of the table, times a root (section 3.4 of the paper):
#
# $$y_{b,t} = \sqrt{D}\;\, E_{id_{b,t}}, \qquad E \text{ of shape } (V, D)$$
#
# An id has no gradient: there is no word 2.01. The table has one. Row $w$ of it was used wherever
# the id was $w$, perhaps at many places in many sentences, perhaps at none, and at each place it
# went through the root:
#
# $$dE_w = \sqrt{D} \sum_{b,t \,:\; id_{b,t} = w} dy_{b,t}$$
#
# One row is special. Id 0 is *padding*: it fills short sentences up to the length of the batch, and
# means nothing. Forward looked it up like any other word. We agree that in backward the row of
# padding gets no gradient, whatever `dy` holds there: `dtable[0]` is 0.
#
# One number at a time:

# %%
import math

import numpy as np

PAD = 0


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
# Write it without loops over positions (loops of any kind are accepted, over words and features
# too). It has a trap. The `+=` of the slow loop runs once a place. What does `+=` do when NumPy
# gets all the places at once, and an id stands among them twice? Try `a = np.zeros(3);
# a[np.array([1, 1, 1])] += 1; print(a)` before you write, and read the docstring of `np.add.at`. A
# product with a matrix of zeros and ones does it too.


# %%
def embed_backward(dy, ids, vocab_size):
    """Return dtable (V, D), the gradient of the table, V = vocab_size.

    The row of padding, id 0, gets none. dy (B, T, D): the gradient of `embed`'s result. ids (B, T),
    integers from 0 to V - 1. The inputs are not changed.
    """
    # BEGIN SOLUTION
    D = dy.shape[-1]
    into = np.zeros((vocab_size, D))
    np.add.at(into, ids, dy)
    into *= math.sqrt(D)
    into[PAD] = 0
    return into
    # END SOLUTION
