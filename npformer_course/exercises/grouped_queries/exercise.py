# %% [markdown]
# # Grouped queries
#
# A model that writes keeps the keys and values of all tokens so far, of every head in every layer.
# For a long text this cache is larger than the model, and for each new token all of it has to be
# read. Queries are not kept: a query is used once. So several heads of queries can share one head of
# keys and values, and the cache becomes smaller. With one shared head this is *multi-query
# attention* (Shazeer 2019), with a few of them *grouped-query attention* (Ainslie et al. 2023),
# which most large models have today.
#
# There are $H$ heads of queries and $G$ heads of keys and values, and $G$ divides $H$. Neighbors
# share: the first $R = H / G$ heads of queries use key head 0, the next $R$ use key head 1, and so
# on. Head $h$ computes the attention of the paper (equation 1) with the keys and values of its
# group:
#
# $$g = \lfloor h / R \rfloor, \qquad
#   y_h = \mathrm{softmax}\left(\frac{Q_h K_g^\top}{\sqrt{d_k}}\right) V_g$$
#
# With $H = 4$ and $G = 2$, heads 0 and 1 have the keys of group 0, heads 2 and 3 those of group 1.
# With $G = H$ it is multi-head attention.
#
# One query at a time:

# %%
import math

import numpy as np


def grouped_attention_slowly(q, k, v):
    """The same as `grouped_attention` below, by loops."""
    B, H, T, d_k = q.shape
    G, S = k.shape[1:3]
    y = np.zeros((B, H, T, v.shape[3]))
    weights = np.zeros((B, H, T, S))
    for b in range(B):
        for h in range(H):
            g = h // (H // G)
            for t in range(T):
                powers = np.zeros(S)
                for s in range(S):
                    powers[s] = math.exp(sum(q[b, h, t] * k[b, g, s]) / math.sqrt(d_k))
                weights[b, h, t] = powers / sum(powers)
                for s in range(S):
                    y[b, h, t] += weights[b, h, t, s] * v[b, g, s]
    return y, weights


# %% [markdown]
# Softmax and attention are from earlier exercises. Their leading axes have to fit:


# %%
def softmax(x):
    """Return softmax of x (..., S) over the last axis."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention(q, k, v):
    """Return the result (..., T, d_v) of attention and its weights (..., T, S).

    q (..., T, d_k), k (..., S, d_k), v (..., S, d_v), with the same leading axes.
    """
    weights = softmax(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
    return weights @ v, weights


# %% [markdown]
# ## Your turn
#
# Write it without loops. There are two ways: give every head of queries its keys and values, or give
# the queries an axis for the groups.


# %%
def grouped_attention(q, k, v):
    """Return y (B, H, T, d_v) and the weights (B, H, T, S) of attention with shared keys.

    q (B, H, T, d_k), k (B, G, S, d_k), v (B, G, S, d_v), where G divides H. None of them is
    changed.
    """
    # BEGIN SOLUTION
    sharing = q.shape[1] // k.shape[1]
    k_of_head = k.repeat(sharing, axis=1)
    v_of_head = v.repeat(sharing, axis=1)
    return attention(q, k_of_head, v_of_head)
    # END SOLUTION
