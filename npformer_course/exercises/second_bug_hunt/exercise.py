# %% [markdown]
# # Second bug hunt: tables that are shared
#
# In the first hunt random inputs were nearly enough. Here they are not. What many places share gets
# a gradient from many places, and a bug in such a sum shows only where two of its terms meet. So
# ask of each function below what has to meet, and see to it that it meets in your test. It is the
# same with axes that are cut and put together: they must be long enough for the bug to show.
#
# Again the code is given, each function has one wrong line, and you write the tests. The tool is
# that of the first hunt: the derivative of $\sum dy \cdot f(x)$, taken by moving one number of $x$
# after the other.

# %%
import numpy as np


def numeric_gradient(f, x, dy, h=1e-5):
    """Return the gradient of sum(dy * f(x)) at x, an array like x; x is put back as it was."""
    x, dx = x.copy(), np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        before = x[i]
        x[i] = before + h
        above = (dy * f(x)).sum()
        x[i] = before - h
        below = (dy * f(x)).sum()
        x[i] = before
        dx[i] = (above - below) / (2 * h)
    return dx


def largest_error(got, expected):
    """Return the largest difference as a part of the largest expected magnitude."""
    return np.abs(got - expected).max() / (np.abs(expected).max() or 1.0)


# %% [markdown]
# The forwards, both of them right:


# %%
def embed(ids, table):
    """Look up: ids (B, T), table (V, D) -> (B, T, D)."""
    return table[ids] * np.sqrt(table.shape[1])


def generate(table, y):
    """The generator, which shares the table: table (V, D), y (B, T, D) -> logits (B, T, V)."""
    return y @ table.T


# %% [markdown]
# And the suspects, as text. `build("tied_backward")` makes a function of one, so that you can call
# it. Each has one line that is wrong, in the body and not in the text at its head.
#
# `split_heads` is no backward: it cuts the $D = H K$ features of every position into $H$ heads of
# $K$, feature $h K + k$ being number $k$ of head $h$. `tied_backward` needs a word: the same table
# is used by `embed`, whose output gets the gradient `dx`, and by `generate`, whose output gets
# `dlogits`. What it returns is the gradient of the table from both. Here id 0 is a token like any
# other: nothing is padding.

# %%
CODE = {
    "split_heads": '''def split_heads(x, n_heads):
    """x (B, T, H * K) -> (B, H, T, K)"""
    B, T, D = x.shape
    width = D // n_heads
    heads = x.reshape(B, n_heads, T, width)
    return heads
''',
    "embedding_backward": '''def embedding_backward(dy, ids, vocab_size):
    """dy (B, T, D), ids (B, T) -> dtable (V, D)"""
    D = dy.shape[-1]
    dtable = np.zeros((vocab_size, D))
    dtable[ids] += dy * np.sqrt(D)
    return dtable
''',
    "tied_backward": '''def tied_backward(dx, ids, dlogits, y):
    """dx, y (B, T, D), ids (B, T), dlogits (B, T, V) -> dtable (V, D)"""
    D, V = y.shape[-1], dlogits.shape[-1]
    dtable = np.zeros((V, D))
    np.add.at(dtable, ids, dx * np.sqrt(D))
    dtable = dlogits.reshape(-1, V).T @ y.reshape(-1, D)
    return dtable
''',
}


def build(name):
    """Return the function of this name, made of its text."""
    namespace = {"np": np}
    exec(CODE[name], namespace)
    return namespace[name]


# %% [markdown]
# ## Your turn
#
# **Three tests.** Each is a function that is given an implementation, calls it on inputs of your
# choice, and raises an `AssertionError` if the implementation is wrong (by `assert`, or by a
# function of `np.testing`). If it is right, the test returns. For example, a test of a function
# that doubles:
#
#     def test_double(double):
#         assert largest_error(double(np.array([1.0, -3.0])), np.array([2.0, -6.0])) < 1e-6
#
# Each of your tests is run on six implementations, in an order that you do not know. The results
# are shown in this order:
#
# 1. a right one: your test must let it pass;
# 2. another right one, in a different style, which takes the same arguments, in the shapes that the
#    text at its head says, and returns the same;
# 3. a right one that rounds differently: its results differ by up to $10^{-10}$ of their largest
#    number. (`split_heads` only moves numbers about, so there it is one more style instead);
# 4. the one above, `build(name)`: your test must fail on it;
# 5. one that returns twice what is right: your test must fail;
# 6. one that returns ones: your test must fail.
#
# 0 stands for a test that passed, 1 for an `AssertionError`; anything else that is raised ends the
# check of the test, and you see the line. Points are given only for 0 0 0 1 1 1. Your inputs must
# be such that the bug shows; that is what this exercise is about, and the question under "Predict
# first" is about inputs on which it does not. Arguments may be given by position or by name. Try a
# test on `build(name)` first, but do not stop there: that it fails says nothing as long as you have
# not seen it pass.
#
# **Three lines.** And say which line of each is wrong. Lines are counted from 1, the line with
# `def`. (A check shows your answer as a sealed number, from which you learn whether it is right,
# and no more.)


# %%
def test_split_heads(split_heads):
    """Raise AssertionError unless split_heads(x, n_heads) is right: (B, H, T, K)."""
    # BEGIN SOLUTION
    B, T, H, K = 2, 3, 4, 5
    x = np.random.default_rng(3).normal(size=(B, T, H * K))
    y = split_heads(x, H)
    assert y.shape == (B, H, T, K)
    for h in range(H):
        assert largest_error(y[:, h], x[:, :, h * K : (h + 1) * K]) < 1e-6
    # END SOLUTION


# %%
def test_embedding_backward(embedding_backward):
    """Raise AssertionError unless embedding_backward(dy, ids, vocab_size) is right: dtable."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(5)
    ids = np.array([[1, 2, 1], [4, 1, 2]])
    table, dy = rng.normal(size=(6, 4)), rng.normal(size=(2, 3, 4))
    dtable = embedding_backward(dy, ids, len(table))
    by_table = numeric_gradient(lambda table: embed(ids, table), table, dy)
    assert largest_error(dtable, by_table) < 1e-6
    # END SOLUTION


# %%
def test_tied_backward(tied_backward):
    """Raise AssertionError unless tied_backward(dx, ids, dlogits, y) is right: dtable."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(6)
    table, y = rng.normal(size=(6, 4)), rng.normal(size=(2, 3, 4))
    dx = rng.normal(size=(2, 3, 4))
    ids, dlogits = np.array([[1, 2, 1], [4, 1, 2]]), rng.normal(size=(2, 3, 6))
    dtable = tied_backward(dx, ids, dlogits, y)
    by_embedding = numeric_gradient(lambda table: embed(ids, table), table, dx)
    by_generator = numeric_gradient(lambda table: generate(table, y), table, dlogits)
    assert largest_error(dtable, by_embedding + by_generator) < 1e-6
    # END SOLUTION


# %%
def guilty_lines():
    """Return a dict: for each name in CODE the number of the wrong line, or its text."""
    # BEGIN SOLUTION
    lines = {"split_heads": 5, "embedding_backward": 5, "tied_backward": 6}
    return lines
    # END SOLUTION
