# %% [markdown]
# # Bug hunt: tests that can fail
#
# A wrong backward does not crash. Shapes fit, the loss sinks (more slowly than it could), and
# nobody notices. The three functions below are of this kind. Each looks as it should and has one
# wrong line. What finds it is a test, and a test can be wrong too: it can let the bug pass, or it
# can fail on code that is right.
#
# So the roles change. The code is given, and you write the tests. This tool you know from an
# earlier exercise: the derivative of $\sum dy \cdot f(x)$, taken by moving one number of $x$ after
# the other.

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
# The forwards, all of them right:


# %%
def layer_norm(x, gain, bias, eps=1e-6):
    """(B, T, D) -> y (B, T, D), and what backward needs: xhat (B, T, D), rstd (B, T, 1)."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


def softmax(x):
    """(B, V) -> (B, V)."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def average(weights, keep, value):
    """Dropout of attention weights (B, T, S), then the average of value (B, S, K): (B, T, K).

    keep (B, T, S) holds 0 where a weight is dropped and 1 / (1 - p) elsewhere.
    """
    return (weights * keep) @ value


# %% [markdown]
# And the suspects, as text. `build("softmax_backward")` makes a function of one, so that you can
# call it. Each has one line that is wrong, in the body and not in the text at its head.

# %%
CODE = {
    "layer_norm_backward": '''def layer_norm_backward(dy, xhat, rstd, gain):
    """dy, xhat (B, T, D), rstd (B, T, 1), gain (D,) -> dx (B, T, D), dgain (D,), dbias (D,)"""
    dgain = (dy * xhat).sum((0, 1))
    dbias = dy.sum((0, 1))
    dxhat = dy * gain
    along_ones = gain * dy.mean(-1, keepdims=True)
    along_xhat = (dxhat * xhat).mean(-1, keepdims=True)
    dx = rstd * (dxhat - along_ones - xhat * along_xhat)
    return dx, dgain, dbias
''',
    "softmax_backward": '''def softmax_backward(dy, y):
    """dy (B, V), y (B, V): what softmax returned -> dx (B, V)"""
    total = (dy * y).sum(-1, keepdims=True)
    dx = y * (dy - total)
    dx = dx / len(dx)
    return dx
''',
    "average_backward": '''def average_backward(dy, weights, keep, value):
    """dy (B, T, K), weights, keep (B, T, S), value (B, S, K) -> dweights, dvalue of their shapes"""
    dropped = dy @ value.swapaxes(-1, -2)
    dweights = dropped * keep
    dvalue = weights.swapaxes(-1, -2) @ dy
    return dweights, dvalue
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
#    number;
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
def test_layer_norm_backward(layer_norm_backward):
    """Raise AssertionError unless layer_norm_backward(dy, xhat, rstd, gain) is right.

    It returns dx, dgain, dbias.
    """
    # BEGIN SOLUTION
    rng = np.random.default_rng(1)
    x, dy = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5))
    gain, bias = rng.normal(size=5), rng.normal(size=5)
    _, xhat, rstd = layer_norm(x, gain, bias)
    dx, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    by_number = numeric_gradient(lambda x: layer_norm(x, gain, bias)[0], x, dy)
    assert largest_error(dx, by_number) < 1e-6
    assert largest_error(dgain, (dy * xhat).sum((0, 1))) < 1e-6
    assert largest_error(dbias, dy.sum((0, 1))) < 1e-6
    # END SOLUTION


# %%
def test_softmax_backward(softmax_backward):
    """Raise AssertionError unless softmax_backward(dy, y) is right: dx."""
    # BEGIN SOLUTION
    rng = np.random.default_rng(2)
    x, dy = rng.normal(size=(3, 5)), rng.normal(size=(3, 5))
    dx = softmax_backward(dy, softmax(x))
    assert largest_error(dx, numeric_gradient(softmax, x, dy)) < 1e-6
    # END SOLUTION


# %%
def test_average_backward(average_backward):
    """Raise AssertionError unless average_backward(dy, weights, keep, value) is right.

    It returns dweights, dvalue.
    """
    # BEGIN SOLUTION
    rng = np.random.default_rng(4)
    weights, value = softmax(rng.normal(size=(2, 3, 4))), rng.normal(size=(2, 4, 5))
    keep = (rng.random((2, 3, 4)) > 0.4) / 0.6
    dy = rng.normal(size=(2, 3, 5))
    dweights, dvalue = average_backward(dy, weights, keep, value)
    by_weights = numeric_gradient(lambda w: average(w, keep, value), weights, dy)
    by_value = numeric_gradient(lambda v: average(weights, keep, v), value, dy)
    assert largest_error(dweights, by_weights) < 1e-6
    assert largest_error(dvalue, by_value) < 1e-6
    # END SOLUTION


# %%
def guilty_lines():
    """Return a dict: for each name in CODE the number of the wrong line, or its text."""
    # BEGIN SOLUTION
    lines = {"layer_norm_backward": 6, "softmax_backward": 5, "average_backward": 5}
    return lines
    # END SOLUTION
