# id: layer_norm | points: 7 | minutes: 35 | level: 2 | needs: linear | notebook: 05c

# %% [markdown]
# # Layer normalization
#
# A Transformer is a tall stack, and every floor adds something to the same vector. Left alone, the sums grow, more at
# some positions than at others, and each layer would have to cope with whatever sizes the layers below happen to make.
# So after every sub-layer each position is brought back to one scale: *layer normalization* (Ba et al. 2016; section
# 3.1 and figure 1 of the paper, "Add & Norm").
#
# A position is a row of $D$ features $x_1, \dots, x_D$. Take off their mean, divide by their spread, and let two
# learned vectors of $D$ numbers, the gain $g$ and the bias $b$, choose another scale and place for each feature:
#
# $$\mu = \frac1D \sum_j x_j, \qquad
#   \sigma^2 = \frac1D \sum_j (x_j - \mu)^2, \qquad
#   r = \frac{1}{\sqrt{\sigma^2 + \varepsilon}}, \qquad
#   \hat x_i = (x_i - \mu)\, r, \qquad
#   y_i = g_i\, \hat x_i + b_i$$
#
# Three things to agree on, because programs differ in them:
#
# - The variance is the mean of the squares: it divides by $D$. (Dividing by $D - 1$ is for guessing the variance of
#   a population from a sample. Nothing is guessed here: these $D$ numbers are all there are.)
# - $\varepsilon$ is added to the variance, inside the root. It keeps a position whose features are all equal from
#   dividing by 0. It is an argument of your function; it is usually tiny, but the check takes a large one.
# - Each position has a $\mu$ and an $r$ of its own. What other positions and other sentences hold does not matter,
#   so that the length of the sentences in a batch, padding included, changes nothing. (*Batch* normalization goes
#   the other way: one mean for each feature, over all positions.)
#
# One number at a time:

# %%
import math

import numpy as np


def layer_norm_slowly(x, gain, bias, eps):
    """The same as below, by loops."""
    B, T, D = x.shape
    y, xhat, rstd = np.zeros((B, T, D)), np.zeros((B, T, D)), np.zeros((B, T, 1))
    for b in range(B):
        for t in range(T):
            mean = sum(x[b, t, j] for j in range(D)) / D
            var = sum((x[b, t, j] - mean) ** 2 for j in range(D)) / D
            rstd[b, t, 0] = 1 / math.sqrt(var + eps)
            for i in range(D):
                xhat[b, t, i] = (x[b, t, i] - mean) * rstd[b, t, 0]
                y[b, t, i] = gain[i] * xhat[b, t, i] + bias[i]
    return y, xhat, rstd


# %% [markdown]
# ## Your turn
#
# Write it without loops. Besides $y$, return what the backward of the next exercise will want: $\hat x$ (`xhat`, before
# gain and bias) and $r$ (`rstd`, the *reciprocal* of the standard deviation, with one number a position). Mind the
# shape of `rstd`: the last axis stays, with length 1, so that it can be multiplied with $(B, T, D)$ as it is.


# %%
def layer_norm(x, gain, bias, eps):
    """Normalize each position over its features, then scale and shift.

    x (B, T, D), gain (D,), bias (D,), eps a number above 0; D is at least 1. Returns y (B, T, D), xhat (B, T, D),
    rstd (B, T, 1), in this order. None of the inputs is changed.
    """
    # BEGIN SOLUTION
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(var + eps)
    xhat = (x - mean) * rstd
    return gain * xhat + bias, xhat, rstd
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D):
    """Draw positions whose means and spreads differ; eps is large, so that it shows where it is left out."""
    x = draw.normal(B, T, D) * draw.rng.uniform(0.5, 2, (B, T, 1)) + draw.normal(B, T, 1)
    return {"x": x, "gain": draw.gain(D), "bias": draw.normal(D), "eps": draw.uniform(0.2, 0.5)}


def forward(student, x, gain, bias, eps):
    return student.layer_norm(x, gain, bias, eps)


CALLS = [Call(forward, {"y": 3, "xhat": 2, "rstd": 1})]
SLOW = {"forward": layer_norm_slowly}


def terms_of_y(x, gain, bias, eps):
    """The learned scale and the learned place."""
    xhat = layer_norm_slowly(x, gain, bias, eps)[1]
    return {"gain * xhat": gain * xhat, "the bias": bias + 0 * x}


TERMS = {"y": terms_of_y}

PREDICTION = Prediction(
    "A position has D = 2 features, and they differ. Forget eps. Which values can its xhat take?",
    {
        "a": "any two numbers that add up to 0",
        "b": "only (1, -1) and (-1, 1)",
        "c": "only (0.71, -0.71) and (-0.71, 0.71)",
    },
    answer="b",
    because="The mean lies half-way, so the two distances are d and -d, the variance is d * d, and d / d is 1. "
    "Choice c is what comes out with D - 1 in the variance. Two of the D numbers are always lost: the place and "
    "the scale. With D = 512 that is little.",
)

MISTAKES = [
    Mistake(
        "one_less_than_D",
        "{part} is what comes out when the squared distances are divided by D - 1",
        Edit("((x - mean) ** 2).mean(-1, keepdims=True)", "x.var(-1, ddof=1, keepdims=True)"),
        ask="Work out xhat for the two features 3 and 5 by the formula (forget eps). What does your function say?",
    ),
    Mistake(
        "eps_outside_the_root",
        "{part} is what comes out when eps is added to the standard deviation, after the root",
        Edit("np.sqrt(var + eps)", "(np.sqrt(var) + eps)"),
        ask="Is the eps of the formula a variance or a standard deviation?",
    ),
    Mistake(
        "no_eps",
        "{part} does not depend on eps",
        Edit("np.sqrt(var + eps)", "np.sqrt(var)"),
        ask="What does your function make of a position whose features are all equal?",
    ),
    Mistake(
        "no_root",
        "{part} is what comes out when no root is taken: the variance is under the bar",
        Edit("np.sqrt(var + eps)", "(var + eps)"),
        ask="If all features are doubled, what happens to the variance, and what should happen to xhat?",
    ),
    Mistake(
        "over_positions_too",
        "{part} is what comes out when one mean and one variance serve all positions of a sentence",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean((1, 2), keepdims=True)"),
        Edit(
            "((x - mean) ** 2).mean(-1, keepdims=True)",
            "((x - mean) ** 2).mean((1, 2), keepdims=True) + np.zeros((x.shape[1], 1))",
        ),
        ask="Append three padding positions to a sentence. May the result at its first word change?",
    ),
    Mistake(
        "mean_of_the_sentence_taken_off",
        "{part} is what comes out when one mean for all positions of a sentence is taken off, and rstd is right",
        Edit("xhat = (x - mean) * rstd", "xhat = (x - x.mean((1, 2), keepdims=True)) * rstd"),
        ask="How many means does a sentence of T positions have?",
    ),
    Mistake(
        "one_mean_per_sentence",
        "{part} is what comes out when one mean serves all positions of a sentence",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean((1, 2), keepdims=True)"),
        ask="Append three padding positions to a sentence. May the result at its first word change?",
    ),
    Mistake(
        "over_everything",
        "{part} is what comes out when one mean and one variance serve the whole array",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean()"),
        Edit("((x - mean) ** 2).mean(-1, keepdims=True)", "((x - mean) ** 2).mean() + np.zeros((*x.shape[:2], 1))"),
        ask="Should the result for one sentence depend on which others happen to be in its batch?",
    ),
    Mistake(
        "batch_norm",
        "{part} is what comes out when each feature is normalized over the positions of the batch, instead of each "
        "position over its features",
        Edit("xhat = (x - mean) * rstd", "xhat = (x - x.mean((0, 1))) / np.sqrt(x.var((0, 1)) + eps)"),
        ask="Print y.mean(-1) with gain 1 and bias 0. Of which numbers does the formula make the mean 0?",
    ),
    Mistake(
        "variance_about_zero",
        "{part} is what comes out when the variance is the mean of the squares of x itself",
        Edit("((x - mean) ** 2)", "(x**2)"),
        ask="Add 100 to every feature of a position. What happens to its spread, and to your variance?",
    ),
    Mistake(
        "bias_before_gain",
        "y is what comes out when the bias is added first and multiplied by the gain as well",
        Edit("gain * xhat + bias", "gain * (xhat + bias)"),
        ask="If the gain of a feature is 0, what is left of y there?",
    ),
    Mistake(
        "standard_deviation_returned",
        "rstd is the standard deviation, not its reciprocal",
        Edit("+ bias, xhat, rstd", "+ bias, xhat, 1 / rstd"),
        ask="What does the r in rstd stand for?",
    ),
    Mistake(
        "xhat_after_gain_and_bias",
        "xhat is returned after gain and bias",
        Edit("gain * xhat + bias, xhat", "gain * xhat + bias, gain * xhat + bias"),
        ask="With gain 2 everywhere, what should xhat's spread be?",
    ),
    Mistake(
        "eps_after_the_division",
        "{part} is what comes out when eps is added to the reciprocal of the standard deviation",
        Edit("1 / np.sqrt(var + eps)", "1 / np.sqrt(var) + eps"),
        ask="What is your rstd at a position whose features are all equal?",
    ),
    *(
        Mistake(
            f"eps_replaced_by_{number}",
            "{part} does not depend on eps: there is a small number in its place",
            Edit("np.sqrt(var + eps)", f"np.sqrt(var + {number})"),
            ask="Which of the arguments have you not used?",
        )
        for number in ("1e-5", "1e-6")
    ),
    Mistake(
        "squares_added_up",
        "{part} is what comes out when the squared distances are added up and not divided by anything",
        Edit("((x - mean) ** 2).mean(-1", "((x - mean) ** 2).sum(-1"),
        ask="Write every feature of a position down twice. What happens to its spread, and to your variance?",
    ),
    *(
        Mistake(
            f"over_the_{letter}_axis",
            f"{{part}} is what comes out when mean and variance run over the {name}",
            Edit("mean = x.mean(-1, keepdims=True)", f"mean = x.mean({axis}, keepdims=True)"),
            Edit("((x - mean) ** 2).mean(-1", f"((x - mean) ** 2).mean({axis}"),
            ask="Over which letter do the two sums of the formula run, and which axis is that?",
        )
        for letter, name, axis in (("B", "sentences of the batch", 0), ("T", "positions of a sentence", 1))
    ),
    Mistake(
        "mean_left_in",
        "{part} is what comes out when x is multiplied by rstd with its mean still in it",
        Edit("xhat = (x - mean) * rstd", "xhat = x * rstd"),
        ask="What should the features of xhat add up to at each position?",
    ),
    Mistake(
        "gain_missing",
        "y does not depend on the gain",
        Edit("return gain * xhat + bias", "return xhat + bias"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "gain_from_one",
        "y is what comes out when the gain is counted from 1: xhat is multiplied by 1 + gain",
        Edit("return gain * xhat + bias", "return (1 + gain) * xhat + bias"),
        ask="With gain 0 everywhere, what should y be?",
    ),
    Mistake(
        "gain_and_bias_exchanged",
        "y is what comes out when the bias multiplies and the gain is added",
        Edit("return gain * xhat + bias", "return bias * xhat + gain"),
        ask="With bias 0 everywhere, what is your y?",
    ),
    Mistake(
        "not_yet_divided",
        "xhat is returned before it is multiplied by rstd",
        Edit("+ bias, xhat, rstd", "+ bias, x - mean, rstd"),
        ask="Multiply all of x by 2. What should happen to xhat (forget eps), and what happens to yours?",
    ),
    Mistake(
        "variance_returned",
        "rstd is the variance",
        Edit("+ bias, xhat, rstd", "+ bias, xhat, var"),
        ask="What do the letters of rstd stand for?",
    ),
    Mistake(
        "mean_returned",
        "rstd is the mean",
        Edit("+ bias, xhat, rstd", "+ bias, xhat, mean"),
        ask="What do the letters of rstd stand for?",
    ),
    Mistake(
        "gain_and_bias_forgotten",
        "y is xhat: neither gain nor bias has a part in it",
        Edit("return gain * xhat + bias", "return xhat"),
        ask="Which of the arguments have you not used?",
    ),
]

HINTS = [
    "Every position stands for itself. So which axis of (B, T, D) do the two means run over, and what shape must their "
    "results have to be taken off x?",
    "The mean needs keepdims=True: it becomes (B, T, 1) and can be subtracted from x. The variance is the mean of the "
    "squared distances from it, over the same axis and of the same shape; eps is added to it before the root.",
    "Five lines: the mean; the variance; one divided by the root of variance and eps (this is rstd); the distances "
    "from the mean times rstd (this is xhat); and gain and bias, whose shape (D,) fits the last axis as it is.",
]

ALTERNATIVES = [
    """
def layer_norm(x, gain, bias, eps):
    return layer_norm_slowly(x, gain, bias, eps)
""",
    """
def layer_norm(x, gain, bias, eps):
    centered = x - np.mean(x, axis=2)[:, :, None]
    std = np.sqrt(np.var(x, axis=2) + eps)[:, :, np.newaxis]
    xhat = centered / std
    return xhat * gain[None, None] + bias[None, None], xhat, std**-1
""",
    """
def layer_norm(x, gain, bias, eps):
    B, T, D = x.shape
    rows = x.reshape(B * T, D)
    centered = rows @ (np.eye(D) - 1 / D)
    rstd = (np.einsum("nd,nd->n", centered, centered) / D + eps) ** -0.5
    xhat = (centered.T * rstd).T.reshape(B, T, D)
    return np.einsum("btd,d->btd", xhat, gain) + bias, xhat, rstd.reshape(B, T, 1)
""",
]
