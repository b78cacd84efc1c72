# %% [markdown]
# # A decoder layer
#
# The decoder of figure 1 writes the translation. Each of its layers has three sub-layers: attention
# to the target sentence itself, attention to the source, and the feed-forward network. Add & Norm
# is around each, as in the encoder:
#
# $$u = \mathrm{LayerNorm}_1\big(x + \mathrm{SelfAttention}(x)\big), \qquad
#   v = \mathrm{LayerNorm}_2\big(u + \mathrm{CrossAttention}(u, m)\big), \qquad
#   y = \mathrm{LayerNorm}_3\big(v + \mathrm{FFN}(v)\big)$$
#
# **Cross-attention** is the only place where the decoder sees the source. Its queries are made from
# the target's positions, its keys and values from the *memory* $m$ $(B, S, D)$: what the top layer
# of the encoder has computed for each source token. All layers of the decoder get the same memory.
#
# **Two masks.** A position of the target may see itself and earlier positions: the later ones are
# not written yet when the model translates. So `self_mask` is $(B, T, T)$. The source is there as a
# whole, and only its padding is hidden: `cross_mask` is $(B, 1, S)$, the same for all queries of a
# sentence.
#
# ## Weights by name
#
# The names are those of a model's decoder layer, without the beginning `decoder.layers.0.`:
#
# - `self_attention.sublayer.w_query.weight` and so on, the eight arrays of an attention,
# - `cross_attention.sublayer.w_query.weight` and so on, eight more,
# - `feed_forward.sublayer.linear_1.weight` and so on, the four arrays of the network,
# - `gain` and `bias` of `self_attention.norm`, `cross_attention.norm` and `feed_forward.norm`.
#
# Given are the functions of the encoder layer, and the attention that you wrote there:

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


def multi_head(x, memory, mask, w, n_heads):
    """Return y (B, T, D): multi-head attention from x (B, T, D) to memory (B, S, D), with biases.

    mask: booleans (B, T, S) or (B, 1, S). w: the eight arrays "w_query.weight", "w_query.bias" and
    so on.
    """

    def heads_of(x, name):
        return split_heads(x @ w[f"{name}.weight"] + w[f"{name}.bias"], n_heads)

    q = heads_of(x, "w_query")
    k = heads_of(memory, "w_key")
    v = heads_of(memory, "w_value")
    y, _ = masked_attention(q, k, v, mask[:, None])
    return merge_heads(y) @ w["w_output.weight"] + w["w_output.bias"]


# %% [markdown]
# The layer, one position of one sentence at a time. Look at what each position needs of the others:


# %%
def decoder_layer_slowly(x, memory, self_mask, cross_mask, w, n_heads):
    """The same as `decoder_layer` below, by loops."""
    B, T, D = x.shape
    y = np.zeros((B, T, D))
    for b, t in np.ndindex(B, T):
        sentence = x[b : b + 1]  # (1, T, D)
        source = memory[b : b + 1]  # (1, S, D)
        here = sentence[:, t : t + 1]  # (1, 1, D)

        seen = self_mask[b : b + 1, t : t + 1]  # (1, 1, T)
        found = multi_head(here, sentence, seen, part_of(w, "self_attention.sublayer"), n_heads)
        here = norm(here + found, part_of(w, "self_attention.norm"))

        seen = cross_mask[b : b + 1]  # (1, 1, S)
        found = multi_head(here, source, seen, part_of(w, "cross_attention.sublayer"), n_heads)
        here = norm(here + found, part_of(w, "cross_attention.norm"))

        found = network(here, part_of(w, "feed_forward.sublayer"))
        y[b, t] = norm(here + found, part_of(w, "feed_forward.norm"))[0, 0]
    return y


# %% [markdown]
# ## Your turn
#
# Write the layer without loops. The memory may be longer than $x$, shorter, or as long. Where it is
# as long, a mistake with two arrays or two masks ends in no error: only the numbers are wrong.


# %%
def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    """Return y (B, T, D): x (B, T, D) after both attentions and the feed-forward network.

    memory (B, S, D). self_mask: booleans (B, T, T), cross_mask: booleans (B, 1, S), True = may
    attend; each query sees one key at least. w: a dict of the layer's arrays, with the names that
    the text lists. n_heads: H, a divisor of D. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    from_target = multi_head(x, x, self_mask, part_of(w, "self_attention.sublayer"), n_heads)
    u = norm(x + from_target, part_of(w, "self_attention.norm"))
    from_source = multi_head(u, memory, cross_mask, part_of(w, "cross_attention.sublayer"), n_heads)
    v = norm(u + from_source, part_of(w, "cross_attention.norm"))
    from_network = network(v, part_of(w, "feed_forward.sublayer"))
    return norm(v + from_network, part_of(w, "feed_forward.norm"))
    # END SOLUTION
