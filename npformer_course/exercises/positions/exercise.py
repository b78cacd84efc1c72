# %% [markdown]
# # The sinusoidal table
#
# Attention sees a set of vectors. Shuffle the words of a sentence, and its results are shuffled,
# nothing else: "the dog bites the man" and "the man bites the dog" are one to it. So the order has
# to be written into the vectors, and section 3.5 of the paper does it by adding to each word's
# vector a vector that stands for its place:
#
# $$PE_{(pos,\,2i)} = \sin\!\left(\frac{pos}{10000^{2i/d_{model}}}\right), \qquad
#   PE_{(pos,\,2i+1)} = \cos\!\left(\frac{pos}{10000^{2i/d_{model}}}\right), \qquad
#   i = 0, \dots, \tfrac{d_{model}}2 - 1$$
#
# Think of clocks. Each $i$ is a clock, and its hand has two coordinates, a sine and a cosine: that
# is why two features share one $i$. The first clock ($i = 0$) turns by one radian a position, the
# last one nearly ten thousand times more slowly. Fast hands tell neighbors apart, slow ones tell
# the beginning from the end. And moving on by $k$ positions turns every hand by an angle that
# depends on $k$ alone, wherever one starts: a linear map, which the paper hoped attention would
# find easy to use for "three words back".
#
# Two things that are easily misread:
#
# - The $2i$ in the exponent is the *number of the feature*, not of the pair. With $d_{model} = 6$
#   the three exponents are $0, \tfrac26, \tfrac46$.
# - Sine and cosine of one clock stand side by side: sine at feature 0, cosine at 1, the next sine
#   at 2, and so on. (Some programs put all sines first, then all cosines. A model can learn with
#   either, but weights trained with one are useless with the other.)
#
# Positions count from 0. One number at a time:

# %%
import math

import numpy as np


def sinusoids_slowly(n_positions, d_model):
    """The same as `sinusoids` below, by loops."""
    table = np.zeros((n_positions, d_model))
    for pos in range(n_positions):
        for i in range(d_model // 2):
            angle = pos / 10000 ** (2 * i / d_model)
            table[pos, 2 * i] = math.sin(angle)
            table[pos, 2 * i + 1] = math.cos(angle)
    return table


# %% [markdown]
# ## Your turn
#
# Two functions, without loops. (In this course loops of any kind are accepted, over features too.)
#
# `sinusoids` makes the table: a column of positions divided by a row of $d_{model}/2$ numbers gives
# all the angles at once, and slices with a step of 2 put sines and cosines in their places.
#
# `add_positions` adds it to a batch of sentences. Each sentence holds the positions from `start`
# on: in training `start` is 0, but when a sentence is written one word at a time, the word that
# comes in alone is not at position 0. The table is an argument and may hold more rows than are
# wanted, and not sines only: section 3.5 tried a learned one too.
#
# $$y_{b,t} = x_{b,t} + PE_{start + t}$$
#
# (Its backward is one line, which you need not write: $dx = dy$. The table of sines has nothing to
# learn.)


# %%
def sinusoids(n_positions, d_model):
    """Return the table of section 3.5, shape (n_positions, d_model).

    Its rows are those of positions 0 to n_positions - 1. d_model is even. Sines stand at the even features, cosines at the odd ones.
    """
    # BEGIN SOLUTION
    position = np.arange(n_positions)[:, None]
    even = np.arange(0, d_model, 2)
    angle = position / 10000 ** (even / d_model)
    waves = np.empty((n_positions, d_model))
    waves[:, 0::2] = np.sin(angle)
    waves[:, 1::2] = np.cos(angle)
    return waves
    # END SOLUTION


def add_positions(x, table, start):
    """Return x with a row of the table added at each position, (B, T, D).

    x (B, T, D), table (at least start + T, D). Of every sentence, x[:, t] is at position start + t.
    The inputs are not changed.
    """
    # BEGIN SOLUTION
    T = x.shape[1]
    return x + table[start : start + T]
    # END SOLUTION
