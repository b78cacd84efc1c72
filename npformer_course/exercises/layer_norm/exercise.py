# %% [markdown]
# # Layer normalization
#
# You have normalized one position (section 3.1 and figure 1 of the paper, "Add & Norm"; Ba et al.
# 2016). A model normalizes all positions of a batch at once, $x$ of shape $(B, T, D)$, and keeps
# two results in between, because backward will want them. Each position is a row of $D$ features
# $x_1, \dots, x_D$, with a gain $g$ and a bias $b$ that are the same for all:
#
# $$\mu = \frac1D \sum_j x_j, \qquad
#   \sigma^2 = \frac1D \sum_j (x_j - \mu)^2, \qquad
#   r = \frac{1}{\sqrt{\sigma^2 + \varepsilon}}, \qquad
#   \hat x_i = (x_i - \mu)\, r, \qquad
#   y_i = g_i\, \hat x_i + b_i$$
#
# What is agreed on, because programs differ in it:
#
# - The variance is the mean of the squares: it divides by $D$, and not by $D - 1$.
# - $\varepsilon$ is added to the variance, inside the root. It is an argument of your function, and
#   the check takes a large one. (Its features are of order 1: where they lie far from 0, a mean of
#   squares minus the square of the mean is lost in rounding.)
# - Each position has a $\mu$ and an $r$ of its own. What other positions and other sentences hold
#   does not matter, so that the length of the sentences in a batch, padding included, changes
#   nothing. (*Batch* normalization goes the other way: one mean for each feature, over all
#   positions.)
#
# One number at a time:

# %%
import math

import numpy as np


def layer_norm_slowly(x, gain, bias, eps):
    """The same as below, by loops."""
    B, T, D = x.shape
    y, xhat, rstd = np.zeros((B, T, D)), np.zeros((B, T, D)), np.zeros((B, T, 1))
    for b in range(B):
        for t in range(T):
            mean = sum(x[b, t, j] for j in range(D)) / D
            var = sum((x[b, t, j] - mean) ** 2 for j in range(D)) / D
            rstd[b, t, 0] = 1 / math.sqrt(var + eps)
            for i in range(D):
                xhat[b, t, i] = (x[b, t, i] - mean) * rstd[b, t, 0]
                y[b, t, i] = gain[i] * xhat[b, t, i] + bias[i]
    return y, xhat, rstd


# %% [markdown]
# ## Your turn
#
# Write it without loops. Besides $y$, return what backward will want in the second part of the
# course: $\hat x$ (`xhat`, before gain and bias) and $r$ (`rstd`, the *reciprocal* of the standard
# deviation, with one number a position). Mind the shape of `rstd`: the last axis stays, with length
# 1, so that it can be multiplied with $(B, T, D)$ as it is.


# %%
def layer_norm(x, gain, bias, eps):
    """Normalize each position over its features, then scale and shift.

    x (B, T, D), gain (D,), bias (D,), eps a number above 0; D is at least 1. Returns y (B, T, D),
    xhat (B, T, D), rstd (B, T, 1), in this order. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(var + eps)
    xhat = (x - mean) * rstd
    return gain * xhat + bias, xhat, rstd
    # END SOLUTION
