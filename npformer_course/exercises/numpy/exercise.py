# %% [markdown]
# # The NumPy you need
#
# **How an exercise is worked.** It is one file: prose, some code that is given, and a few functions
# of yours, which for now only raise `NotImplementedError`. Replace that line by your own and save.
# If `npformer course` is running in this folder, the file is checked as soon as it is saved. (If
# you work in the exercise's notebook instead of this file, run your cell and then the cell below
# it, which has `.check()`.) Your functions are called with random arrays, and the check lists what
# is right, and of what is not right as much as can be found out. Where a message gives a shape in
# letters, such as $(T, D)$, each letter is a length that was drawn at random. Print what you like,
# add functions of your own, ask for a hint (`npformer course hint`, or `.hint()`); try as often as
# you wish. Given functions whose name ends in `_slowly` say in loops what is to come out: read them
# and compare with them, but do not call them from yours, since they raise while an answer is
# checked.
#
# **What is accepted, in every exercise.** A correct answer with loops passes too, if no call takes
# longer than a few seconds: where a text says "without loops", that is what you are to learn, and
# not what is checked. Where several results are returned, a list is as good as a tuple. A result
# may be a view of an argument, or the argument itself where nothing has to change. The arguments
# must not be changed unless the text says so: most exercises have a point for that.
#
# Nearly all code of a Transformer is three things done to whole arrays. Here they are, on the kind
# of array that you will meet most: $x$ of shape $(B, T, D)$ has $B$ sentences, $T$ positions in
# each, and $D$ numbers, or *features*, at each position. All asserts below hold. Change a number in
# one, and running it ends with an error.
#
# **Axes.** Each place in the shape is an axis: 0 for sentences, 1 for positions, 2 for features.
# `x[b, t]` is all of the last axis at one place, an array $(D,)$. A sum, mean or maximum *along* an
# axis makes that axis disappear, unless `keepdims=True` leaves it there with length 1. Axis -1 is
# the last one, whatever the number of axes:

# %%
import numpy as np

x = np.arange(12.0).reshape(2, 3, 2)  # B = 2, T = 3, D = 2
assert x[1, 0].tolist() == [6, 7]
assert x.sum(-1).shape == (2, 3)
assert x.sum(-1, keepdims=True).shape == (2, 3, 1)
assert x.sum(1).shape == (2, 2)


# %% [markdown]
# **Broadcasting.** In `x + y` the two shapes are compared from the right. Lengths must be equal, or
# one of them is 1 or missing: then its numbers are repeated along that axis. So $(2, 3, 2)$ goes
# with $(2,)$, with $(3, 1)$ and with $(2, 3, 1)$, but not with $(2, 3)$. `None` inside the brackets
# adds an axis of length 1 in that place, and `...` means all axes that are not written: for `w` of
# shape $(2, 3)$ both `w[:, :, None]` and `w[..., None]` are $(2, 3, 1)$.
#
# When two lengths happen to be equal, the wrong axes can be matched without an error. This is why
# every check of this course draws different lengths, and equal ones too.

# %%
w = np.array([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
assert w[..., None].shape == w[:, :, None].shape == (2, 3, 1)
assert (x + w[..., None])[1, 2].tolist() == [10 + 5, 11 + 5]
assert (x + np.array([0, 100]))[0, 0].tolist() == [0, 101]


# %% [markdown]
# **Fancy indexing.** An array of integers in the brackets picks: with a table of shape $(V, D)$ and
# ids of shape $(B, T)$, `table[ids]` is $(B, T, D)$, a row for each id. Several arrays of integers
# are broadcast against each other, and each place of the result takes *one* number, at the indices
# that stand there in all of them:

# %%
table = np.array([[0, 1, 2], [10, 11, 12]])
row, column = np.array([[0], [1]]), np.array([2, 0])  # (2, 1) and (2,) make (2, 2)
assert table[np.array([1, 1, 0])].shape == (3, 3)
assert table[row, column].tolist() == [[2, 0], [12, 10]]


# %% [markdown]
# ## Your turn
#
# Write three functions, a line or two each, without loops. `center` subtracts at each position the
# mean of its features, `scale` multiplies all features of a position by one number, and `pick`
# takes one score at each position:
#
# $$\mathrm{center}(x)_{btd} = x_{btd} - \frac1D \sum_{i=1}^D x_{bti} \qquad
#   \mathrm{scale}(x, w)_{btd} = w_{bt}\, x_{btd} \qquad
#   \mathrm{pick}(s, ids)_{bt} = s_{b,\, t,\, ids_{bt}}$$
#
# These loops say the same:


# %%
def center_slowly(x):
    y = np.zeros(x.shape)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            mean = sum(x[b, t, d] for d in range(x.shape[2])) / x.shape[2]
            for d in range(x.shape[2]):
                y[b, t, d] = x[b, t, d] - mean
    return y


def scale_slowly(x, weights):
    y = np.zeros(x.shape)
    for b in range(x.shape[0]):
        for t in range(x.shape[1]):
            for d in range(x.shape[2]):
                y[b, t, d] = weights[b, t] * x[b, t, d]
    return y


def pick_slowly(scores, ids):
    y = np.zeros(ids.shape)
    for b in range(ids.shape[0]):
        for t in range(ids.shape[1]):
            y[b, t] = scores[b, t, ids[b, t]]
    return y


# %%
def center(x):
    """Return x (B, T, D) less the mean of the features of each position.

    x itself stays as it was.
    """
    # BEGIN SOLUTION
    mean = x.mean(-1, keepdims=True)
    return x - mean
    # END SOLUTION


def scale(x, weights):
    """Return x (B, T, D) with all features of a position multiplied by its weight.

    weights: (B, T).
    """
    # BEGIN SOLUTION
    factors = weights[..., None]
    return factors * x
    # END SOLUTION


def pick(scores, ids):
    """Return the score of one id at each position, (B, T).

    scores: (B, T, V). ids: integers (B, T).
    """
    # BEGIN SOLUTION
    sentences = np.arange(ids.shape[0])[:, None]
    positions = np.arange(ids.shape[1])
    return scores[sentences, positions, ids]
    # END SOLUTION
