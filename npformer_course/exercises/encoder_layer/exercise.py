# %% [markdown]
# # An encoder layer
#
# The encoder of figure 1 is a stack of $N$ layers that are built alike. You have written all parts
# of a layer. Here you put them together, in such a way that your layer can compute with the weights
# of a translator that is already trained.
#
# A layer has two sub-layers: attention of a sentence to itself, then the feed-forward network. Add
# & Norm is around each of them, in the order of the paper (section 3.1):
#
# $$z = \mathrm{LayerNorm}_1\big(x + \mathrm{Attention}(x)\big), \qquad
#   y = \mathrm{LayerNorm}_2\big(z + \mathrm{FFN}(z)\big)$$
#
# The two norms have a gain and a bias each. The paper also puts dropout on what a sub-layer
# computes, but only while a model is trained.
#
# ## Weights by name
#
# A trained model is a collection of arrays with names. Those of its first encoder layer begin with
# `encoder.layers.0.`, those of the second one with `encoder.layers.1.`. What follows is the same in
# all layers, and these are the names in the dict `w` that your `encoder_layer` gets:
#
# - `self_attention.sublayer.w_query.weight` $(D, D)$ and `self_attention.sublayer.w_query.bias`
#   $(D,)$, and the same with `w_key`, `w_value` and `w_output`,
# - `self_attention.norm.gain` $(D,)$ and `self_attention.norm.bias` $(D,)$,
# - `feed_forward.sublayer.linear_1.weight` $(D, F)$ and `feed_forward.sublayer.linear_1.bias`
#   $(F,)$, and the same with `linear_2`, $(F, D)$ and $(D,)$,
# - `feed_forward.norm.gain` $(D,)$ and `feed_forward.norm.bias` $(D,)$.
#
# One function takes a part out of such a dict, and shortens the names. The others are from earlier
# exercises, and two short ones use them with the weights of a dict:

# %%
import math

import numpy as np


def part_of(w, name):
    """Return the arrays of w whose names begin with `name` and a dot, without this beginning.

    In part_of(w, "self_attention.norm") the names are "gain" and "bias".
    """
    start = f"{name}."
    return {key.removeprefix(start): w[key] for key in w if key.startswith(start)}


def layer_norm(x, gain, bias, eps=1e-6):
    """Return y of the shape of x (..., D), and for backward xhat (..., D) and rstd (..., 1)."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


def norm(x, w):
    """Return LayerNorm of x (..., D), of the same shape; w has "gain" and "bias"."""
    y, _, _ = layer_norm(x, w["gain"], w["bias"])
    return y


def feed_forward(x, w1, b1, w2, b2):
    """Return y of the shape of x (..., D), and the hidden numbers (..., F)."""
    hidden = np.maximum(0, x @ w1 + b1)
    return hidden @ w2 + b2, hidden


def network(x, w):
    """Return the result of the feed-forward network, of the shape of x (..., D).

    w has "linear_1.weight", "linear_1.bias", "linear_2.weight" and "linear_2.bias".
    """
    first = w["linear_1.weight"], w["linear_1.bias"]
    second = w["linear_2.weight"], w["linear_2.bias"]
    y, _ = feed_forward(x, *first, *second)
    return y


def split_heads(x, n_heads):
    """Return the heads (B, H, T, d_k) of x (B, T, D)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge_heads(heads):
    """Return the heads (B, H, T, d_k) side by side: (B, T, D)."""
    return heads.swapaxes(1, 2).reshape(heads.shape[0], heads.shape[2], -1)


def masked_attention(q, k, v, mask):
    """Return the result of scaled dot-product attention and its weights.

    They are (B, H, T, d_k) and (B, H, T, S), of q (B, H, T, d_k), k and v (B, H, S, d_k); mask
    broadcasts to (B, H, T, S).
    """
    x = np.where(mask, q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), -np.inf)
    largest = x.max(-1, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(largest), largest, 0))
    weights = e / np.maximum(e.sum(-1, keepdims=True), 1e-30)
    return weights @ v, weights


# %% [markdown]
# ## Attention with biases and a mask
#
# Your multi-head attention has no biases, as in the paper, and no mask. Most programs add a bias to
# each of the four products, and the translator has them:
#
# $$Q = x\, W^Q + b^Q, \qquad K = m\, W^K + b^K, \qquad V = m\, W^V + b^V, \qquad
#   y = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{H - 1})\, W^O + b^O$$
#
# The queries are made from $x$ $(B, T, D)$, the keys and values from a second argument, the
# *memory* $m$ $(B, S, D)$. In the encoder both are the same array. In the decoder, the next
# exercise, they are not.
#
# Number by number, one position and one head at a time:


# %%
def multi_head_slowly(x, memory, mask, w, n_heads):
    """The same as `multi_head` below, by loops."""
    B, T, D = x.shape
    S = memory.shape[1]
    K = D // n_heads
    mask = np.broadcast_to(mask, (B, T, S))
    y = np.zeros((B, T, D))
    for b, t in np.ndindex(B, T):
        concat = np.zeros(D)
        for h in range(n_heads):
            own = slice(h * K, (h + 1) * K)  # the features of this head
            q = x[b, t] @ w["w_query.weight"][:, own] + w["w_query.bias"][own]
            total = 0.0
            for s in range(S):
                if mask[b, t, s]:
                    k = memory[b, s] @ w["w_key.weight"][:, own] + w["w_key.bias"][own]
                    v = memory[b, s] @ w["w_value.weight"][:, own] + w["w_value.bias"][own]
                    power = math.exp(q @ k / math.sqrt(K))
                    concat[own] += power * v
                    total += power
            concat[own] /= total
        y[b, t] = concat @ w["w_output.weight"] + w["w_output.bias"]
    return y


def encoder_layer_slowly(x, mask, w, n_heads):
    """The same as `encoder_layer` below: after attention, one position at a time."""
    attention = multi_head_slowly(x, x, mask, part_of(w, "self_attention.sublayer"), n_heads)
    y = np.zeros(x.shape)
    for b, t in np.ndindex(x.shape[:2]):
        first_sum = x[b, t] + attention[b, t]
        z_here = norm(first_sum, part_of(w, "self_attention.norm"))
        second_sum = z_here + network(z_here, part_of(w, "feed_forward.sublayer"))
        y[b, t] = norm(second_sum, part_of(w, "feed_forward.norm"))
    return y


# %% [markdown]
# ## Your turn
#
# Write both without loops. Masks are booleans, True = may attend. A mask has three axes and all
# heads of a sentence share it; its second axis may have the length 1, where all queries of a
# sentence see the same keys. That is so in the encoder, which hides padding and nothing else. Each
# query sees one key at least.


# %%
def multi_head(x, memory, mask, w, n_heads):
    """Return y (B, T, D): multi-head attention from x (B, T, D) to memory (B, S, D), with biases.

    mask: booleans (B, T, S) or (B, 1, S), True = may attend. w: a dict of arrays with the names
    "w_query.weight" (D, D) and "w_query.bias" (D,), and the same with w_key, w_value and w_output.
    n_heads: H, a divisor of D. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    query = x @ w["w_query.weight"] + w["w_query.bias"]
    key = memory @ w["w_key.weight"] + w["w_key.bias"]
    value = memory @ w["w_value.weight"] + w["w_value.bias"]
    q = split_heads(query, n_heads)
    k = split_heads(key, n_heads)
    v = split_heads(value, n_heads)
    heads, _ = masked_attention(q, k, v, mask[:, None])
    merged = merge_heads(heads)
    return merged @ w["w_output.weight"] + w["w_output.bias"]
    # END SOLUTION


def encoder_layer(x, mask, w, n_heads):
    """Return y (B, T, D): x (B, T, D) after self-attention and the feed-forward network.

    mask: booleans (B, 1, T) or (B, T, T), True = may attend. w: a dict of the layer's arrays, with
    the names that the text lists. n_heads: H. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    attended = multi_head(x, x, mask, part_of(w, "self_attention.sublayer"), n_heads)
    z = norm(x + attended, part_of(w, "self_attention.norm"))
    changed = network(z, part_of(w, "feed_forward.sublayer"))
    return norm(z + changed, part_of(w, "feed_forward.norm"))
    # END SOLUTION
