# %% [markdown]
# # Rotary position embedding
#
# The paper adds a table of sinusoids to the embeddings (section 3.5). Rotary position embedding
# (RoPE, Su et al. 2021) adds nothing: it *turns* each query and each key by an angle that grows
# with its position. A score is the dot product of the two, and a dot product depends only on the
# angle between them. So a score depends on how far apart the two positions are, not on where they
# are. Nothing is learned. Most language models since 2022 do this.
#
# The $d_k$ features of a head form pairs of neighbors: 0 and 1, 2 and 3, and so on. Pair $i$ of
# position $t$ is turned by the angle $a$, which is that of the paper's sinusoids, with $K$ for
# $d_k$ (equations 15 and 34):
#
# $$\begin{aligned} y_{2i} &= x_{2i} \cos a - x_{2i+1} \sin a \\
#   y_{2i+1} &= x_{2i} \sin a + x_{2i+1} \cos a \end{aligned}
#   \qquad a = \frac{t}{10000^{2i / K}}, \quad i = 0, \dots, K/2 - 1$$
#
# That is a product with a matrix, $y_t = R_t\, x_t$. Two facts are all that the rest needs:
#
# - A rotation is undone by its transpose: $R_t^T = R_{-t}$. So **backward** is $dx_t = R_t^T\, dy_t
#   = R_{-t}\, dy_t$.
# - $(R_t q)^T (R_s k) = q^T R_{s-t}\, k$: only the distance $s - t$ is left.
#
# **The scores.** Queries and keys are both turned, values are not, and then comes the scaled
# product of section 3.2.1:
#
# $$\mathrm{score}_{ts} = \frac{(R_t\, q_t)^T (R_s\, k_s)}{\sqrt{K}}$$
#
# When a text is written with a cache, keys are there from position 0 on, queries only for the
# newest positions. So there are $T$ queries and $S \ge T$ keys, and the queries are those of the
# *last* $T$ of the $S$ positions.
#
# Here is all of it, a pair of features at a time:

# %%
import math

import numpy as np


def rotate_slowly(x, start):
    """The same as `rotate` below, by loops."""
    y = np.zeros(x.shape)
    K = x.shape[-1]
    for n in range(x.shape[-2]):
        for i in range(K // 2):
            angle = (start + n) / 10000 ** (2 * i / K)
            first, second = x[..., n, 2 * i], x[..., n, 2 * i + 1]
            y[..., n, 2 * i] = first * math.cos(angle) - second * math.sin(angle)
            y[..., n, 2 * i + 1] = first * math.sin(angle) + second * math.cos(angle)
    return y


def rotary_scores_slowly(q, k):
    """The same as `rotary_scores` below: a query and a key at a time, both turned."""
    B, H, T, K = q.shape
    S = k.shape[2]
    scores = np.zeros((B, H, T, S))
    for b, h, t, s in np.ndindex(B, H, T, S):
        query = rotate_slowly(q[b, h, [t]], S - T + t)[0]
        key = rotate_slowly(k[b, h, [s]], s)[0]
        scores[b, h, t, s] = sum(query * key) / math.sqrt(K)
    return scores


# %% [markdown]
# ## Your turn
#
# Four short functions, without loops. (In this course loops of any kind are accepted, over pairs
# too.) The second can be made of the first, or of the same formula with another sign. `x[...,
# 0::2]` are the first features of all pairs.


# %%
def rotate(x, start):
    """Return x with each position's features turned, (B, H, N, K).

    x (B, H, N, K): its N positions have the numbers start, start + 1, ... K is even. x itself is
    not changed.
    """
    # BEGIN SOLUTION
    N, K = x.shape[-2:]
    angles = np.arange(start, start + N)[:, None] / 10000 ** (np.arange(0, K, 2) / K)  # (N, K / 2)
    sin = np.sin(angles)
    cos = np.cos(angles)
    first = x[..., 0::2]
    second = x[..., 1::2]
    y = np.empty(x.shape)
    y[..., 0::2] = first * cos - second * sin
    y[..., 1::2] = first * sin + second * cos
    return y
    # END SOLUTION


# %%
def rotate_backward(dy, start):
    """Return dx (B, H, N, K), the gradient of what `rotate` was given.

    dy (B, H, N, K) is that of what it returned.
    """
    # BEGIN SOLUTION
    # turning back is turning the mirror image
    flip = np.tile([1.0, -1.0], dy.shape[-1] // 2)
    return flip * rotate(flip * dy, start)
    # END SOLUTION


# %%
def rotary_scores(q, k):
    """Return the scores (B, H, T, S), before mask and softmax.

    q (B, H, T, K): the queries of the last T of S positions. k (B, H, S, K): the keys of positions
    0 to S - 1.
    """
    # BEGIN SOLUTION
    T = q.shape[2]
    S, K = k.shape[2:]
    turned_q = rotate(q, S - T)
    turned_k = rotate(k, 0)
    return turned_q @ turned_k.swapaxes(2, 3) / math.sqrt(K)
    # END SOLUTION


# %%
def rotary_scores_backward(dscores, q, k):
    """Return dq (B, H, T, K) and dk (B, H, S, K) from dscores (B, H, T, S).

    q and k are what forward was given.
    """
    # BEGIN SOLUTION
    start = k.shape[2] - q.shape[2]
    dproducts = dscores / math.sqrt(q.shape[3])
    dq = rotate_backward(dproducts @ rotate(k, 0), start)
    dk = rotate_backward(dproducts.swapaxes(2, 3) @ rotate(q, start), 0)
    return dq, dk
    # END SOLUTION
