# %% [markdown]
# # The linear map, both ways
#
# Two thirds of the weights of the paper's base model sit in one operation: multiply each position's
# features with a matrix, and add a bias. The projections $W^Q, W^K, W^V, W^O$ of section 3.2.2 are
# it, and both halves of equation 2 are. (The last third is the table of the words' vectors.)
#
# The paper writes a position as a row, $x$ with $D$ features, and puts the matrix on the right: $W$
# is $(D, F)$, $b$ is $(F,)$,
#
# $$y = x W + b, \qquad y_f = \sum_d x_d\, W_{df} + b_f$$
#
# One and the same $W$ and $b$ serve every position of every sentence of the batch; positions do not
# meet.
#
# Backwards, `dy` says how the loss moves with each number of $y$, and there are three answers to
# give: how it moves with $x$, with $W$ and with $b$. Take one position. From the formula, $y_f$
# moves with $x_d$ at the slope $W_{df}$, with $W_{df}$ at the slope $x_d$, and with $b_f$ at the
# slope 1. The chain rule multiplies by $dy_f$ and sums over everything that was moved:
#
# $$dx_d = \sum_f dy_f\, W_{df}, \qquad dW_{df} \text{ gets } x_d\, dy_f, \qquad db_f \text{ gets } dy_f$$
#
# "Gets", for that is what *one* position contributes. A weight that is used at many positions moves
# the loss through each of them, so its gradient is the sum over all positions of all sentences. It
# is a sum, never a mean: whether the loss is an average over something is decided where the loss is
# made, and `dy` knows it already. Here it all is, one number at a time:


# %%
import numpy as np


def linear_slowly(x, w, b):
    """The same as `linear` below, by loops, for x (B, T, D)."""
    B, T, D = x.shape
    F = b.size
    y = np.zeros((B, T, F))
    for n in range(B):
        for t in range(T):
            for f in range(F):
                y[n, t, f] = b[f]
                for d in range(D):
                    y[n, t, f] += x[n, t, d] * w[d, f]
    return y


def linear_backward_slowly(dy, x, w):
    """The same as `linear_backward` below, by loops, for x (B, T, D)."""
    B, T, D = x.shape
    F = w.shape[1]
    dx, dw, db = np.zeros((B, T, D)), np.zeros((D, F)), np.zeros(F)
    for n in range(B):
        for t in range(T):
            for f in range(F):
                db[f] += dy[n, t, f]
                for d in range(D):
                    dx[n, t, d] += dy[n, t, f] * w[d, f]
                    dw[d, f] += x[n, t, d] * dy[n, t, f]
    return dx, dw, db


# %% [markdown]
# ## Your turn
#
# Write both without a loop over positions. The axes before the last are free: $x$ may be $(N, D)$,
# $(B, T, D)$, or $(B, H, T, D)$, and the same lines do for all of them. (`y.shape` is `x.shape`
# with another last number.)
#
# A sum over $f$ or over positions that are laid out in one axis is a matrix product, and its shapes
# leave little choice: which product of a matrix $(N, D)$ and a matrix $(N, F)$ has the shape of
# $W$? Mind one trap on the way: `reshape` fills a shape with the numbers in the order in which they
# lie; it does not exchange axes. A result whose shape fits only after `reshape`, where a transpose
# was due, has its numbers in the wrong places.


# %%
def linear(x, w, b):
    """Return y = x w + b, of shape (..., F).

    x (..., D): any number of axes before the last, at least one. w (D, F), b (F,).
    """
    # BEGIN SOLUTION
    return x @ w + b
    # END SOLUTION


def linear_backward(dy, x, w):
    """Return the gradients of y = x w + b: dx (..., D), dw (D, F), db (F,).

    dy (..., F): the gradient at y. x (..., D), w (D, F): what forward was given. None of them is
    changed.
    """
    # BEGIN SOLUTION
    rows = x.reshape(-1, x.shape[-1])
    drows = dy.reshape(-1, dy.shape[-1])
    dx = (drows @ w.T).reshape(x.shape)
    dw = rows.T @ drows
    return dx, dw, drows.sum(0)
    # END SOLUTION
