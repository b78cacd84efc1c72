# id: linear | points: 11 | minutes: 40 | level: 1 | needs: numeric_gradient | notebook: 05b

# %% [markdown]
# # The linear map, both ways
#
# Two thirds of the weights of the paper's base model sit in one operation: multiply each position's features with a
# matrix, and add a bias. The projections $W^Q, W^K, W^V, W^O$ of section 3.2.2 are it, and both halves of equation 2
# are. (The last third is the table of the words' vectors.)
#
# The paper writes a position as a row, $x$ with $D$ features, and puts the matrix on the right: $W$ is $(D, F)$, $b$ is
# $(F,)$,
#
# $$y = x W + b, \qquad y_f = \sum_d x_d\, W_{df} + b_f$$
#
# One and the same $W$ and $b$ serve every position of every sentence of the batch; positions do not meet.
#
# Backwards, `dy` says how the loss moves with each number of $y$, and there are three answers to give: how it moves
# with $x$, with $W$ and with $b$. Take one position. From the formula, $y_f$ moves with $x_d$ at the slope $W_{df}$,
# with $W_{df}$ at the slope $x_d$, and with $b_f$ at the slope 1. The chain rule multiplies by $dy_f$ and sums over
# everything that was moved:
#
# $$dx_d = \sum_f dy_f\, W_{df}, \qquad dW_{df} \text{ gets } x_d\, dy_f, \qquad db_f \text{ gets } dy_f$$
#
# "Gets", for that is what *one* position contributes. A weight that is used at many positions moves the loss through
# each of them, so its gradient is the sum over all positions of all sentences. It is a sum, never a mean: whether the
# loss is an average over something is decided where the loss is made, and `dy` knows it already. Here it all is, one
# number at a time:


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
# Write both without a loop over positions. The axes before the last are free: $x$ may be $(N, D)$, $(B, T, D)$, or
# $(B, H, T, D)$, and the same lines do for all of them. (`y.shape` is `x.shape` with another last number.)
#
# A sum over $f$ or over positions that are laid out in one axis is a matrix product, and its shapes leave little
# choice: which product of a matrix $(N, D)$ and a matrix $(N, F)$ has the shape of $W$? Mind one trap on the way:
# `reshape` fills a shape with the numbers in the order in which they lie; it does not exchange axes. A result whose
# shape fits only after `reshape`, where a transpose was due, has its numbers in the wrong places.


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

    dy (..., F): the gradient at y. x (..., D), w (D, F): what forward was given. None of them is changed.
    """
    # BEGIN SOLUTION
    rows, drows = x.reshape(-1, x.shape[-1]), dy.reshape(-1, dy.shape[-1])
    dx = (drows @ w.T).reshape(x.shape)
    dw = rows.T @ drows
    return dx, dw, drows.sum(0)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D, F, H):
    """Draw a batch of sentences, and one with an axis of heads."""
    return {
        "x": draw.normal(B, T, D),
        "w": draw.normal(D, F),
        "b": draw.normal(F),
        "dy": draw.normal(B, T, F),
        "x_heads": draw.normal(B, H, T, D),
        "dy_heads": draw.normal(B, H, T, F),
    }


def forward(student, x, w, b):
    return student.linear(x, w, b)


def backward(student, dy, x, w):
    return student.linear_backward(dy, x, w)


def backward_of_heads(student, dy_heads, x_heads, w):
    return student.linear_backward(dy_heads, x_heads, w)


CALLS = [
    Call(forward, {"y": 2}),
    Call(backward, {"dx": 2, "dw": 2, "db": 1}),
    Call(backward_of_heads, {"dx of four axes": 1, "dw of four axes": 1, "db of four axes": 1}),
]


def of_heads_slowly(dy_heads, x_heads, w):
    """The loops again, with batch and heads laid out in one axis."""
    B, H, T, D = x_heads.shape
    dx, dw, db = linear_backward_slowly(dy_heads.reshape(B * H, T, -1), x_heads.reshape(B * H, T, D), w)
    return dx.reshape(x_heads.shape), dw, db


SLOW = {"forward": linear_slowly, "backward": linear_backward_slowly, "backward_of_heads": of_heads_slowly}


def terms_of_y(x, w, b):
    """The two terms of the formula."""
    return {"x W": x @ w, "the bias": b + 0 * (x @ w)}


TERMS = {"y": terms_of_y}

PREDICTION = Prediction(
    "Append a copy of the batch to itself, and a copy of dy to dy: twice as many sentences, each with the same dy as "
    "before. What happens to dw?",
    {"a": "it doubles", "b": "it stays as it was", "c": "it is divided by two"},
    answer="a",
    because="Every position adds its share to dw, and there are twice as many. A loss that is a mean over the batch "
    "would have halved dy; then dw would stay as it was, without dw being a mean of anything.",
)

MISTAKES = [
    Mistake(
        "bias_missing",
        "y does not move when b moves",
        Edit("return x @ w + b", "return x @ w"),
        ask="What is y where x is all zeros?",
    ),
    Mistake(
        "averaged",
        "{part} is a mean over the positions of all sentences",
        Edit("dw = rows.T @ drows", "dw = rows.T @ drows / len(rows)"),
        Edit("drows.sum(0)", "drows.mean(0)"),
        ask="One and the same layer serves every position. If a number of it moves by h, do the movements of the loss "
        "at two positions add up, or does each count less because there are others?",
    ),
    Mistake(
        "divided_by_the_batch",
        "{part} is divided by the number of sentences",
        Edit("dw = rows.T @ drows", "dw = rows.T @ drows / len(x)"),
        Edit("drows.sum(0)", "drows.sum(0) / len(x)"),
        ask="If the loss is a mean over sentences, which array has been divided already before you get it?",
    ),
    Mistake(
        "positions_counted",
        "{part} is the number of positions, whatever dy is",
        Edit("drows.sum(0)", "np.full(drows.shape[1], 1.0 * len(drows))"),
        ask="dy is twice as large. Which of your lines notices it?",
    ),
    Mistake(
        "last_sentence",
        "{part} holds what the last sentence contributes, and nothing of the others",
        Edit("dw = rows.T @ drows", "n = len(rows) // len(x); dw = rows[-n:].T @ drows[-n:]"),
        Edit("drows.sum(0)", "drows[-n:].sum(0)"),
        ask="Which sentences does your code visit, and when it comes to the second, what becomes of what the first one "
        "left?",
    ),
    Mistake(
        "last_position_left_out",
        "{part} lacks what the last position of the last sentence contributes",
        Edit("dw = rows.T @ drows", "dw = rows[:-1].T @ drows[:-1]"),
        Edit("drows.sum(0)", "drows[:-1].sum(0)"),
        ask="How many positions are there in all sentences together, and how many does your sum have?",
    ),
    Mistake(
        "last_position",
        "{part} holds what the very last position contributes, and nothing of the others",
        Edit("dw = rows.T @ drows", "dw = rows[-1:].T @ drows[-1:]"),
        Edit("drows.sum(0)", "drows[-1]"),
        ask="When your code comes to the second position, what becomes of what the first one left?",
    ),
    Mistake(
        "dx_scrambled",
        "the numbers of dx are right, and stand in the wrong places: features run along the positions",
        Edit("(drows @ w.T)", "(w @ drows.T)"),
        ask="Which shape has your product before it is reshaped, and which of its axes holds the features?",
    ),
    Mistake(
        "w_reshaped",
        "dx is what comes out when the numbers of w are filled into the shape (F, D) in the order in which they lie",
        Edit("(drows @ w.T)", "(drows @ w.reshape(w.shape[::-1]))"),
        ask="Take w = [[1, 2, 3], [4, 5, 6]]. What is w.T, and what is w.reshape(3, 2)?",
    ),
    Mistake(
        "x_reshaped",
        "{part} is what comes out when x, with all its positions in one axis, is reshaped to (D, N)",
        Edit("dw = rows.T @ drows", "dw = rows.reshape(rows.shape[::-1]) @ drows"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "dw_scrambled",
        "the numbers of dw are right, and stand in the wrong places: the transpose was filled into the shape of w",
        Edit("dw = rows.T @ drows", "dw = (drows.T @ rows).reshape(w.shape)"),
        ask="Row d of dw belongs to feature d of x. Which feature does row d of your product belong to?",
    ),
    Mistake(
        "sums_multiplied",
        "{part} is what comes out when x and dy are each summed over all positions, and the sums are multiplied",
        Edit("dw = rows.T @ drows", "dw = np.outer(rows.sum(0), drows.sum(0))"),
        ask="Does the x of one position meet the dy of another in the formula?",
    ),
    Mistake(
        "summed_over_features",
        "{part} has a number for each position: the features of dy were added up",
        Edit("drows.sum(0)", "drows.sum(1)"),
        ask="How many numbers does b have, and which of the numbers of dy does one of them feed?",
    ),
    Mistake(
        "everything_summed",
        "{part} is one number, the sum of all of dy",
        Edit("drows.sum(0)", "drows.sum()"),
        ask="How many numbers does b have, and which of the numbers of dy does one of them feed?",
    ),
    Mistake(
        "first_sentence",
        "{part} holds what the first sentence contributes, and nothing of the others",
        Edit("dw = rows.T @ drows", "n = len(rows) // len(x); dw = rows[:n].T @ drows[:n]"),
        Edit("drows.sum(0)", "drows[:n].sum(0)"),
        ask="Which sentences does your code visit?",
    ),
    Mistake(
        "bias_in_the_matrix",
        "y is what comes out when b is added to the rows of w, before the product",
        Edit("x @ w + b", "x @ (w + b)"),
        ask="What is y where x is all zeros?",
    ),
]

HINTS = [
    "Do it for a single position first, with vectors: dx is a product of dy and a matrix, dw has one entry for each "
    "pair of a feature of x and a feature of y, and db is dy. Then ask which of the three are shared by all positions.",
    "Lay all positions out in one axis: reshape(-1, D) makes (N, D) of x, and dy becomes (N, F) likewise. What is "
    "shared is a sum over that axis; and a sum over N of products of two columns is an entry of a matrix product.",
    "With rows (N, D) and drows (N, F): (N, F) times (F, D) gives dx, (D, N) times (N, F) gives dw, and db is a sum "
    "along the first axis. Only dx goes back to the shape of x.",
]

ALTERNATIVES = [
    """
def linear(x, w, b):
    return np.einsum("...d,df->...f", x, w) + b

def linear_backward(dy, x, w):
    rows, drows = x.reshape(-1, len(w)), dy.reshape(-1, w.shape[1])
    dx = np.einsum("...f,df->...d", dy, w)
    return dx, np.einsum("nd,nf->df", rows, drows), np.einsum("nf->f", drows)
""",
    """
def linear(x, w, b):
    return sum(x[..., d, None] * w[d] for d in range(len(w))) + b

def linear_backward(dy, x, w):
    dx, dw, db = np.zeros_like(x), np.zeros_like(w), np.zeros(w.shape[1])
    for index in np.ndindex(x.shape[:-1]):
        dx[index] = w @ dy[index]
        dw += np.outer(x[index], dy[index])
        db += dy[index]
    return dx, dw, db
""",
    """
def linear(x, w, b):
    extended = np.concatenate([x, np.ones((*x.shape[:-1], 1))], -1)
    return extended @ np.vstack([w, b])

def linear_backward(dy, x, w):
    axes = tuple(range(x.ndim - 1))
    return dy @ w.T, np.tensordot(x, dy, (axes, axes)), dy.sum(axes)
""",
]
