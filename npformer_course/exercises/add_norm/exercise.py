# %% [markdown]
# # Add & Norm
#
# Around every attention and every feed-forward network, figure 1 of the paper draws a box "Add &
# Norm". The *add* is the residual connection: what a sub-layer $f$ computes is added to what went
# in. So a sub-layer only has to say what to change, and on the way back the gradient has a road
# past it, however little it lets through. The *norm* is layer normalization. And section 5.4 puts
# *dropout* on what the sub-layer computes, before it is added: while training, each of its numbers
# is multiplied by a factor that chance has chosen, 0 or something above 1. (The next exercise draws
# these factors. Here they are given, as an array $m$ of the shape of $x$, called `drop` in the
# code.)
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


def layer_norm_backward(dy, xhat, rstd, gain):
    """Return dx (B, T, D), dgain (D,), dbias (D,) of `layer_norm`."""
    slope = gain * dy
    mean = slope.mean(-1, keepdims=True)
    projection = (slope * xhat).mean(-1, keepdims=True)
    dx = rstd * (slope - mean - xhat * projection)
    return dx, (xhat * dy).sum((0, 1)), dy.sum((0, 1))


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
# Write both, forward and backward, without loops. `layer_norm` and `layer_norm_backward` above are
# for you to use; leave their eps as it is, `EPS`.
#
# The sub-layer comes as a function. Forward gets `sublayer`: it takes an array (B, T, D) and
# returns a new one. Backward gets `sublayer_backward`: it takes the gradient of what the sub-layer
# returned, and returns the gradient of what the sub-layer was given; what it has to remember for
# this, it remembers by itself. Either may be called more than once. `xhat` and `rstd` are what
# `layer_norm` left when it ran in forward: in post-norm it ran on the sum, in pre-norm on $x$.
#
# No new formula is needed for backward, only two rules that you know. What is added up on the way
# there gets the same gradient, each summand, on the way back. And what is used twice on the way
# there gets two gradients, which add up. Draw the way of $x$ on paper, with a fork and a plus,
# before you write; then walk back.


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


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    """Return the gradients of `post_norm`: dx (B, T, D), dgain (D,), dbias (D,).

    dy (B, T, D): the gradient of y. xhat (B, T, D), rstd (B, T, 1): what layer_norm left. gain
    (D,), drop (B, T, D). sublayer_backward: a function from the gradient of the sub-layer's result
    to that of its input, both (B, T, D).
    """
    # BEGIN SOLUTION
    dtotal, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    dresult = drop * dtotal
    dinner = sublayer_backward(dresult)
    return dtotal + dinner, dgain, dbias
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


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    """Return the gradients of `pre_norm`: dx (B, T, D), dgain (D,), dbias (D,).

    Arguments as in `post_norm_backward`.
    """
    # BEGIN SOLUTION
    dresult = drop * dy
    dnormed = sublayer_backward(dresult)
    dx, dgain, dbias = layer_norm_backward(dnormed, xhat, rstd, gain)
    return dy + dx, dgain, dbias
    # END SOLUTION
