# %% [markdown]
# # Softmax, backwards
#
# In the exercise on softmax each row of $S$ scores became a row of weights (equation 1 of the
# paper):
#
# $$y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# Now `dy` says how the loss moves with each weight, and you say how it moves with each score.
#
# In the linear map every slope was in the formula, ready to be read off. Here a score $x_j$ stands
# above the bar of its own weight only, but below the bar of all weights of its row: if it grows,
# its own weight grows and every other one shrinks, since they share a sum of 1. So each $x_j$ moves
# *every* $y_i$ of its row. The quotient rule gives both cases in one line (try it on paper; the
# notebook does it too):
#
# $$\frac{\partial y_i}{\partial x_j} = y_i\, \big( \mathbb{1}[i = j] - y_j \big)$$
#
# For $i = j$ this is $y_i (1 - y_i)$, above 0; for $i \ne j$ it is $-y_i y_j$, below 0. No score is
# left in it: what forward returned is all that backward needs. The chain rule then sums over
# everything that $x_j$ moves:
#
# $$dx_j = \sum_i dy_i\, \frac{\partial y_i}{\partial x_j}$$
#
# Rows do not meet. One number at a time:


# %%
import numpy as np


def softmax_backward_slowly(dy, y):
    """The same as below by loops, for y (B, T, S)."""
    B, T, S = y.shape
    dx = np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            for j in range(S):
                for i in range(S):
                    dx[b, t, j] += dy[b, t, i] * y[b, t, i] * ((i == j) - y[b, t, j])
    return dx


# %% [markdown]
# ## Under a mask
#
# Attention also takes softmax under a mask. There a hidden place has the weight 0, and a row that
# may see nothing has weights of 0 throughout. `dy` may be anything at a hidden place, because the
# layers above do not know what is hidden. Yet moving a hidden score moves nothing, so `dx` must be
# 0 there, and a hidden place may not take part in the sum for the others. Your function gets `dy`
# and the weights `y`, and no mask. Look where $y$ stands in the formula: is that enough?
#
# ## Your turn
#
# Write it without loops, and without the matrix of slopes: for a sentence of 1000 words, that
# matrix would have a million entries for each of its 1000 rows. Put the slope into the sum over
# $i$, multiply out, and see what each of the two terms leaves. One of them is one number per row.
#
# As in forward, rows lie along the last axis, and the axes before it are free: $y$ may be $(B, T,
# S)$ or $(B, H, T, S)$.


# %%
def softmax_backward(dy, y):
    """Return dx (..., S), the gradient at the scores.

    dy (..., S): the gradient at the weights. y (..., S): the weights that softmax returned. Each
    row has the sum 1, or weights of 0 throughout. Neither is changed.
    """
    # BEGIN SOLUTION
    products = dy * y
    total = products.sum(-1, keepdims=True)
    rest = dy - total
    return y * rest
    # END SOLUTION
