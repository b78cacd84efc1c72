# %% [markdown]
# # RMSNorm
#
# LayerNorm does two things to a position: it subtracts the mean of the features, and it divides by
# their standard deviation. Zhang and Sennrich (2019) asked which of the two a model needs, left the
# first one out, and found models that were as good and a little faster. Most language models since
# 2023 normalize like this. What remains is a division by the *root of the mean of the squares*
# (RMS), and there is no bias either:
#
# $$s = \frac{1}{\sqrt{\frac1D \sum_j x_j^2 + \varepsilon}}, \qquad
#   \hat x_i = x_i\, s, \qquad y_i = g_i\, \hat x_i$$
#
# As in LayerNorm, each position of $x$ $(B, T, D)$ has an $s$ of its own, $\varepsilon$ is inside
# the root, and the gain $g$ is the same for all positions.
#
# **Backward.** $x_j$ moves $\hat x_i$ in two ways, no longer in three: directly where $i = j$, and
# through $s$. Put together:
#
# $$\frac{\partial \hat x_i}{\partial x_j} = s \Big( \mathbb{1}[i = j] - \frac{\hat x_i \hat x_j}{D}
#   \Big), \qquad dx_j = \sum_i dy_i\, g_i\, \frac{\partial \hat x_i}{\partial x_j}$$
#
# One number at a time:

# %%
import math

import numpy as np


def rms_norm_slowly(x, gain, eps):
    """The same as `rms_norm` below, by loops."""
    B, T, D = x.shape
    y, xhat, scale = np.zeros((B, T, D)), np.zeros((B, T, D)), np.zeros((B, T, 1))
    for b in range(B):
        for t in range(T):
            mean_of_squares = sum(x[b, t, j] ** 2 for j in range(D)) / D
            scale[b, t, 0] = 1 / math.sqrt(mean_of_squares + eps)
            for i in range(D):
                xhat[b, t, i] = x[b, t, i] * scale[b, t, 0]
                y[b, t, i] = gain[i] * xhat[b, t, i]
    return y, xhat, scale


def rms_norm_backward_slowly(dy, xhat, scale, gain):
    """The same as `rms_norm_backward` below, by loops."""
    B, T, D = dy.shape
    dx, dgain = np.zeros((B, T, D)), np.zeros(D)
    for b in range(B):
        for t in range(T):
            for i in range(D):
                dgain[i] += dy[b, t, i] * xhat[b, t, i]
                for j in range(D):
                    slope = scale[b, t, 0] * ((i == j) - xhat[b, t, i] * xhat[b, t, j] / D)
                    dx[b, t, j] += dy[b, t, i] * gain[i] * slope
    return dx, dgain


# %% [markdown]
# ## Your turn
#
# Write both without loops. You have done the same for LayerNorm: which terms of it are left? Mind
# the shape of `scale`: the last axis stays, with length 1.


# %%
def rms_norm(x, gain, eps):
    """Divide each position by the root of the mean of its squares, then scale.

    x (B, T, D), gain (D,), eps a number above 0. Returns y (B, T, D), xhat (B, T, D), which is y
    before the gain, and scale (B, T, 1), the s of the formula. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    mean_of_squares = (x * x).mean(-1, keepdims=True)
    scale = 1 / np.sqrt(mean_of_squares + eps)
    xhat = x * scale
    return gain * xhat, xhat, scale
    # END SOLUTION


def rms_norm_backward(dy, xhat, scale, gain):
    """Return the gradients dx (B, T, D) and dgain (D,).

    dy (B, T, D): the gradient of y. xhat (B, T, D) and scale (B, T, 1): what forward returned.
    gain (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dgain = (dy * xhat).sum((0, 1))
    dxhat = dy * gain
    projection = (dxhat * xhat).mean(-1, keepdims=True)
    return scale * (dxhat - xhat * projection), dgain
    # END SOLUTION
