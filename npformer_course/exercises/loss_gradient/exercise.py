# %% [markdown]
# # The gradient of the loss
#
# Backward begins at the loss. At one position the model has a score $z_v$ for each of the $V$ tokens,
# a *logit*, and softmax makes probabilities of the scores. A target distribution $q$ says which
# token should come: usually $q$ is 1 for the right token and 0 for the others. The loss is the
# cross-entropy between the two:
#
# $$p_v = \frac{e^{z_v}}{\sum_u e^{z_u}}, \qquad L = -\sum_v q_v \ln p_v$$
#
# It looks as if its gradient were a long formula: a logarithm, of a quotient, of exponentials. But
# logarithm and exponential cancel. With $\ln p_v = z_v - \ln \sum_u e^{z_u}$, and because the $q_v$
# add up to 1,
#
# $$L = -\sum_v q_v\, z_v + \ln \sum_u e^{z_u}$$
#
# Now move one score, $z_j$. The first term has $z_j$ once, with the factor $-q_j$, so its derivative
# is $-q_j$. The derivative of the second term is that of the logarithm, times that of the sum:
#
# $$\frac{\partial}{\partial z_j} \ln \sum_u e^{z_u} = \frac{1}{\sum_u e^{z_u}} \cdot e^{z_j} = p_j
#   \qquad\text{and so}\qquad \frac{\partial L}{\partial z_j} = p_j - q_j$$
#
# What the model says, less what it should say. A token that is too probable has a gradient above 0,
# and its score goes down in the next step. Where $p = q$ nothing moves.
#
# Here are the loss, from its first formula, and a gradient that knows no formula at all: it moves
# each score a little and looks at the loss.

# %%
import math

import numpy as np


def cross_entropy_slowly(z, q):
    """The same as `cross_entropy` below by loops, for scores that are not large."""
    total = sum(math.exp(score) for score in z)
    loss = 0.0
    for score, target in zip(z, q, strict=True):
        loss -= target * math.log(math.exp(score) / total)
    return loss


def gradient_slowly(z, q):
    """The same as `gradient` below, measured."""
    h = 1e-4
    slopes = np.zeros(len(z))
    for j in range(len(z)):
        step = np.zeros(len(z))
        step[j] = h
        rise = cross_entropy_slowly(z + step, q) - cross_entropy_slowly(z - step, q)
        slopes[j] = rise / (2 * h)
    return slopes


# %% [markdown]
# Softmax is from an earlier exercise. It is right for large scores too:


# %%
def softmax(x):
    """Return the weights of the scores x (..., S), of the same shape."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


# %% [markdown]
# ## Your turn
#
# Write both for a single position, without loops. Scores near 800 and near $-800$ occur, and scores
# that are 800 below the others. A probability can then be too small for a float: it is rounded to
# 0, and the logarithm of 0 is infinite. The loss is a number nevertheless. So find $\ln p$ from the
# scores and not from $p$, and subtract the largest score before you take powers, as softmax does.


# %%
def cross_entropy(z, q):
    """Return the loss, one number: -sum_v q_v ln p_v, where p is the softmax of the scores.

    z (V,): the scores. q (V,): the target distribution, not negative, with the sum 1. Neither is
    changed.
    """
    # BEGIN SOLUTION
    shifted = z - z.max()
    total = np.exp(shifted).sum()
    log_p = shifted - np.log(total)
    return -(q * log_p).sum()
    # END SOLUTION


def gradient(z, q):
    """Return the gradient (V,) of `cross_entropy` with respect to the scores z (V,).

    q (V,): as above. Neither is changed.
    """
    # BEGIN SOLUTION
    p = softmax(z)
    return p - q
    # END SOLUTION
