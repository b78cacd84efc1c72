# %% [markdown]
# # Mean pooling and its backward
#
# Is this sentence correct? Is that mail spam? Such a question has one answer for a whole text, and
# the encoder gives a vector $x_s$ of $D$ features for each of $S$ positions. *Pooling* makes one
# vector of them. The plainest kind is their mean, over every position that holds a token:
#
# $$y = \frac{1}{n} \sum_{s\ \mathrm{real}} x_s$$
#
# Sentences of a batch are filled up to the same length with padding, and the encoder returns
# vectors there too. They mean nothing. The mask says which positions are real, and $n$ is how many
# there are: 3 for a sentence of three tokens, however long the longest sentence of its batch is. So
# a sentence has the same $y$ by itself and in any batch.
#
# On the way back `dy` says how the loss moves when $y$ moves, and you say how it moves when each
# vector moves. $y$ is a straight line in every $x_s$: look what stands in front of it, at a real
# position and at padding.
#
# For B sentences, one number at a time:

# %%
import numpy as np


def mean_pool_slowly(x, mask):
    """The same as below, by loops."""
    B, S, D = x.shape
    y = np.zeros((B, D))
    for b in range(B):
        real = [s for s in range(S) if mask[b, s]]
        for d in range(D):
            for s in real:
                y[b, d] += x[b, s, d] / len(real)
    return y


def mean_pool_backward_slowly(dy, mask):
    """The same as below, by loops."""
    (B, S), D = mask.shape, dy.shape[1]
    dx = np.zeros((B, S, D))
    for b in range(B):
        real = [s for s in range(S) if mask[b, s]]
        for s in real:
            for d in range(D):
                dx[b, s, d] = dy[b, d] / len(real)
    return dx


# %% [markdown]
# ## Your turn
#
# Write both without loops, two or three lines each. Each sentence has at least one real position,
# and they need not be the first ones.


# %%
def mean_pool(x, mask):
    """Return the mean y (B, D) of the real positions of x (B, S, D).

    mask (B, S): boolean, True where a position is real, at least once in a row. Neither is changed.
    """
    # BEGIN SOLUTION
    n_real = mask.sum(1, keepdims=True)
    weights = mask / n_real
    return (weights[..., None] * x).sum(1)
    # END SOLUTION


def mean_pool_backward(dy, mask):
    """Return dx (B, S, D), the gradient of x.

    dy (B, D): the gradient of y. mask (B, S): the mask of forward. Neither is changed.
    """
    # BEGIN SOLUTION
    shares = mask / mask.sum(1, keepdims=True)
    return shares[..., None] * dy[:, None]
    # END SOLUTION
