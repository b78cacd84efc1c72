# %% [markdown]
# # The cache: keys and values are made once
#
# To write token $t$, a decoder reads all $t$ tokens so far, computes every position again, and
# looks at the last one only. That is a waste. Under the causal mask (section 3.2.3) no position
# ever sees a later one, so the keys and values of the earlier positions are today what they were a
# step ago. Keep them, and a step computes *one* position: its query, which looks at all keys so
# far, and its own key and value, which are added to the cache. The numbers that come out are the
# same.
#
# Three things change when a position comes alone:
#
# - It needs to know *where* it is. The sinusoidal table is added from row `start` on, not from row
#   0.
# - The mask is no longer a square. Often several positions come at once, the words of a prompt for
#   instance: $N$ new ones behind $L$ old ones. New position $i$ (from 0) may look at all old ones,
#   at the new ones before it, and at itself. The mask is $(N, L + N)$.
# - Cross-attention has keys and values too, those of the memory. They do not depend on what is
#   written: they are projected once, before the first step, and never grow.
#
# What you are given: heads, the weighted average of section 3.2.1, and the table of section 3.5.

# %%
import numpy as np


def split_heads(x, n_heads):
    """(B, T, H * K) -> (B, H, T, K)."""
    B, T, D = x.shape
    return x.reshape(B, T, n_heads, D // n_heads).transpose(0, 2, 1, 3)


def merge_heads(heads):
    """(B, H, T, K) -> (B, T, H * K)."""
    B, H, T, K = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(B, T, H * K)


def attend(q, k, v, mask):
    """softmax(q k^T / sqrt(K)) v.

    mask is True where attention may go, and broadcasts to (B, H, T, S).
    """
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    peak = scores.max(-1, keepdims=True)
    powers = np.where(mask, np.exp(scores - np.where(np.isfinite(peak), peak, 0)), 0)
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300) @ v


def sinusoids(n_positions, d_model):
    """The table of positions 0 .. n_positions - 1: (n_positions, d_model)."""
    angles = np.arange(n_positions)[:, None] / 10000 ** (np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], -1).reshape(n_positions, d_model)


# %% [markdown]
# And this is what your steps must give, all positions at once: the two attentions of a decoder
# layer, each with its residual. (The feed-forward network and the normalizations look at one
# position at a time anyway and need no cache, so they are left out. So are the biases.) The four
# matrices $W^Q, W^K, W^V, W^O$ of an attention are stacked in one array, `W` $(4, D, D)$ for
# self-attention and `U` $(4, D, D)$ for cross-attention, with all heads side by side.


# %%
def layer_at_once(x, memory, W, U, n_heads, mask):
    """Both attentions: x (B, T, D), memory (B, S, D) -> (B, T, D).

    mask (B, S) is True where the memory is no padding.
    """
    T, D = x.shape[1:]
    x = x + sinusoids(T, D)
    query = split_heads(x @ W[0], n_heads)
    key = split_heads(x @ W[1], n_heads)
    value = split_heads(x @ W[2], n_heads)
    causal = np.tril(np.ones((T, T), bool))
    x = x + merge_heads(attend(query, key, value, causal)) @ W[3]
    query = split_heads(x @ U[0], n_heads)
    key = split_heads(memory @ U[1], n_heads)
    value = split_heads(memory @ U[2], n_heads)
    return x + merge_heads(attend(query, key, value, mask[:, None, None, :])) @ U[3]


# %% [markdown]
# ## Your turn
#
# Six short functions. Sentences are equally long, so there is no padding among the positions
# written. A cache is a pair of arrays, keys $(B, H, L, K)$ and values $(B, H, L, K)$; before the
# first step $L$ is 0 (an axis may have the length 0: `np.zeros((2, 3, 0, 4))`). Where `n_heads` is
# not given, the keys have $H$ in their shape. Position $L$ comes behind position $L - 1$: what is
# new goes to the end. The arrays that you are given stay as they are: you return new ones.


# %%
def add_positions(x, start):
    """Add the table to x (B, N, D), whose first position is number `start` of its sentence.

    Returns (B, N, D).
    """
    # BEGIN SOLUTION
    n_new, d_model = x.shape[1:]
    return x + sinusoids(start + n_new, d_model)[start:]
    # END SOLUTION


# %%
def new_positions_mask(n_new, n_old):
    """Return the mask of N new positions behind L old ones.

    It is boolean, (N, L + N), True where a position may look. n_new: N, at least 1. n_old: L, at least 0.
    """
    # BEGIN SOLUTION
    return np.arange(n_old + n_new) <= n_old + np.arange(n_new)[:, None]
    # END SOLUTION


# %%
def self_attention_step(x, W, keys, values):
    """Let new positions look at the old ones and at themselves.

    x (B, N, D): the new positions, the table already added. W (4, D, D). keys and values (B, H, L,
    K): the cache. Returns y (B, N, D), behind W^O and without the residual, and the longer keys and
    values (B, H, L + N, K).
    """
    # BEGIN SOLUTION
    n_heads = keys.shape[1]
    n_old = keys.shape[2]
    q = split_heads(x @ W[0], n_heads)
    k = split_heads(x @ W[1], n_heads)
    v = split_heads(x @ W[2], n_heads)
    keys = np.concatenate([keys, k], 2)
    values = np.concatenate([values, v], 2)
    may_look = new_positions_mask(x.shape[1], n_old)
    return merge_heads(attend(q, keys, values, may_look)) @ W[3], keys, values
    # END SOLUTION


# %%
def project_memory(memory, U, n_heads):
    """Return the keys and the values of cross-attention, each (B, H, S, K).

    memory (B, S, D), U (4, D, D).
    """
    # BEGIN SOLUTION
    keys = memory @ U[1]
    values = memory @ U[2]
    return split_heads(keys, n_heads), split_heads(values, n_heads)
    # END SOLUTION


# %%
def cross_attention_step(x, U, keys, values, mask):
    """Let new positions x (B, N, D) look at the memory.

    keys and values (B, H, S, K): of project_memory. mask (B, S): True where the memory is no
    padding, at least once in each sentence. Returns y (B, N, D), behind W^O and without the
    residual.
    """
    # BEGIN SOLUTION
    q = split_heads(x @ U[0], keys.shape[1])
    return merge_heads(attend(q, keys, values, mask[:, None, None, :])) @ U[3]
    # END SOLUTION


# %%
def decode_one_by_one(x, W, U, memory_keys, memory_values, mask):
    """Return what layer_at_once returns, (B, T, D), by T steps of one position each.

    x (B, T, D): embedded tokens, without the table. memory_keys and memory_values (B, H, S, K): of
    project_memory.
    """
    # BEGIN SOLUTION
    B, H, _, K = memory_keys.shape
    keys = np.zeros((B, H, 0, K))
    values = np.zeros((B, H, 0, K))
    steps = []
    for t in range(x.shape[1]):
        newest = add_positions(x[:, t : t + 1], t)
        y, keys, values = self_attention_step(newest, W, keys, values)
        newest = newest + y
        steps.append(newest + cross_attention_step(newest, U, memory_keys, memory_values, mask))
    return np.concatenate(steps, 1)
    # END SOLUTION
