# id: softmax_backward | points: 8 | minutes: 40 | level: 2 | needs: softmax | notebook: 05b

# %% [markdown]
# # Softmax, backwards
#
# In the last exercise each row of $S$ scores became a row of weights (equation 1 of the paper):
#
# $$y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# Now `dy` says how the loss moves with each weight, and you say how it moves with each score.
#
# In the linear map every slope was in the formula, ready to be read off. Here a score $x_j$ stands above the bar of
# its own weight only, but below the bar of all weights of its row: if it grows, its own weight grows and every other
# one shrinks, since they share a sum of 1. So each $x_j$ moves *every* $y_i$ of its row. The quotient rule gives both
# cases in one line (try it on paper; notebook 05b does it too):
#
# $$\frac{\partial y_i}{\partial x_j} = y_i\, \big( \mathbb{1}[i = j] - y_j \big)$$
#
# For $i = j$ this is $y_i (1 - y_i)$, above 0; for $i \ne j$ it is $-y_i y_j$, below 0. No score is left in it: what
# forward returned is all that backward needs. The chain rule then sums over everything that $x_j$ moves:
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
# ## Your turn
#
# Write it without loops, and without the matrix of slopes: for a sentence of 1000 words, that matrix would have a
# million entries for each of its 1000 rows. Put the slope into the sum over $i$, multiply out, and see what each of the
# two terms leaves. One of them is one number per row.
#
# As in forward, rows lie along the last axis, and the axes before it are free: $y$ may be $(B, T, S)$ or
# $(B, H, T, S)$.


# %%
def softmax_backward(dy, y):
    """Return dx (..., S), the gradient at the scores.

    dy (..., S): the gradient at the weights. y (..., S): the weights that softmax returned, each row with sum 1.
    Neither is changed.
    """
    # BEGIN SOLUTION
    total = (dy * y).sum(-1, keepdims=True)
    return y * (dy - total)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def weights(scores):
    """The weights of scores that are not large."""
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def inputs(draw, B, T, S, H):
    """Draw weights and the gradients from above."""
    return {
        "dy": draw.normal(B, T, S),
        "y": weights(draw.normal(B, T, S)),
        "dy_heads": draw.normal(B, H, T, S),
        "y_heads": weights(draw.normal(B, H, T, S)),
    }


def backward(student, dy, y):
    return student.softmax_backward(dy, y)


def heads(student, dy_heads, y_heads):
    return student.softmax_backward(dy_heads, y_heads)


CALLS = [Call(backward, {"dx": 6}), Call(heads, {"dx of four axes": 1})]


def of_heads_slowly(dy_heads, y_heads):
    """The loops again, with batch and heads laid out in one axis."""
    flat = y_heads.reshape(-1, *y_heads.shape[2:])
    return softmax_backward_slowly(dy_heads.reshape(flat.shape), flat).reshape(y_heads.shape)


SLOW = {"backward": softmax_backward_slowly, "heads": of_heads_slowly}


def terms(dy, y):
    """What a score moves above the bar, and what it moves below."""
    return {
        "the direct term, dy * y": dy * y,
        "the part of the sum, y times sum(dy * y)": -y * (dy * y).sum(-1, keepdims=True),
    }


TERMS = {
    "dx": terms,
    "dx of four axes": lambda dy_heads, y_heads: terms(dy_heads, y_heads),
}

PREDICTION = Prediction(
    "Let dy be 1 everywhere: the loss is the plain sum of all weights. What is dx?",
    {"a": "1 everywhere", "b": "0 everywhere", "c": "y, the weights themselves"},
    answer="b",
    because="The weights of a row add up to 1 whatever the scores are, so this loss never moves. That is also why "
    "a check with dy of ones is weak here: a backward that sums y without dy, or forgets the factor y, gives 0, too.",
)

MISTAKES = [
    Mistake(
        "diagonal_only",
        "dx is what comes out when each score moves its own weight alone",
        Edit("dy - total", "dy - dy * y"),
        ask="If one score of a row grows, what do the weights of the other words do?",
    ),
    Mistake(
        "sum_without_dy",
        "the part of dx that comes from the other weights does not depend on dy",
        Edit("(dy * y).sum(-1", "y.sum(-1"),
        ask="The chain rule sums over i. Which factors under that sum carry the index i?",
    ),
    Mistake(
        "sum_without_y",
        "dx is what comes out when dy is summed over the row as it is",
        Edit("(dy * y).sum(-1", "dy.sum(-1"),
        ask="The chain rule sums over i. Which factors under that sum carry the index i?",
    ),
    Mistake(
        "mean_for_sum",
        "the part of dx that comes from the other weights is divided by the length of the row",
        Edit("(dy * y).sum(-1", "(dy * y).mean(-1"),
        ask="The y of a row add up to 1, so dy weighted by y is an average already. What is it divided by once more?",
    ),
    Mistake(
        "sum_missing",
        "dx is dy * y, as if the sum below the bar did not move with the scores",
        Edit("dy - total", "dy"),
        ask="Add the same number to all scores of a row. What happens to y, and so what must dx add up to?",
    ),
    Mistake(
        "weight_missing",
        "the average of dy is taken off dy, but what is left is not multiplied by the weights",
        Edit("return y * (dy - total)", "return dy - total"),
        ask="A score far below the others has a weight of nearly 0. How much does the loss move when it moves?",
    ),
    Mistake(
        "other_sign",
        "the part of dx that comes from the other weights has the wrong sign",
        Edit("dy - total", "dy + total"),
        ask="If one score grows, do the other weights of its row grow or shrink?",
    ),
    Mistake(
        "one_sum_for_all",
        "the sum runs over all rows of all sentences",
        Edit("(dy * y).sum(-1, keepdims=True)", "(dy * y).sum()"),
        ask="Does a score of the first row move a weight of the second?",
    ),
    Mistake(
        "axis_of_queries",
        "the sum runs along the last axis but one",
        Edit("(dy * y).sum(-1, keepdims=True)", "(dy * y).sum(-2, keepdims=True)"),
        ask="Which weights share a sum of 1, and along which axis do they lie?",
    ),
    Mistake(
        "weight_missing_in_the_sum",
        "the part of dx that comes from the other weights is the same for all scores of a row, whatever their weights",
        Edit("return y * (dy - total)", "return dy * y - total"),
        ask="A score far below the others has a weight of nearly 0. How much does the loss move when it moves?",
    ),
    Mistake(
        "softmax_again",
        "dx is what comes out when y is put through softmax once more, as if it were the scores",
        Edit("    total = (dy", "    y = np.exp(y) / np.exp(y).sum(-1, keepdims=True)\n    total = (dy"),
        ask="What does the docstring say that y is, and what do its rows add up to before your first line?",
    ),
    Mistake(
        "sum_off_the_weights",
        "dx is what comes out when the sum is taken off the weights, and the rest is multiplied by dy",
        Edit("return y * (dy - total)", "return dy * (y - total)"),
        ask="A score far below the others has a weight of nearly 0. How much does the loss move when it moves?",
    ),
    Mistake(
        "weight_missing_in_the_direct_term",
        "the part of dx that comes from a score's own weight is dy, whatever that weight is",
        Edit("return y * (dy - total)", "return dy - y * total"),
        ask="A score far below the others has a weight of nearly 0. How much does the loss move when it moves?",
    ),
    Mistake(
        "weight_twice_in_the_sum",
        "the part of dx that comes from the other weights is multiplied by the score's own weight twice",
        Edit("return y * (dy - total)", "return y * (dy - y * total)"),
        ask="How often does y_j stand in the slope of y_i by x_j?",
    ),
    Mistake(
        "with_cross_entropy",
        "dx is y - dy: a gradient for a loss of its own, a cross-entropy, and not for any dy",
        Edit("return y * (dy - total)", "return y - dy + 0 * total"),
        ask="Let dy be 0: the loss does not move with the weights. What is your dx?",
    ),
    Mistake(
        "dy_missing",
        "dx does not depend on dy",
        Edit("return y * (dy - total)", "return y * (1 - y) + 0 * total"),
        ask="Double dy. What should happen to dx?",
    ),
    Mistake(
        "of_the_logarithm",
        "dx is the gradient of the logarithm of the weights, not of the weights",
        Edit("return y * (dy - total)", "return dy - y * dy.sum(-1, keepdims=True) + 0 * total"),
        ask="Which slope does the text give for y_i by x_j, and which have you used?",
    ),
    Mistake(
        "mean_without_weights",
        "dx is what comes out when the plain mean of dy over the row is taken off",
        Edit("(dy * y).sum(-1", "dy.mean(-1"),
        ask="The chain rule sums over i. Which factors under that sum carry the index i?",
    ),
    Mistake(
        "own_weight_left_out",
        "dx has what a score moves by way of the other weights, and nothing by way of its own",
        Edit("return y * (dy - total)", "return y * (dy * y - total)"),
        ask="If one score of a row grows, what does its own weight do?",
    ),
]

HINTS = [
    "Write down dx_j for a row of three scores, all three terms of it, with the slope put in. Which factor do all "
    "terms have in common, and which term is there once only?",
    "Multiplied out, the sum has a part with 1[i = j], of which i = j is all that is left, and a part in which y_j can "
    "be taken out. What remains under that second sum does not depend on j: it is one number for the row.",
    "That number is the sum of dy * y along the last axis (keepdims=True). Take it off every dy of the row, and think "
    "of the factor y_j that both parts share.",
]

ALTERNATIVES = [
    """
def softmax_backward(dy, y):
    slopes = y[..., :, None] * (np.eye(y.shape[-1]) - y[..., None, :])
    return np.einsum("...i,...ij->...j", dy, slopes)
""",
    """
def softmax_backward(dy, y):
    g = dy * y
    return g - y * np.sum(g, axis=-1)[..., None]
""",
    """
def softmax_backward(dy, y):
    dx = np.zeros(y.shape)
    for index in np.ndindex(y.shape[:-1]):
        row = y[index]
        dx[index] = (np.diag(row) - np.outer(row, row)) @ dy[index]
    return dx
""",
]
