# %% [markdown]
# # Multi-head attention
#
# Now the pieces come together: section 3.2.2 of the paper, figure 2 on the right. Queries, keys and
# values are first multiplied by matrices of their own, so that what a word asks, what it is found
# by and what it says can be three different things. Each head attends in its own few dimensions.
# Their results are laid side by side, and a fourth matrix mixes them:
#
# $$\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{H - 1})\, W^O, \qquad
#   \mathrm{head}_h = \mathrm{Attention}(Q W_h^Q,\; K W_h^K,\; V W_h^V)$$
#
# $W_h^Q$, $W_h^K$ and $W_h^V$ are $(D, d_k)$ with $d_k = D / H$. As in the last exercise, those of
# all heads stand side by side in one matrix: columns $h d_k$ to $(h + 1) d_k - 1$ of `w_query` are
# $W_h^Q$. So all four matrices are $(D, D)$. A row of numbers is multiplied from the right, $x W$,
# and there are no biases, as in the paper.
#
# Without $W^O$ the heads would never meet: the first $d_k$ numbers of a result would come from head
# 0 alone.
#
# Query, key and value are three arguments here. In self-attention all three are the same `x`. In
# the decoder's look at the source, key and value are the encoder's result.
#
# Here is the paper's formula, a head at a time:

# %%
import math

import numpy as np


def multi_head_attention_slowly(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    """The same as `multi_head_attention` below, by loops."""
    B, T, D = query.shape
    S, d_k = key.shape[1], D // n_heads
    y, weights = np.zeros((B, T, D)), np.zeros((B, n_heads, T, S))
    for b in range(B):
        concat = np.zeros((T, D))
        for h in range(n_heads):
            own = slice(h * d_k, (h + 1) * d_k)  # the columns of this head
            Q = query[b] @ w_query[:, own]
            K = key[b] @ w_key[:, own]
            V = value[b] @ w_value[:, own]
            for t in range(T):
                powers = np.zeros(S)
                for s in range(S):
                    powers[s] = math.exp(sum(Q[t] * K[s]) / math.sqrt(d_k))
                weights[b, h, t] = powers / sum(powers)
                for s in range(S):
                    concat[t, own] += weights[b, h, t, s] * V[s]
        y[b] = concat @ w_output
    return y, weights


# %% [markdown]
# From earlier exercises, for you to use or to replace by your own:


# %%
def attention(q, k, v):
    """Return the result of scaled dot-product attention and its weights.

    They are (..., T, d_v) and (..., T, S), of q (..., T, d_k), k (..., S, d_k) and v (..., S, d_v).
    """
    x = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    e = np.exp(x - x.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights @ v, weights


def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side: (B, T, D)."""
    return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)


# %% [markdown]
# ## Your turn
#
# Without loops, not even over heads. Before you write, put a shape next to each step.


# %%
def multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):
    """Return y (B, T, D) and the weights (B, H, T, S) of multi-head attention, in this order.

    H is n_heads. query (B, T, D), key and value (B, S, D). The four matrices are (D, D), used as
    x @ w; head h has the columns h * d_k to (h + 1) * d_k - 1 of the first three, d_k = D / H. None
    of the inputs is changed.
    """
    # BEGIN SOLUTION
    q = split_heads(query @ w_query, n_heads)
    k = split_heads(key @ w_key, n_heads)
    v = split_heads(value @ w_value, n_heads)
    heads, weights = attention(q, k, v)
    return merge_heads(heads) @ w_output, weights
    # END SOLUTION
