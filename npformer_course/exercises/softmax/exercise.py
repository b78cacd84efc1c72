# %% [markdown]
# # Softmax
#
# In attention (section 3.2.1, equation 1) a word gives every other word a score, a number of any
# size and either sign. What it then needs are *weights* with which to average: positive, and 1 in
# sum. Softmax makes weights of scores:
#
# $$y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# The power makes everything positive, the division makes the sum 1, and the order is kept. What
# counts is how far scores lie apart: a score that is 1 more than another has $e \approx 2.7$ times
# its weight, wherever both stand.
#
# Softmax comes back at the very end of the model, where the scores of all words of the vocabulary
# become probabilities.
#
# In code the scores of many words come in one array: $x$ is $(B, T, S)$, and each of the $B \cdot
# T$ rows of $S$ scores is a case of its own. Here is the formula, row by row:


# %%
import numpy as np


def softmax_slowly(x):
    """The same as below by loops, for x (B, T, S) and scores that are not large."""
    B, T, S = x.shape
    y = np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            total = 0.0
            for s in range(S):
                total += np.exp(x[b, t, s])
            for s in range(S):
                y[b, t, s] = np.exp(x[b, t, s]) / total
    return y


# %% [markdown]
# ## Where the formula fails
#
# A float64 ends at about $10^{308}$, so `np.exp(710)` is already `inf`. A row with the scores 1000
# and 1001 gives `inf / inf`, which is not a number, although the weights asked for are harmless:
# 0.27 and 0.73, as for the scores 0 and 1. At $-1000$ and $-1001$ both powers are 0, and `0 / 0` is
# no better. In float32, in which models are trained, the end comes at a score of 89.
#
# The way out was named above: only distances count. For any number $c$
#
# $$\frac{e^{x_i - c}}{\sum_j e^{x_j - c}} = \frac{e^{-c}\, e^{x_i}}{e^{-c} \sum_j e^{x_j}} = y_i$$
#
# so each row may be shifted before its powers are taken. Choose $c$ such that no power is too
# large, and such that the sum is never 0.
#
# ## Your turn
#
# Write `softmax` without a loop over rows. It works along the last axis; the axes before it are
# free: $x$ may be $(S,)$, $(B, T, S)$ or $(B, H, T, S)$. It must be right for large scores of either
# sign: one row may lie thousands above the next, and one score thousands below the others of its
# row. The array `x` is not changed.


# %%
def softmax(x):
    """Return the weights of the scores x (..., S), of the same shape.

    They are positive, with sum 1 along the last axis.
    """
    # BEGIN SOLUTION
    peak = x.max(-1, keepdims=True)
    shifted = x - peak
    powers = np.exp(shifted)
    row_sum = powers.sum(-1, keepdims=True)
    return powers / row_sum
    # END SOLUTION
