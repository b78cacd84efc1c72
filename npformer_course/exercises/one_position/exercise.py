# %% [markdown]
# # Residual connection and LayerNorm of one position
#
# Around every attention and every feed-forward network, figure 1 of the paper draws a box "Add &
# Norm". Here you write what it does to a single position, a row of $D$ features. Batches come in
# the next exercises.
#
# **Add** is the *residual connection*. A sub-layer was given $x$ and has computed $f$, of the same
# length. What goes on is the sum:
#
# $$z_i = x_i + f_i$$
#
# So a sub-layer only has to say what to change: one that returns 0 changes nothing.
#
# **Norm** is *layer normalization* (Ba et al. 2016; section 3.1). A Transformer is a tall stack,
# and every floor adds something to the same vector. Left alone, the sums grow, more at some
# positions than at others, and each layer would have to cope with whatever sizes the layers below
# happen to make. So each position is brought back to one scale. Take off the mean of its features,
# divide by their spread, and let two learned vectors of $D$ numbers, the gain $g$ and the bias $b$,
# choose another scale and place for each feature:
#
# $$\mu = \frac1D \sum_j z_j, \qquad
#   \sigma^2 = \frac1D \sum_j (z_j - \mu)^2, \qquad
#   y_i = g_i\, \frac{z_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + b_i$$
#
# For example, $x = (1, 2, 0, 1)$ and $f = (2, 0, 2, 0)$ have the sum $z = (3, 2, 2, 1)$. Its mean
# is 2, the distances from it are $(1, 0, 0, -1)$, and the mean of their squares is 0.5. Divided by
# $\sqrt{0.5}$ the distances are $(1.41, 0, 0, -1.41)$, and this is $y$, where the gain is 1, the
# bias 0, and $\varepsilon$ too small to be seen.
#
# Two things to agree on, because programs differ in them:
#
# - The variance $\sigma^2$ is the mean of the squares: it divides by $D$. (Dividing by $D - 1$ is
#   for guessing the variance of a population from a sample. Nothing is guessed here: these $D$
#   numbers are all there are.)
# - $\varepsilon$ is added to the variance, inside the root. It keeps a position whose features are
#   all equal from dividing by 0. It is an argument of your function; it is usually tiny, but the
#   check takes a large one.
#
# One number at a time:

# %%
import math

import numpy as np


def residual_slowly(x, f):
    """The same as `residual` below, by a loop."""
    z = np.zeros(len(x))
    for i in range(len(x)):
        z[i] = x[i] + f[i]
    return z


def normalize_slowly(z, gain, bias, eps):
    """The same as `normalize` below, by loops."""
    D = len(z)
    mean = 0.0
    for j in range(D):
        mean += z[j] / D
    var = 0.0
    for j in range(D):
        var += (z[j] - mean) ** 2 / D
    y = np.zeros(D)
    for i in range(D):
        y[i] = gain[i] * (z[i] - mean) / math.sqrt(var + eps) + bias[i]
    return y


# %% [markdown]
# ## Your turn
#
# Write both without loops: NumPy adds, multiplies and takes means of whole rows. Try the example
# above on your functions before you check them. Mind that `x += f` would change the array $x$
# itself, which belongs to the caller.


# %%
def residual(x, f):
    """Return z (D,), the sum of what went into a sub-layer and of what it computed.

    x (D,), f (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    return x + f
    # END SOLUTION


def normalize(z, gain, bias, eps):
    """Return y (D,): z normalized over its features, then scaled and shifted.

    z (D,), gain (D,), bias (D,), eps a number above 0. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    distances = z - z.mean()
    var = (distances**2).mean()
    std = np.sqrt(var + eps)
    return gain * distances / std + bias
    # END SOLUTION
