# %% [markdown]
# # Adam by hand
#
# A gradient says in which direction a number $\theta$ of the model should move, but hardly how far:
# the gradients of some numbers are a thousand times larger than those of others, and one batch
# contradicts the next. Adam (section 5.3 of the paper; Kingma and Ba 2015, algorithm 1) takes two
# means over the gradients $g_1, \dots, g_t$ so far, and divides one by the root of the other:
#
# $$\theta \leftarrow \theta - \eta\, \frac{\hat m}{\sqrt{\hat v} + \epsilon}$$
#
# $\hat m$ is a mean of the gradients: what the batches agree on. $\hat v$ is a mean of their
# *squares*, so $\sqrt{\hat v}$ is the usual size of a gradient. $\eta$ is the learning rate.
# $\epsilon$ guards against a division by 0.
#
# Both means are weighted, and old gradients count less: the newest has the weight 1, the one before
# it $\beta$, the one before that $\beta^2$, and so on. The mean $\hat m$ has $\beta_1 = 0.9$ in the
# paper and looks back over about 10 gradients, $\hat v$ has $\beta_2 = 0.98$ and looks back over
# about 50. Here is that definition, as code which remembers all gradients:

# %%
import math

import numpy as np


def weighted_mean_slowly(numbers, beta):
    """Return the mean of the numbers with the weights 1, beta, beta^2, ... from the last one on."""
    t = len(numbers)
    total, weights = 0.0, 0.0
    for i, number in enumerate(numbers, 1):
        total += beta ** (t - i) * number
        weights += beta ** (t - i)
    return total / weights


def move_slowly(theta, gradients, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return theta after one update for each gradient, the first one first."""
    for t in range(1, len(gradients) + 1):
        mean = weighted_mean_slowly(gradients[:t], beta1)
        mean_square = weighted_mean_slowly([g**2 for g in gradients[:t]], beta2)
        theta -= lr * mean / (math.sqrt(mean_square) + eps)
    return theta


# %% [markdown]
# ## One number instead of all gradients
#
# Nobody keeps all gradients. A *running mean* $m$ starts at 0 and takes in one gradient at a time:
#
# $$m \leftarrow \beta\, m + (1 - \beta)\, g \qquad\text{so that after } t \text{ updates}\qquad
#   m = (1 - \beta) \big(g_t + \beta\, g_{t - 1} + \dots + \beta^{t - 1} g_1\big)$$
#
# The weights are those of the definition, times $1 - \beta$. But they do not add up to 1 yet: their
# sum is $(1 - \beta)(1 + \beta + \dots + \beta^{t - 1}) = 1 - \beta^t$, and $m$ is too small by this
# factor. Adam divides by it, which is called the *bias correction*:
#
# $$\hat m = \frac{m}{1 - \beta_1^t}, \qquad \hat v = \frac{v}{1 - \beta_2^t}$$
#
# where $v$ is the running mean of $g^2$, with $\beta_2$. What is kept from one update to the next
# is $m$ and $v$, not the corrected ones. $t$ is the number of this update, 1 in the first.
#
# ## Your turn
#
# Three functions of single numbers. $\epsilon$ is added **after** the root; in one of the checks it
# is large, so that its place shows. When they are written, make a first update by hand, with $m = v
# = 0$: how far does $\theta$ move for the gradient 700, and how far for 0.0001?


# %%
def running_mean(mean, new, beta):
    """Return the running mean after it has taken in a new number."""
    # BEGIN SOLUTION
    return beta * mean + (1 - beta) * new
    # END SOLUTION


def corrected(mean, beta, t):
    """Return the running mean with its bias corrected; it has taken in t numbers, 1 or more."""
    # BEGIN SOLUTION
    return mean / (1 - beta**t)
    # END SOLUTION


def move_one_number(theta, g, m, v, t, lr, beta1=0.9, beta2=0.98, eps=1e-9):
    """Return theta, m and v of a single number after update number t, in this order.

    theta: the number. g: its gradient. m, v: what the update before has left, 0 before the first.
    lr: the learning rate.
    """
    # BEGIN SOLUTION
    new_m = running_mean(m, g, beta1)
    new_v = running_mean(v, g**2, beta2)
    m_hat = corrected(new_m, beta1, t)
    v_hat = corrected(new_v, beta2, t)
    step = lr * m_hat / (np.sqrt(v_hat) + eps)
    return theta - step, new_m, new_v
    # END SOLUTION
