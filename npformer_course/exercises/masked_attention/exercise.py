# %% [markdown]
# # Attention under a mask
#
# Equation 1 of section 3.2.1 lets every query look at every key. Not every look is allowed: nobody
# may look at padding, and in a decoder nobody may look at words that are still to be written. Your
# masks say who may look at whom, and your softmax under a mask gives a hidden place the weight 0.
# Now put them where they belong:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^T}{\sqrt{d_k}}
#   \text{ under the mask}\right) V$$
#
# The arrays are those of a whole layer:
#
# - `q` $(B, H, T, d_k)$: in each of $B$ sentences, for each of $H$ heads, $T$ queries of $d_k$
#   numbers,
# - `k` $(B, H, S, d_k)$ and `v` $(B, H, S, d_v)$: $S$ keys, and a value for each,
# - `mask` $(B, 1, T, S)$: booleans, True = may attend, the same for all heads. A mask $(B, T, S)$
#   becomes this by `mask[:, None]`: the axis of length 1 stands where $H$ stands. Where all queries
#   may look at the same keys, as with padding, it is $(B, 1, 1, S)$.
#
# Heads know nothing of each other. What happens in one does not depend on how many there are, nor
# on the width $d_{model}$ of the whole model, which is usually $H \cdot d_k$.
#
# Mind the order. A mask on finished weights would take attention away from the hidden places and
# give it to nobody: the weights of the others would not sum to 1. Under the mask, the places that
# can be seen share the whole. A query that may attend to nothing has weights of 0 throughout, and
# so a result of 0.
#
# Here it is, one query at a time:

# %%
import math

import numpy as np


def masked_attention_slowly(q, k, v, mask):
    """The same as `masked_attention` below, by loops."""
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
# ## The mask of all heads
#
# Some programs do not keep $B$ and $H$ apart, but fold them into one axis of $B \cdot H$: entry
# $bH + h$ is head $h$ of sentence $b$, so the heads of one sentence stand together. (PyTorch's
# `nn.MultiheadAttention` is one of them.) Every head of a sentence has that sentence's mask. So a
# mask $(B, T, S)$ must be repeated to $(B \cdot H, T, S)$, in the same order. In a wrong order the
# first sentence is read under the second one's mask.


# %%
def mask_of_heads_slowly(mask, n_heads):
    """The same as `mask_of_heads` below, by loops."""
    B, T, S = mask.shape
    repeated = np.zeros((B * n_heads, T, S), dtype=bool)
    for b in range(B):
        for h in range(n_heads):
            repeated[b * n_heads + h] = mask[b]
    return repeated


# %% [markdown]
# ## Your turn
#
# Both without loops.


# %%
def masked_attention(q, k, v, mask):
    """Return the result of scaled dot-product attention and its weights, in this order.

    They are y (B, H, T, d_v) and weights (B, H, T, S), of q (B, H, T, d_k), k (B, H, S, d_k) and v
    (B, H, S, d_v). mask: booleans, (B, 1, T, S) or (B, 1, 1, S), True = may attend. A query that
    may attend to nothing has weights of 0 and a result of 0. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    weights = masked_softmax(scores, mask)
    return weights @ v, weights
    # END SOLUTION


# %%
def mask_of_heads(mask, n_heads):
    """Return the mask for heads folded into the batch: booleans (B * H, T, S), where H = n_heads.

    mask: booleans (B, T, S). Entry b * H + h of the result is the mask of sentence b. mask is not
    changed.
    """
    # BEGIN SOLUTION
    return np.repeat(mask, n_heads, axis=0)
    # END SOLUTION
