# %% [markdown]
# # The feed-forward network
#
# Attention mixes positions by taking averages, and once its weights are found an average is a
# linear map. Between two layers of attention the paper puts a network in which each position works
# alone, and in which something is not linear (section 3.3, equation 2):
#
# $$\mathrm{FFN}(x) = \max(0,\ x W_1 + b_1)\, W_2 + b_2$$
#
# $W_1$ is $(D, F)$ and $W_2$ is $(F, D)$, where $F$ is usually four times $D$. Each of the $F$
# hidden numbers asks a question of the position; $\max(0, \cdot)$, called ReLU, keeps silent where
# the answer is below 0, and $W_2$ puts together what the others say. Without the ReLU both maps
# would be one, $x (W_1 W_2)$, and the second half of the weights would be there for nothing.
#
# With the hidden numbers under a name of their own:
#
# $$h = \max(0,\ x W_1 + b_1), \qquad y = h\, W_2 + b_2$$
#
# Short code for a linear map, in case you want to use it. It takes a whole batch, and the same $w$
# and $b$ serve every position:


# %%
import numpy as np


def linear(x, w, b):
    """Return y = x w + b: x (..., D), w (D, F), b (F,), y (..., F)."""
    return np.tensordot(x, w, 1) + b


# %% [markdown]
# And here is what you write below, one position and one hidden number at a time:


# %%
def feed_forward_slowly(x, w1, b1, w2, b2):
    """The same as `feed_forward` below, for x (B, T, D)."""
    B, T, D = x.shape
    F = b1.size
    y, hidden = np.zeros((B, T, D)), np.zeros((B, T, F))
    for b in range(B):
        for t in range(T):
            y[b, t] = b2
            for f in range(F):
                before = x[b, t] @ w1[:, f] + b1[f]
                if before > 0:
                    hidden[b, t, f] = before
                    y[b, t] += before * w2[f]
    return y, hidden


# %% [markdown]
# ## Your turn
#
# Write it without loops. Return $h$ besides $y$, after the ReLU: it is all that backward will need
# of what happened in between, in the second part of the course. `x` is $(B, T, D)$, `hidden` is
# $(B, T, F)$.


# %%
def feed_forward(x, w1, b1, w2, b2):
    """Return y (B, T, D) and hidden (B, T, F), the hidden numbers after the ReLU.

    x (B, T, D), w1 (D, F), b1 (F,), w2 (F, D), b2 (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    hidden = np.maximum(0, linear(x, w1, b1))
    return linear(hidden, w2, b2), hidden
    # END SOLUTION
