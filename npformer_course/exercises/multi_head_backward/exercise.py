# %% [markdown]
# # Multi-head self-attention, backwards
#
# In self-attention query, key and value are one and the same `x` (sections 3.2.2 and 3.2.3 of the
# paper):
#
# $$q, k, v = \mathrm{split}(x W^Q),\; \mathrm{split}(x W^K),\; \mathrm{split}(x W^V), \qquad
#   \mathrm{heads} = \mathrm{Attention}(q, k, v), \qquad y = \mathrm{merge}(\mathrm{heads})\, W^O$$
#
# Backwards you meet nothing new, only five things that you know, in the right order:
#
# - **A product** $y = x W$ has $dx = dy\, W^T$ and $dW = x^T dy$. One matrix serves all positions
#   of all sentences, so $dW$ adds up what comes from each of them.
# - **Attention** has its own backward, from an earlier exercise.
# - **Split and merge** only move numbers. The backward of each is the other.
# - **Something used several times** collects a gradient from each use, and they add up. How often
#   is `x` used?
# - **The mask** is in the weights already: where it hides, they are 0.
#
# Here is the whole of it, a sentence, a head and a pair of positions at a time. The result of a
# head is multiplied by rows $h d_k$ to $(h + 1) d_k - 1$ of $W^O$, because that is where merge puts
# it. What is called `into_query` there is `dw_query` below, and so on.

# %%
import math

import numpy as np


def self_attention_backward_slowly(
    dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output
):
    """The same as `self_attention_backward` below, by loops."""
    B, H, T, d_k = q.shape
    gradients = tuple(np.zeros(array.shape) for array in (x, w_query, w_key, w_value, w_output))
    into_x, into_query, into_key, into_value, into_output = gradients
    for b in range(B):
        for h in range(H):
            own = slice(h * d_k, (h + 1) * d_k)  # the columns of this head
            into_output[own] += heads[b, h].T @ dy[b]
            dhead = dy[b] @ w_output[own].T  # (T, d_k)
            dQ, dK, dV = np.zeros((T, d_k)), np.zeros((T, d_k)), np.zeros((T, d_k))
            for t in range(T):
                w = weights[b, h, t]
                dw = [sum(dhead[t] * v[b, h, s]) for s in range(T)]
                average = sum(w[s] * dw[s] for s in range(T))
                for s in range(T):
                    dscore = w[s] * (dw[s] - average)
                    dQ[t] += dscore * k[b, h, s] / math.sqrt(d_k)
                    dK[s] += dscore * q[b, h, t] / math.sqrt(d_k)
                    dV[s] += w[s] * dhead[t]
            for d, w, into_w in (
                (dQ, w_query, into_query),
                (dK, w_key, into_key),
                (dV, w_value, into_value),
            ):
                into_w[:, own] += x[b].T @ d
                into_x[b] += d @ w[:, own].T
    return gradients


# %% [markdown]
# From earlier exercises, for you to use or to replace by your own:


# %%
def attention_backward(dy, q, k, v, weights):
    """Return dq, dk and dv, of the shapes of q, k and v.

    dy is (B, H, T, d_v), weights (B, H, T, S).
    """
    dweights = dy @ v.swapaxes(-1, -2)
    along_row = (weights * dweights).sum(-1, keepdims=True)
    dscores = weights * (dweights - along_row) / math.sqrt(q.shape[-1])
    return dscores @ k, dscores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ dy


def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side: (B, T, D)."""
    return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)


def matrix_gradient(x, dy):
    """Return dW (D, F) of y = x W, summed over sentences and positions.

    x is (B, T, D), dy (B, T, F).
    """
    return x.reshape(-1, x.shape[-1]).T @ dy.reshape(-1, dy.shape[-1])


# %% [markdown]
# ## Your turn
#
# Forward kept `x`, `q`, `k`, `v`, the weights, and the heads' results before they were merged. Go
# from `dy` back to `x` and collect the gradients of the four matrices on the way. No loops, not
# even over heads. The two ends of the way are functions of their own, each checked alone; the third
# function goes all the way and may call them.


# %%
def output_backward(dy, heads, w_output):
    """Go back through the merge and W^O: return dheads (B, H, T, d_k) and dw_output (D, D).

    dy (B, T, D): the gradient of the result. heads (B, H, T, d_k): before the merge; H is known
    from this shape alone. w_output (D, D).
    """
    # BEGIN SOLUTION
    dw_output = matrix_gradient(merge_heads(heads), dy)
    dheads = split_heads(dy @ w_output.T, heads.shape[1])
    return dheads, dw_output
    # END SOLUTION


# %%
def projections_backward(dq, dk, dv, x, w_query, w_key, w_value):
    """Go back through the three products and splits.

    Return dx (B, T, D), dw_query, dw_key and dw_value, each (D, D). dq, dk and dv (B, H, T, d_k):
    the gradients of the heads of query, key and value. x (B, T, D).
    """
    # BEGIN SOLUTION
    dq = merge_heads(dq)
    dk = merge_heads(dk)
    dv = merge_heads(dv)
    dw_query = matrix_gradient(x, dq)
    dw_key = matrix_gradient(x, dk)
    dw_value = matrix_gradient(x, dv)
    dx = dq @ w_query.T + dk @ w_key.T + dv @ w_value.T
    return dx, dw_query, dw_key, dw_value
    # END SOLUTION


# %%
def self_attention_backward(dy, x, q, k, v, weights, heads, w_query, w_key, w_value, w_output):
    """Return dx (B, T, D), dw_query, dw_key, dw_value and dw_output, each (D, D), in this order.

    dy (B, T, D): the gradient of the result. x (B, T, D). q, k, v and heads (B, H, T, d_k), where D
    = H * d_k: after the split, and before the merge. weights (B, H, T, T): rows that sum to 1, or
    to 0 where a position may attend to nothing. The four matrices are (D, D), used as x @ w. None
    of the inputs is changed.
    """
    # BEGIN SOLUTION
    dheads, dw_output = output_backward(dy, heads, w_output)
    dq, dk, dv = attention_backward(dheads, q, k, v, weights)
    return *projections_backward(dq, dk, dv, x, w_query, w_key, w_value), dw_output
    # END SOLUTION
