# %% [markdown]
# # Scaled dot-product attention
#
# Every word asks a question (its query), every word offers a key, by which it is found, and a
# value, which is what it has to say. The answer to a query is an average of the values, weighted by
# how well the keys fit. Section 3.2.1 of the paper, equation 1, figure 2 on the left:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}\right) V$$
#
# The softmax runs over the keys: each query has one whole attention to give away. The arrays have
# these shapes, and you meet them in every exercise from here on:
#
# - `q` $(B, H, T, d_k)$: in each of $B$ sentences, for each of $H$ heads, $T$ queries of $d_k$
#   numbers,
# - `k` $(B, H, S, d_k)$ and `v` $(B, H, S, d_v)$: $S$ keys, and a value for each; $d_v$ may differ
#   from $d_k$,
# - `mask` $(B, 1, T, S)$: booleans, True = may attend, the same for all heads.
#
# Heads know nothing of each other. What happens in one does not depend on how many there are, nor
# on the width $d_{model}$ of the whole model, which is usually $H \cdot d_k$.
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


def attention_slowly(q, k, v, mask):
    """The same as `attention` below, by loops."""
    B, H, T, d_k = q.shape
    S, d_v = v.shape[2:]
    mask = np.broadcast_to(mask, (B, H, T, S))
    y, weights = np.zeros((B, H, T, d_v)), np.zeros((B, H, T, S))
    for b in range(B):
        for h in range(H):
            for t in range(T):
                powers = np.zeros(S)
                for s in range(S):
                    if mask[b, h, t, s]:
                        powers[s] = math.exp(sum(q[b, h, t] * k[b, h, s]) / math.sqrt(d_k))
                if mask[b, h, t].any():
                    weights[b, h, t] = powers / sum(powers)
                for s in range(S):
                    y[b, h, t] += weights[b, h, t, s] * v[b, h, s]
    return y, weights


# %% [markdown]
# The softmax of the last exercise, for you to use. Hidden places get a weight of 0, and a row
# without any True has weights of 0 throughout.


# %%
def masked_softmax(x, mask):
    """Return softmax of x (..., S) over the last axis, where mask is True, and 0 elsewhere.

    mask broadcasts to x.
    """
    x = np.where(mask, x, -np.inf)
    largest = x.max(-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-30)


# %% [markdown]
# ## Your turn
#
# Without loops: `@` multiplies the last two axes and lets the leading ones pass. Return the weights
# as well: they are what one looks at in pictures of attention, and backward will want them.


# %%
def attention(q, k, v, mask):
    """Return the result of scaled dot-product attention and its weights, in this order.

    They are y (B, H, T, d_v) and weights (B, H, T, S), of q (B, H, T, d_k), k (B, H, S, d_k) and v
    (B, H, S, d_v). mask: booleans, always (B, 1, T, S), True = may attend. A query that may attend
    to nothing has weights of 0 and a result of 0. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ v, weights
    # END SOLUTION
