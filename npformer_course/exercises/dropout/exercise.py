# %% [markdown]
# # Dropout
#
# A model with millions of numbers can learn its training sentences by heart. *Dropout* (Srivastava
# et al. 2014; section 5.4 of the paper) makes that hard: while training, each number of a layer's
# result is set to 0 with probability $p$, at random, others in every step, so that nothing can rely
# on one particular number being there. When the model is used, nothing is dropped.
#
# A number that is there with probability $1 - p$ only would be smaller on average than later, when
# the model is used. So what is kept is made larger at once, and the mean stays: $\;p \cdot 0 + (1 -
# p) \cdot \frac{x}{1 - p} = x$.
#
# $$y_i = \begin{cases} 0 & \text{with probability } p \\ \dfrac{x_i}{1 - p} & \text{otherwise} \end{cases}
#   \qquad\qquad
#   dx_i = \begin{cases} 0 & \text{where } y_i \text{ was dropped} \\ \dfrac{dy_i}{1 - p} & \text{elsewhere}
#   \end{cases}$$
#
# Backward is easy, with one catch. *Where $y_i$ was dropped*: chance has spoken in forward, and
# backward has to know what it said. So this layer cannot be two functions of arrays: it must
# remember something from the one to the other. That makes it a class here. It needs nothing of the
# exercises before it; the one on Add & Norm was given the factors that are drawn here.
#
# Chance can be checked only when it is agreed on which random numbers are drawn. They come from a
# NumPy generator, `rng`, and this is the agreement:
#
# - In training mode, each `forward` draws `rng.random(x.shape)` once, and nothing else: one number
#   in $[0, 1)$ for each number of `x`. Where it is $\ge p$, the number of `x` is kept.
# - In eval mode, `forward` returns `x` as it is, and draws nothing. Its `backward` returns `dy` as
#   it is.
# - `backward` draws nothing. It belongs to the last `forward`, in the mode that held then.
#
# One number at a time, for forward:

# %%
import numpy as np


def dropout_slowly(x, p, training, rng):
    """The same as `Dropout.forward` below, by a loop."""
    if not training:
        return x
    numbers = rng.random(x.shape)
    y = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        if numbers[place] >= p:
            y[place] = x[place] / (1 - p)
    return y


# %% [markdown]
# ## Your turn
#
# Write `forward` and `backward`, without loops. What forward leaves for backward is up to you: put
# it on `self`. One layer is used many times, like this, and the check does the same:
#
# ```python
# layer = Dropout(0.1, np.random.default_rng(0))
# y = layer.forward(x)  # training mode
# dx = layer.backward(dy)
# y = layer.forward(x)  # the next step: other numbers are dropped
# dx = layer.backward(dy)
# layer.training = False
# y = layer.forward(x)  # eval mode
# ```


# %%
class Dropout:
    """Set each value to 0 with probability p while training, and scale the others by 1 / (1 - p)."""

    def __init__(self, p, rng):
        """Take the probability p, 0 <= p < 1, and a np.random.Generator.

        `training` may be set from outside.
        """
        self.p = p
        self.rng = rng
        self.training = True

    def forward(self, x):
        """Return y, of the shape of x.

        x has any shape, (B, T, D) for instance, and is not changed.
        """
        # BEGIN SOLUTION
        self.factor = np.ones_like(x)
        if self.training:
            keep = self.rng.random(x.shape) >= self.p
            self.factor = keep / (1 - self.p)
        return x * self.factor
        # END SOLUTION

    def backward(self, dy):
        """Return dx for the last forward, of the shape of dy, which is not changed."""
        # BEGIN SOLUTION
        return dy * self.factor
        # END SOLUTION
