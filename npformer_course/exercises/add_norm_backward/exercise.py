# %% [markdown]
# # Add & Norm, backwards
#
# Around every sub-layer $f$ are a residual connection, a norm, and while training dropout's factors
# $m$, called `drop` in the code. The paper normalizes after the sum, most later programs in front
# of the sub-layer:
#
# $$\text{post-norm:}\quad y = \mathrm{LayerNorm}\big(x + m \cdot f(x)\big) \qquad\qquad
#   \text{pre-norm:}\quad y = x + m \cdot f\big(\mathrm{LayerNorm}(x)\big)$$
#
# On the way back the residual connection gives the gradient a road past the sub-layer, however
# little the sub-layer lets through. Without it, a stack of many layers could hardly be trained.
#
# Forward and the norm's backward you have written in earlier exercises; here is short code for
# them:

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


def post_norm(x, sublayer, drop, gain, bias):
    """Return y (B, T, D): x (B, T, D) plus the dropped-out result of the sub-layer, normalized."""
    y, _, _ = layer_norm(x + drop * sublayer(x), gain, bias)
    return y


def pre_norm(x, sublayer, drop, gain, bias):
    """Return y (B, T, D): x, plus the dropped-out result of the sub-layer on x normalized."""
    y, _, _ = layer_norm(x, gain, bias)
    return x + drop * sublayer(y)


# %% [markdown]
# ## Your turn
#
# Write the backward of both without loops. `layer_norm_backward` above is for you to use. The check
# compares your gradients with derivatives of `post_norm` and `pre_norm` that are taken by moving
# one feature after the other.
#
# The sub-layer comes as a function. `sublayer_backward` takes the gradient of what the sub-layer
# returned, and returns the gradient of what the sub-layer was given; what it has to remember for
# this, it remembers by itself. It may be called more than once. `xhat` and `rstd` are what
# `layer_norm` left when it ran in forward: in post-norm it ran on the sum, in pre-norm on $x$.
#
# No new formula is needed, only two rules that you know. What is added up on the way there gets the
# same gradient, each summand, on the way back. And what is used twice on the way there gets two
# gradients, which add up. Draw the way of $x$ on paper, with a fork and a plus, before you write;
# then walk back.


# %%
def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    """Return the gradients of `post_norm`: dx (B, T, D), dgain (D,), dbias (D,).

    dy (B, T, D): the gradient of y. xhat (B, T, D), rstd (B, T, 1): what layer_norm left. gain
    (D,), drop (B, T, D). sublayer_backward: a function from the gradient of the sub-layer's result
    to that of its input, both (B, T, D). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dtotal, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    dresult = drop * dtotal
    dinner = sublayer_backward(dresult)
    return dtotal + dinner, dgain, dbias
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
