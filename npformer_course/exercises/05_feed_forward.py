# id: feed_forward | points: 11 | minutes: 40 | level: 2 | needs: linear | notebook: 06

# %% [markdown]
# # The feed-forward network, both ways
#
# Attention mixes positions by taking averages, and once its weights are found an average is a linear map. Between two
# layers of attention the paper puts a network in which each position works alone, and in which something is not linear
# (section 3.3, equation 2):
#
# $$\mathrm{FFN}(x) = \max(0,\ x W_1 + b_1)\, W_2 + b_2$$
#
# $W_1$ is $(D, F)$ and $W_2$ is $(F, D)$, where $F$ is usually four times $D$. Each of the $F$ hidden numbers asks a
# question of the position; $\max(0, \cdot)$, called ReLU, keeps silent where the answer is below 0, and $W_2$ puts
# together what the others say. Without the ReLU both maps would be one, $x (W_1 W_2)$, and the second half of the
# weights would be there for nothing.
#
# With the hidden numbers under a name of their own:
#
# $$h = \max(0,\ x W_1 + b_1), \qquad y = h\, W_2 + b_2$$
#
# Backwards is the same path from its end. `dy` goes through the second linear map, which leaves $dh$. Then comes the
# ReLU. Where its input was above 0 it let the number through as it was: the slope is 1. Where its input was below 0 it
# gave 0 whatever came in: the slope is 0. At 0 itself it has no slope; we take 0, as is usual. So of $dh$ remains what
# belongs to hidden numbers that were *on* in forward, and that continues through the first linear map. The size and the
# sign of `dy` and $dh$ have no say in it.
#
# The two linear maps you have done; here is short code for both, in case you want to use it:


# %%
import numpy as np


def linear(x, w, b):
    """Return y = x w + b: x (..., D), w (D, F), b (F,), y (..., F)."""
    return np.tensordot(x, w, 1) + b


def linear_backward(dy, x, w):
    """Return dx (..., D), dw (D, F), db (F,) of y = x w + b from dy (..., F)."""
    axes = list(range(x.ndim - 1))
    return np.tensordot(dy, w.T, 1), np.tensordot(x, dy, (axes, axes)), dy.sum(tuple(axes))


# %% [markdown]
# And here is what you write below, one position and one hidden number at a time:


# %%
def feed_forward_slowly(x, w1, b1, w2, b2):
    """The same as `feed_forward` below, for x (B, T, D)."""
    B, T, D = x.shape
    F = b1.size
    y, hidden = np.zeros((B, T, D)), np.zeros((B, T, F))
    for b in range(B):
        for t in range(T):
            y[b, t] = b2
            for f in range(F):
                before = x[b, t] @ w1[:, f] + b1[f]
                if before > 0:
                    hidden[b, t, f] = before
                    y[b, t] += before * w2[f]
    return y, hidden


def feed_forward_backward_slowly(dy, x, hidden, w1, w2):
    """The same as `feed_forward_backward` below, for x (B, T, D)."""
    B, T, D = x.shape
    F = w1.shape[1]
    dx, dw1, db1, dw2, db2 = np.zeros((B, T, D)), np.zeros((D, F)), np.zeros(F), np.zeros((F, D)), np.zeros(D)
    for b in range(B):
        for t in range(T):
            db2 += dy[b, t]
            for f in range(F):
                dw2[f] += hidden[b, t, f] * dy[b, t]
                if hidden[b, t, f] > 0:
                    slope = w2[f] @ dy[b, t]  # how the loss moves with what came into this ReLU
                    db1[f] += slope
                    dw1[:, f] += slope * x[b, t]
                    dx[b, t] += slope * w1[:, f]
    return dx, dw1, db1, dw2, db2


# %% [markdown]
# ## Your turn
#
# Write both without loops. Forward returns $h$ besides $y$, after the ReLU: it is all that backward needs of what
# happened in between. (Was a hidden number on? Look at $h$. An $h$ of 0 was off.) `x` and `dy` are $(B, T, D)$,
# `hidden` is $(B, T, F)$.


# %%
def feed_forward(x, w1, b1, w2, b2):
    """Return y (B, T, D) and hidden (B, T, F), the hidden numbers after the ReLU.

    x (B, T, D), w1 (D, F), b1 (F,), w2 (F, D), b2 (D,).
    """
    # BEGIN SOLUTION
    hidden = np.maximum(0, linear(x, w1, b1))
    return linear(hidden, w2, b2), hidden
    # END SOLUTION


def feed_forward_backward(dy, x, hidden, w1, w2):
    """Return the gradients dx (B, T, D), dw1 (D, F), db1 (F,), dw2 (F, D), db2 (D,), in this order.

    dy (B, T, D): the gradient at y. hidden (B, T, F): what forward returned. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dhidden, dw2, db2 = linear_backward(dy, hidden, w2)
    dbefore = dhidden * (hidden > 0)
    dx, dw1, db1 = linear_backward(dbefore, x, w1)
    return dx, dw1, db1, dw2, db2  # in the order of forward
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D, F):
    """Draw a network, and what it left in forward: about half of the hidden numbers are off."""
    x, w1, b1 = draw.normal(B, T, D), draw.normal(D, F), draw.normal(F)
    return {
        "dy": draw.normal(B, T, D),
        "x": x,
        "hidden": np.maximum(0, x @ w1 + b1),
        "w1": w1,
        "b1": b1,
        "w2": draw.normal(F, D),
        "b2": draw.normal(D),
    }


def forward(student, x, w1, b1, w2, b2):
    return student.feed_forward(x, w1, b1, w2, b2)


def backward(student, dy, x, hidden, w1, w2):
    return student.feed_forward_backward(dy, x, hidden, w1, w2)


CALLS = [
    Call(forward, {"y": 2, "hidden": 1}),
    Call(backward, {"dx": 2, "dw1": 2, "db1": 1, "dw2": 1, "db2": 1}),
]
SLOW = {"forward": feed_forward_slowly, "backward": feed_forward_backward_slowly}


def terms_of_y(x, w1, b1, w2, b2):
    """The two terms of the second map."""
    product = np.maximum(0, x @ w1 + b1) @ w2
    return {"h W_2": product, "the second bias": b2 + 0 * product}


TERMS = {"y": terms_of_y}

PREDICTION = Prediction(
    "A hidden number was off at every position of the batch: below 0 before the ReLU. Which gradients does the "
    "network get for it, in its column of w1 and in its row of w2?",
    {
        "a": "0 in w1, and something else in w2",
        "b": "0 in both",
        "c": "something else in both, since dy is not 0",
    },
    answer="b",
    because="Its row of w2 is multiplied by its h, which is 0 everywhere, and so does not move the loss. Its column of "
    "w1 sits behind a ReLU whose slope is 0 everywhere. On this batch, nothing in it is trained.",
)

MISTAKES = [
    Mistake(
        "mask_from_dy",
        "{part} is what comes out when the sign of the gradient that arrives at the ReLU decides what continues "
        "behind it",
        Edit("(hidden > 0)", "(dhidden > 0)"),
        ask="A hidden number was on, and raising it would lower the loss. Does the loss move with what comes into its "
        "ReLU?",
    ),
    Mistake(
        "nothing_held_back",
        "{part} is what comes out when the gradient goes on to all hidden numbers, also to those that the ReLU "
        "had set to 0",
        Edit("(hidden > 0)", "(hidden >= 0)"),
        ask="The ReLU has set a hidden number to 0, and what went into it moves a little. What does that do to the "
        "loss, and what does your {part} say of it?",
    ),
    Mistake(
        "hidden_for_slope",
        "{part} is what comes out when the gradient behind the ReLU is multiplied by the hidden numbers themselves",
        Edit("(hidden > 0)", "hidden"),
        ask="A hidden number was on, at 5. If what comes into its ReLU moves by h, how far does it move?",
    ),
    Mistake(
        "relu_taken_after_w1",
        "dx is what comes out when the gradient passes W_1 unhindered and is then held back by the sign of x",
        Edit("return dx, dw1, db1, dw2, db2  #", "return (dhidden @ w1.T) * (x > 0), dw1, db1, dw2, db2  #"),
        ask="In forward, what came first: the ReLU or W_1? In which order do you meet them on the way back?",
    ),
    Mistake(
        "relu_forgotten",
        "y is a linear map of x: two in a row, with nothing in between",
        Edit("return linear(hidden, w2, b2), hidden", "return linear(linear(x, w1, b1), w2, b2), hidden"),
        ask="Which two matrices could be one, in your forward?",
    ),
    Mistake(
        "hidden_before_relu",
        "hidden is what goes into the ReLU: it has numbers below 0",
        Edit("hidden = np.maximum(0, linear(x, w1, b1))", "hidden = linear(x, w1, b1)"),
        Edit("return linear(hidden, w2, b2), hidden", "return linear(np.maximum(0, hidden), w2, b2), hidden"),
        ask="By which of its entries will backward know that a hidden number was off?",
    ),
    Mistake(
        "bias_after_relu",
        "{part} is what comes out when b1 is added after the ReLU, so that a hidden number can be below 0 and be on",
        Edit("np.maximum(0, linear(x, w1, b1))", "np.maximum(0, linear(x, w1, 0)) + b1"),
        ask="What stands inside the brackets of max(0, ...) in equation 2?",
    ),
    Mistake(
        "relu_on_the_result",
        "y has no number below 0",
        Edit("return linear(hidden, w2, b2), hidden", "return np.maximum(0, linear(hidden, w2, b2)), hidden"),
        ask="How many times does max(0, ...) stand in equation 2?",
    ),
    Mistake(
        "second_bias_forgotten",
        "y does not move when b2 moves",
        Edit("linear(hidden, w2, b2)", "linear(hidden, w2, 0)"),
        ask="What is y at a position at which all hidden numbers are off?",
    ),
    Mistake(
        "first_bias_forgotten",
        "{part} does not move when b1 moves",
        Edit("np.maximum(0, linear(x, w1, b1))", "np.maximum(0, linear(x, w1, 0))"),
        ask="What is hidden at a position at which x is all zeros?",
    ),
    Mistake(
        "flags_for_hidden",
        "dw2 does not depend on how large the hidden numbers are, only on which of them are on",
        Edit("linear_backward(dy, hidden, w2)", "linear_backward(dy, 1.0 * (hidden > 0), w2)"),
        ask="Hidden numbers of 5 and of 0.1 are both on. If their rows of w2 move by h, does y move equally far?",
    ),
    Mistake(
        "mask_without_bias",
        "{part} is what comes out when b1 has no say in which hidden numbers are on",
        Edit("(hidden > 0)", "(x @ w1 > 0)"),
        ask="What exactly did forward compare with 0?",
    ),
    Mistake(
        "x_held_back",
        "dx is 0 wherever x is below 0, as if x had come out of a ReLU itself",
        Edit("return dx, dw1, db1, dw2, db2  #", "return dx * (x > 0), dw1, db1, dw2, db2  #"),
        ask="Which array went through the ReLU in forward?",
    ),
    Mistake(
        "w1_reshaped",
        "dx is what comes out when the numbers of w1 are filled into the shape (F, D) in the order in which they lie",
        Edit("return dx, dw1, db1, dw2, db2  #", "return dbefore @ w1.reshape(w1.shape[::-1]), dw1, db1, dw2, db2  #"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "w2_reshaped",
        "{part} is what comes out when the numbers of w2 are filled into the shape (D, F) in the order in which they "
        "lie",
        Edit("linear_backward(dy, hidden, w2)", "linear_backward(dy, hidden, w2.reshape(w2.shape[::-1]).T)"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "last_sentence",
        "{part} holds what the last sentence contributes, and nothing of the others",
        Edit(
            "return dx, dw1, db1, dw2, db2  #",
            "x, drelu, hidden, dy = x[-1], dbefore[-1], hidden[-1], dy[-1]\n"
            "    return dx, x.T @ drelu, drelu.sum(0), hidden.T @ dy, dy.sum(0)  #",
        ),
        ask="When your code comes to the second sentence, what becomes of what the first one left?",
    ),
]

HINTS = [
    "Three steps forward: linear, ReLU, linear. So three steps back, the last one first. Write the name of the "
    "gradient that you hold between each two of them, and its shape.",
    "After the second map you hold dhidden, (..., F), and its dw2 and db2 are done. The ReLU's backward is a "
    "product with an array of zeros and ones of the same shape, made of what forward left. It ends at x W_1 + b_1.",
    "The zeros and ones are `hidden` compared with 0, and the comparison is a strict one. The product takes the place "
    "of dy in the backward of the first map, which gives dx, dw1 and db1 together.",
]

ALTERNATIVES = [
    """
def feed_forward(x, w1, b1, w2, b2):
    before = x @ w1 + b1
    hidden = np.where(before < 0, 0.0, before)
    return hidden @ w2 + b2, hidden

def feed_forward_backward(dy, x, hidden, w1, w2):
    D, F = w1.shape
    rows, on, drows = x.reshape(-1, D), hidden.reshape(-1, F), dy.reshape(-1, D)
    back = drows @ w2.T
    back[on == 0] = 0
    return (back @ w1.T).reshape(x.shape), rows.T @ back, back.sum(0), on.T @ drows, drows.sum(0)
""",
    """
def feed_forward(x, w1, b1, w2, b2):
    h = np.einsum("...d,df->...f", x, w1) + b1
    h = (h + abs(h)) / 2
    return np.einsum("...f,fd->...d", h, w2) + b2, h

def feed_forward_backward(dy, x, hidden, w1, w2):
    back = np.sign(hidden) * np.einsum("btd,fd->btf", dy, w2)
    return (
        np.einsum("btf,df->btd", back, w1),
        np.einsum("btd,btf->df", x, back),
        back.sum((0, 1)),
        np.einsum("btf,btd->fd", hidden, dy),
        dy.sum((0, 1)),
    )
""",
    """
def feed_forward(x, w1, b1, w2, b2):
    return feed_forward_slowly(x, w1, b1, w2, b2)

def feed_forward_backward(dy, x, hidden, w1, w2):
    return feed_forward_backward_slowly(dy, x, hidden, w1, w2)
""",
]
