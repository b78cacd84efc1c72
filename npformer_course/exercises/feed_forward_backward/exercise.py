# %% [markdown]
# # The feed-forward network, backwards
#
# Forward, each position went through two linear maps with a ReLU between them (section 3.3 of the
# paper, equation 2):
#
# $$h = \max(0,\ x W_1 + b_1), \qquad y = h\, W_2 + b_2$$
#
# Backwards is the same path from its end. `dy` goes through the second linear map, which leaves
# $dh$. Then comes the ReLU. Where its input was above 0 it let the number through as it was: the
# slope is 1. Where its input was below 0 it gave 0 whatever came in: the slope is 0. At 0 itself it
# has no slope; we take 0, as is usual. So of $dh$ remains what belongs to hidden numbers that were
# *on* in forward, and that continues through the first linear map. The size and the sign of `dy`
# and $dh$ have no say in it.
#
# The backward of a linear map you have done; here is short code for it, in case you want to use it:


# %%
import numpy as np


def linear_backward(dy, x, w):
    """Return dx (..., D), dw (D, F), db (F,) of y = x w + b from dy (..., F)."""
    axes = list(range(x.ndim - 1))
    return np.tensordot(dy, w.T, 1), np.tensordot(x, dy, (axes, axes)), dy.sum(tuple(axes))


# %% [markdown]
# And here is what you write below, one position and one hidden number at a time:


# %%
def feed_forward_backward_slowly(dy, x, hidden, w1, w2):
    """The same as `feed_forward_backward` below, for x (B, T, D)."""
    B, T, D = x.shape
    F = w1.shape[1]
    dx = np.zeros((B, T, D))
    dw1, db1 = np.zeros((D, F)), np.zeros(F)
    dw2, db2 = np.zeros((F, D)), np.zeros(D)
    for b in range(B):
        for t in range(T):
            db2 += dy[b, t]
            for f in range(F):
                dw2[f] += hidden[b, t, f] * dy[b, t]
                if hidden[b, t, f] > 0:
                    # how the loss moves with what came into this ReLU
                    slope = w2[f] @ dy[b, t]
                    db1[f] += slope
                    dw1[:, f] += slope * x[b, t]
                    dx[b, t] += slope * w1[:, f]
    return dx, dw1, db1, dw2, db2


# %% [markdown]
# ## Your turn
#
# Write it without loops. Of what happened in forward, $h$ is all that you need, as it was after the
# ReLU. (Was a hidden number on? Look at $h$. An $h$ of 0 was off.) `x` and `dy` are $(B, T, D)$,
# `hidden` is $(B, T, F)$.


# %%
def feed_forward_backward(dy, x, hidden, w1, w2):
    """Return the gradients dx (B, T, D), dw1 (D, F), db1 (F,), dw2 (F, D), db2 (D,), in this order.

    dy (B, T, D): the gradient at y. hidden (B, T, F): what forward returned. None of the inputs is
    changed.
    """
    # BEGIN SOLUTION
    dhidden, dw2, db2 = linear_backward(dy, hidden, w2)
    dbefore = dhidden * (hidden > 0)
    dx, dw1, db1 = linear_backward(dbefore, x, w1)
    return dx, dw1, db1, dw2, db2  # in the order of forward
    # END SOLUTION
