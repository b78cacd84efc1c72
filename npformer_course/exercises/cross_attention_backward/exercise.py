# %% [markdown]
# # Cross-attention, backwards
#
# Cross-attention is the bridge between the two columns of figure 1: the decoder asks, and the
# encoder answers. It is multi-head attention once more, but the queries are made from the decoder's
# $x$ $(B, T, D)$, the keys *and* the values from the encoder's result, the *memory* $m$ $(B, S, D)$
# (section 3.2.3 of the paper):
#
# $$Q = x W^Q, \qquad K = m W^K, \qquad V = m W^V, \qquad
#   y = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{H - 1})\, W^O, \qquad
#   \mathrm{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^T}{\sqrt{d_k}}\right) V_h$$
#
# All layers of the encoder learn through this bridge alone: the loss is computed at the end of the
# decoder, and $dm$ is all of its gradient that reaches them. (An embedding matrix that both sides
# share also gets gradient elsewhere.) Programs that lose a part of it still train, since the
# decoder does its best with what it gets. They are only worse than they should be, and no error
# says why.
#
# The gradient arrives at `dy` and divides. Here is its way, head by head, query by query and key by
# key. Each weight of attention, $w_{ts}$, let value $s$ into result $t$, and was made from query
# $t$ and key $s$, so three gradients come out of it. (`K` in this code is the number $d_k$, not the
# matrix of the keys.)

# %%
import math

import numpy as np


def cross_attention_backward_slowly(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    """The same as `cross_attention_backward` below, by loops."""
    B, H, T, K = q.shape
    S, D = k.shape[2], dy.shape[2]
    dx, dmemory = np.zeros((B, T, D)), np.zeros((B, S, D))
    for b, h, t in np.ndindex(B, H, T):
        own = slice(h * K, (h + 1) * K)  # the features of this head
        dhead = w_output[own] @ dy[b, t]  # (K,)
        dweights = [dhead @ v[b, h, s] for s in range(S)]
        mean = sum(weights[b, h, t, s] * dweights[s] for s in range(S))
        for s in range(S):
            dscore = weights[b, h, t, s] * (dweights[s] - mean) / math.sqrt(K)
            dx[b, t] += w_query[:, own] @ (dscore * k[b, h, s])  # by way of the query
            dmemory[b, s] += w_key[:, own] @ (dscore * q[b, h, t])  # by way of the key
            dmemory[b, s] += w_value[:, own] @ (weights[b, h, t, s] * dhead)  # by way of the value
    return dx, dmemory


# %% [markdown]
# From earlier exercises, for you to use: heads split and merged, and the backward of scaled
# dot-product attention.


# %%
def split_heads(x, n_heads):
    """Turn (B, T, H * d_k) into (B, H, T, d_k)."""
    B, T, width = x.shape
    return x.reshape(B, T, n_heads, width // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """Turn (B, H, T, d_k) into (B, T, H * d_k)."""
    B, H, T, d_k = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(B, T, H * d_k)


def attention_backward(dy, q, k, v, weights):
    """Return dq (B, H, T, d_k), dk (B, H, S, d_k), dv (B, H, S, d_k).

    dy is (B, H, T, d_k), weights (B, H, T, S).
    """
    dweights = dy @ v.swapaxes(-1, -2)
    along_row = (weights * dweights).sum(-1, keepdims=True)
    dscores = weights * (dweights - along_row) / math.sqrt(q.shape[-1])
    return dscores @ k, dscores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ dy


# %% [markdown]
# ## Your turn
#
# **One layer.** Write `cross_attention_backward` without loops: back through $W^O$, into the heads,
# through attention, out of the heads, and home through the three other matrices, each gradient to
# where its numbers came from. The four matrices are $(D, D)$, with $D = H d_k$, and stand on the
# right of what they multiply, as in the formulas. There are no biases. The matrices' own gradients
# were the last exercise; leave them out. A mask is not needed: where it hid something, the weight
# is 0, and the gradient stops there by itself.
#
# **All layers.** The decoder is a stack, and *every* layer looks at the same memory. Write
# `decoder_backward`, which brings a gradient from the top of the stack to its bottom. `backwards`
# is a list with one function for each layer, the lowest layer first. Each takes the gradient of its
# layer's result, and returns two gradients, as your function above does: that of the layer's own
# input, which is the result of the layer below, and that of the memory, by way of this layer.
# (Residuals, norms and the feed-forward network are inside: you need not care.)


# %%
def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    """Return the gradients of cross-attention: dx (B, T, D), dmemory (B, S, D), in this order.

    dy (B, T, D): the gradient of the result. What forward left: q (B, H, T, d_k), k and v (B, H, S,
    d_k) in heads, weights (B, H, T, S) after the softmax. The matrices are (D, D). None of the
    inputs is changed.
    """
    # BEGIN SOLUTION
    dheads = split_heads(dy @ w_output.T, q.shape[1])
    dq, dk, dv = attention_backward(dheads, q, k, v, weights)
    onto_memory = merge_heads(dk) @ w_key.T + merge_heads(dv) @ w_value.T
    return merge_heads(dq) @ w_query.T, onto_memory
    # END SOLUTION


def decoder_backward(dy, backwards):
    """Return the gradients of a decoder: dx (B, T, D), dmemory (B, S, D), in this order.

    dx is that at its bottom, dmemory that of all layers. dy (B, T, D): the gradient at the top.
    backwards: a list of N functions, the lowest layer's first; each takes the gradient of its
    layer's result (B, T, D) and returns (dx (B, T, D), dmemory (B, S, D)) of this layer. The list
    has at least one function, and stays as it is. What a function returned may be changed in place.
    """
    # BEGIN SOLUTION
    total = 0
    for backward in reversed(backwards):
        dy, from_layer = backward(dy)
        total = total + from_layer
    return dy, total
    # END SOLUTION
