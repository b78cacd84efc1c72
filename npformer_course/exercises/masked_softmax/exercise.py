# %% [markdown]
# # Softmax with a mask
#
# A query may not look everywhere: not at padding, and in a decoder not at words that are still to
# be written. Section 3.2.3 of the paper does this inside softmax, by "setting to $-\infty$ all
# values in the input of the softmax which correspond to illegal connections". As $e^{-\infty} = 0$,
# a hidden place gets no weight, and the places that can be seen share the whole 1 among themselves:
#
# $$y_{ts} = \frac{m_{ts}\, e^{x_{ts}}}{\sum_{s'} m_{ts'}\, e^{x_{ts'}}}, \qquad
#   m_{ts} = 1 \text{ where query } t \text{ may attend to key } s, \text{ else } 0$$
#
# The mask is an array of booleans, **True = may attend**. The scores are $(B, H, T, S)$: sentences,
# heads, queries, keys. All heads share one mask, so it comes as $(B, 1, T, S)$ and broadcasts. Where
# all queries may look at the same keys, as with padding, it comes as $(B, 1, 1, S)$.
#
# Three things make this harder than it looks.
#
# - **A row in which everything is hidden**, for instance a query of a sentence that is all padding.
#   The formula says $0/0$. There is nothing to look at, so in this course such a row has weights of
#   0 throughout. It is never NaN: in training one NaN spoils every number of a model at the next
#   update.
# - **Numbers that have no value.** $0 \cdot \infty$ and $-\infty - (-\infty)$ are NaN in floats. A
#   formula in which $\infty$ is multiplied by the mask, or taken away from itself, will meet one of
#   them.
# - **What is hidden has no say.** The score at a hidden place may be any finite number, 900 for
#   instance, next to visible ones around 0. The result must be what it would be if that place did
#   not exist.
#
# Here is the definition, one row after the other. The largest *visible* score is taken off first,
# as in the exercise on softmax, so that no power is too large.

# %%
import math

import numpy as np


def masked_softmax_slowly(x, mask):
    """The same as `masked_softmax` below, by loops."""
    B, H, T, S = x.shape
    mask = np.broadcast_to(mask, x.shape)
    y = np.zeros(x.shape)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                places = [s for s in range(S) if mask[b, h, t, s]]
                if places:
                    largest = max(x[b, h, t, s] for s in places)
                    total = sum(math.exp(x[b, h, t, s] - largest) for s in places)
                    for s in places:
                        y[b, h, t, s] = math.exp(x[b, h, t, s] - largest) / total
    return y


# %% [markdown]
# ## Your turn
#
# Write it without loops. Do not change `x` in place: it belongs to the caller.


# %%
def masked_softmax(x, mask):
    """Return the weights y (B, H, T, S) of the scores x (B, H, T, S).

    That is softmax over the last axis, under a mask. mask: booleans, (B, 1, T, S) or (B, 1, 1, S),
    True = may attend. Hidden places have weight 0, the visible ones of a row sum to 1. A row without
    any True has weights of 0 throughout. x and mask are not changed.
    """
    # BEGIN SOLUTION
    visible = np.where(mask, x, -np.inf)
    peak = visible.max(-1, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0)
    powers = np.exp(visible - peak)
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)
    # END SOLUTION
