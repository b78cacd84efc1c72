# %% [markdown]
# # Layer normalization, backwards
#
# In exercise layer_norm every position was normalized over its $D$ features, then scaled and
# shifted:
#
# $$\hat x_i = (x_i - \mu)\, r, \qquad \mu = \tfrac1D \textstyle\sum_j x_j, \qquad
#   r = \frac{1}{\sqrt{\tfrac1D \sum_j (x_j - \mu)^2 + \varepsilon}}, \qquad y_i = g_i\, \hat x_i + b_i$$
#
# Now go back: `dy` says how the loss moves when $y$ moves, and you say how it moves when $x$, the
# gain $g$ and the bias $b$ move.
#
# The gain and the bias are easy: $y_i$ is a straight line in each. But they are the *same* gain and
# bias at every position of every sentence, and whatever feeds many places collects a gradient from
# each of them.
#
# $x_j$ is harder, because it moves every $\hat x_i$ of its position in three ways: directly when $i
# = j$, through the mean, and through $r$. Put together (try it on paper; section "LayerNorm" of the
# notebook does it slowly):
#
# $$\frac{\partial \hat x_i}{\partial x_j} = r \Big( \mathbb{1}[i = j] - \frac1D - \frac{\hat x_i \hat x_j}{D} \Big),
#   \qquad dx_j = \sum_i dy_i\, g_i\, \frac{\partial \hat x_i}{\partial x_j}$$
#
# Here is exactly that, one number at a time. It is right, and far too slow: for 512 features it
# would visit a quarter of a million pairs at every position.

# %%
import numpy as np


def layer_norm_backward_slowly(dy, xhat, rstd, gain):
    """The same as below, by loops."""
    B, T, D = dy.shape
    dx, dgain, dbias = np.zeros((B, T, D)), np.zeros(D), np.zeros(D)
    for b in range(B):
        for t in range(T):
            for i in range(D):
                dgain[i] += dy[b, t, i] * xhat[b, t, i]
                dbias[i] += dy[b, t, i]
                for j in range(D):
                    slope = rstd[b, t, 0] * ((i == j) - 1 / D - xhat[b, t, i] * xhat[b, t, j] / D)
                    dx[b, t, j] += dy[b, t, i] * gain[i] * slope
    return dx, dgain, dbias


# %% [markdown]
# ## Your turn
#
# Write it without loops. Multiply out the sum over $i$: of the three terms in the bracket, the
# first leaves one number alone, the other two become means over the features, one number a position
# each. No matrix of slopes is ever built.


# %%
def layer_norm_backward(dy, xhat, rstd, gain):
    """Return the gradients of layer normalization.

    dy (B, T, D): the gradient of the output. xhat (B, T, D) and rstd (B, T, 1): what forward kept.
    gain (D,). Returns dx (B, T, D), dgain (D,), dbias (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dgain = (dy * xhat).sum((0, 1))
    dbias = dy.sum((0, 1))
    dxhat = dy * gain
    along_ones = dxhat.mean(-1, keepdims=True)
    along_xhat = (dxhat * xhat).mean(-1, keepdims=True)
    return rstd * (dxhat - along_ones - xhat * along_xhat), dgain, dbias
    # END SOLUTION
