# %% [markdown]
# # Add & Norm
#
# Around every attention and every feed-forward network, figure 1 of the paper draws a box "Add &
# Norm". The *add* is the residual connection: what a sub-layer $f$ computes is added to what went
# in. So a sub-layer only has to say what to change. The *norm* is layer normalization. And section
# 5.4 puts *dropout* on what the sub-layer computes, before it is added: while training, each of its
# numbers is multiplied by a factor that chance has chosen, 0 or something above 1. (A later
# exercise draws these factors. Here they are given, as an array $m$ of the shape of $x$, called
# `drop` in the code.)
#
# The paper normalizes after the sum. Most later programs, the authors' own among them, normalize in
# front of the sub-layer and leave the sum alone (Xiong et al. 2020):
#
# $$\text{post-norm:}\quad y = \mathrm{LayerNorm}\big(x + m \cdot f(x)\big) \qquad\qquad
#   \text{pre-norm:}\quad y = x + m \cdot f\big(\mathrm{LayerNorm}(x)\big)$$
#
# As loops over the numbers, with LayerNorm for one position at a time:

# %%
import numpy as np

# usually 1e-6: with as few features as in a check, a large one keeps rounding errors away
EPS = 0.1


def layer_norm(x, gain, bias, eps=EPS):
    """Return y of the shape of x (..., D), and for backward xhat (..., D) and rstd (..., 1)."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


def post_norm_slowly(x, sublayer, drop, gain, bias):
    """The same as `post_norm` below, by loops."""
    changes, sums, y = sublayer(x), np.zeros(x.shape), np.zeros(x.shape)
    for b, t, i in np.ndindex(x.shape):
        sums[b, t, i] = x[b, t, i] + drop[b, t, i] * changes[b, t, i]
    for b, t in np.ndindex(x.shape[:2]):
        y[b, t], _, _ = layer_norm(sums[b, t], gain, bias)
    return y


def pre_norm_slowly(x, sublayer, drop, gain, bias):
    """The same as `pre_norm` below, by loops."""
    inner, y = np.zeros(x.shape), np.zeros(x.shape)
    for b, t in np.ndindex(x.shape[:2]):
        inner[b, t], _, _ = layer_norm(x[b, t], gain, bias)
    changes = sublayer(inner)
    for b, t, i in np.ndindex(x.shape):
        y[b, t, i] = x[b, t, i] + drop[b, t, i] * changes[b, t, i]
    return y


# %% [markdown]
# ## Your turn
#
# Write both without loops. `layer_norm` above is for you to use; leave its eps as it is, `EPS`. It
# returns three arrays, and $y$ is the first.
#
# The sub-layer comes as a function: `sublayer` takes an array (B, T, D) and returns a new one. It
# may be called more than once.


# %%
def post_norm(x, sublayer, drop, gain, bias):
    """Return y (B, T, D): the sum of x and the dropped-out result of the sub-layer, normalized.

    x (B, T, D), sublayer a function from (B, T, D) to (B, T, D), drop (B, T, D): the factors of
    dropout, gain (D,), bias (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    inner = drop * sublayer(x)
    total = x + inner
    return layer_norm(total, gain, bias)[0]
    # END SOLUTION


def pre_norm(x, sublayer, drop, gain, bias):
    """Return y (B, T, D): x, plus the dropped-out result of the sub-layer.

    The sub-layer is given x normalized. Arguments as in `post_norm`.
    """
    # BEGIN SOLUTION
    normed = layer_norm(x, gain, bias)[0]
    inner = drop * sublayer(normed)
    return x + inner
    # END SOLUTION
