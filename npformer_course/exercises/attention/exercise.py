# %% [markdown]
# # Scaled dot-product attention
#
# You have written scores of one query, softmax, and a weighted mean. Attention is these three in a
# row, for all queries at once, with a division in between. Every word asks a question (its query),
# every word offers a key, by which it is found, and a value, which is what it has to say. The
# answer to a query is an average of the values, weighted by how well the keys fit. Section 3.2.1 of
# the paper, equation 1, figure 2 on the left:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V$$
#
# The softmax runs over the keys: each query has one whole attention to give away. The arrays have
# these shapes:
#
# - `q` $(B, T, d_k)$: in each of $B$ sentences $T$ queries of $d_k$ numbers,
# - `k` $(B, S, d_k)$ and `v` $(B, S, d_v)$: $S$ keys, and a value for each; $d_v$ may differ from
#   $d_k$.
#
# Only the last two axes take part. Whatever is in front of them, the same in all three arrays, is
# free: with one sentence there is nothing, and from the next exercise on $(B, H)$, sentences and
# heads.
#
# **Why divide?** A dot product of $d_k$ independent numbers of variance 1 with $d_k$ others is a
# sum of $d_k$ such products: its variance is $d_k$. Without the root, wide keys would make large
# scores, softmax would give nearly everything to one key, and hardly any gradient would come back.
# Notebook 03 measures it.
#
# Here is equation 1, one query at a time:

# %%
import math

import numpy as np


def attention_slowly(q, k, v):
    """The same as `attention` below by loops, for q (B, T, d_k), k (B, S, d_k), v (B, S, d_v)."""
    B, T, d_k = q.shape
    S, d_v = v.shape[1:]
    y, weights = np.zeros((B, T, d_v)), np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            powers = np.zeros(S)
            for s in range(S):
                powers[s] = math.exp(sum(q[b, t] * k[b, s]) / math.sqrt(d_k))
            weights[b, t] = powers / sum(powers)
            for s in range(S):
                y[b, t] += weights[b, t, s] * v[b, s]
    return y, weights


# %% [markdown]
# The softmax of the last exercise, for you to use:


# %%
def softmax(x):
    """Return softmax of x (..., S) over the last axis."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


# %% [markdown]
# ## Your turn
#
# Without loops: `@` multiplies the last two axes and lets the leading ones pass. Return the weights
# as well: they are what one looks at in pictures of attention, and backward will want them.


# %%
def attention(q, k, v):
    """Return the result of scaled dot-product attention and its weights, in this order.

    They are y (..., T, d_v) and weights (..., T, S), of q (..., T, d_k), k (..., S, d_k) and v
    (..., S, d_v). The axes before the last two are the same in q, k and v; there may be none. None
    of the inputs is changed.
    """
    # BEGIN SOLUTION
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = softmax(scores)
    return weights @ v, weights
    # END SOLUTION
