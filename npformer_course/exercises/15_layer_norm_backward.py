# id: layer_norm_backward | points: 8 | minutes: 45 | level: 3 | needs: layer_norm | notebook: 05c

# %% [markdown]
# # Layer normalization, backwards
#
# In the last exercise every position was normalized over its $D$ features, then scaled and shifted:
#
# $$\hat x_i = (x_i - \mu)\, r, \qquad \mu = \tfrac1D \textstyle\sum_j x_j, \qquad
#   r = \frac{1}{\sqrt{\tfrac1D \sum_j (x_j - \mu)^2 + \varepsilon}}, \qquad y_i = g_i\, \hat x_i + b_i$$
#
# Now go back: `dy` says how the loss moves when $y$ moves, and you say how it moves when $x$, the gain $g$ and
# the bias $b$ move.
#
# The gain and the bias are easy: $y_i$ is a straight line in each. But they are the *same* gain and bias at every
# position of every sentence, and whatever feeds many places collects a gradient from each of them.
#
# $x_j$ is harder, because it moves every $\hat x_i$ of its position in three ways: directly when $i = j$, through
# the mean, and through $r$. Put together (try it on paper; section "LayerNorm" of the notebook does it slowly):
#
# $$\frac{\partial \hat x_i}{\partial x_j} = r \Big( \mathbb{1}[i = j] - \frac1D - \frac{\hat x_i \hat x_j}{D} \Big),
#   \qquad dx_j = \sum_i dy_i\, g_i\, \frac{\partial \hat x_i}{\partial x_j}$$
#
# Here is exactly that, one number at a time. It is right, and far too slow: for 512 features it would visit a
# quarter of a million pairs at every position.

# %%
import numpy as np


def layer_norm_backward_slowly(dy, xhat, rstd, gain):
    """The same as below, by loops."""
    B, T, D = dy.shape
    dx, dgain, dbias = np.zeros((B, T, D)), np.zeros(D), np.zeros(D)
    for b in range(B):
        for t in range(T):
            for i in range(D):
                dgain[i] += dy[b, t, i] * xhat[b, t, i]
                dbias[i] += dy[b, t, i]
                for j in range(D):
                    slope = rstd[b, t, 0] * ((i == j) - 1 / D - xhat[b, t, i] * xhat[b, t, j] / D)
                    dx[b, t, j] += dy[b, t, i] * gain[i] * slope
    return dx, dgain, dbias


# %% [markdown]
# ## Your turn
#
# Write it without loops. Multiply out the sum over $i$: of the three terms in the bracket, the first leaves one
# number alone, the other two become means over the features, one number a position each. No matrix of slopes is
# ever built.


# %%
def layer_norm_backward(dy, xhat, rstd, gain):
    """Return the gradients of layer normalization.

    dy (B, T, D): the gradient of the output. xhat (B, T, D) and rstd (B, T, 1): what forward kept. gain (D,).
    Returns dx (B, T, D), dgain (D,), dbias (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    dgain = (dy * xhat).sum((0, 1))
    dbias = dy.sum((0, 1))
    dxhat = dy * gain
    along_ones = dxhat.mean(-1, keepdims=True)
    along_xhat = (dxhat * xhat).mean(-1, keepdims=True)
    return rstd * (dxhat - along_ones - xhat * along_xhat), dgain, dbias
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, D):
    """Draw what forward left, and the gradient from above."""
    x = draw.normal(B, T, D)
    eps = draw.uniform(0.2, 0.5)  # large, so that it shows where it is left out
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    return {
        "dy": draw.normal(B, T, D),
        "xhat": (x - x.mean(-1, keepdims=True)) * rstd,
        "rstd": rstd,
        "gain": draw.gain(D),
    }


def backward(student, dy, xhat, rstd, gain):
    return student.layer_norm_backward(dy, xhat, rstd, gain)


CALLS = [Call(backward, {"dx": 4, "dgain": 2, "dbias": 1})]
SLOW = {"backward": layer_norm_backward_slowly}


def terms_of_dx(dy, xhat, rstd, gain):
    """The three ways in which x moves the loss."""
    dxhat = dy * gain
    return {
        "the direct term, dxhat": rstd * dxhat,
        "the mean of dxhat": -rstd * dxhat.mean(-1, keepdims=True) + 0 * dy,
        "the projection on xhat": -rstd * xhat * (dxhat * xhat).mean(-1, keepdims=True),
    }


TERMS = {"dx": terms_of_dx}

PREDICTION = Prediction(
    "Add the same number to all D features of one position of x. By how much does the loss move, to first order, "
    "and so: what is the sum of dx over the features of a position?",
    {"a": "the sum of dy over the features", "b": "zero", "c": "it depends on the gain"},
    answer="b",
    because="The mean moves along with the features, so xhat stays as it was, and the loss with it: dx has no part "
    "along the vector of ones. You can see your dx keep to it: print dx.sum(-1).",
)

MISTAKES = [
    Mistake(
        "gain_outside",
        "dx is what comes out when the two means are taken over dy and the gain multiplies the finished dx",
        Edit("dxhat = dy * gain", "dxhat = dy"),
        Edit("return rstd * (", "return gain * rstd * ("),
        ask="Which of the numbers that you average have already passed through the gain on their way back?",
    ),
    Mistake(
        "gain_missing",
        "dx does not depend on the gain",
        Edit("dxhat = dy * gain", "dxhat = dy"),
        ask="Double the gain, and y moves twice as far. What happens to dx?",
    ),
    Mistake(
        "mean_missing",
        "dx has a part along the vector of ones, as if the mean did not depend on x",
        Edit(" - along_ones", ""),
        ask="Add 1 to every feature of x. What happens to y, and so what must dx add up to?",
    ),
    Mistake(
        "projection_missing",
        "dx has a part along xhat, as if rstd did not depend on x",
        Edit(" - xhat * along_xhat", ""),
        ask="Double the distance of every feature from their mean. What happens to xhat (forget eps)?",
    ),
    Mistake(
        "rstd_missing",
        "dx is never multiplied by rstd",
        Edit("return rstd * (", "return ("),
        ask="A position whose features spread twice as far has half the rstd. How does that change the slope of xhat?",
    ),
    Mistake(
        "one_mean_for_all",
        "the means in dx run over all positions of all sentences",
        Edit("along_ones = dxhat.mean(-1, keepdims=True)", "along_ones = dxhat.mean()"),
        Edit("along_xhat = (dxhat * xhat).mean(-1, keepdims=True)", "along_xhat = (dxhat * xhat).mean()"),
        ask="Does the first word's x take part in normalizing the second word?",
    ),
    Mistake(
        "gradients_averaged",
        "{part} is a mean over the positions",
        Edit("(dy * xhat).sum((0, 1))", "(dy * xhat).mean((0, 1))"),
        Edit("dy.sum((0, 1))", "dy.mean((0, 1))"),
        ask="One gain and one bias serve every position. If one of them moves by h, do the changes of the loss at two "
        "positions add up?",
    ),
    Mistake(
        "dgain_without_xhat",
        "dgain is what comes out when the gain is treated like the bias",
        Edit("(dy * xhat).sum((0, 1))", "dy.sum((0, 1))"),
        ask="In y = gain * xhat + bias, what multiplies the gain, and what multiplies the bias?",
    ),
    Mistake(
        "sums_for_means",
        "dx is what comes out when the two numbers of a position are sums over its features",
        Edit("along_ones = dxhat.mean(-1", "along_ones = dxhat.sum(-1"),
        Edit("(dxhat * xhat).mean(-1", "(dxhat * xhat).sum(-1"),
        ask="Where does the slope of xhat have a D, and where do your lines?",
    ),
    Mistake(
        "gain_missing_along_xhat",
        "the part of dx along xhat does not depend on the gain",
        Edit("(dxhat * xhat).mean(-1", "(dy * xhat).mean(-1"),
        ask="Which gradient arrives at xhat: the one of y, or what is left of it behind the gain?",
    ),
    Mistake(
        "divided_by_rstd",
        "dx is divided by rstd",
        Edit("return rstd * (", "return 1 / rstd * ("),
        ask="A position whose features spread twice as far has half the rstd. How does that change the slope of xhat?",
    ),
    Mistake(
        "xhat_missing",
        "what is taken off along xhat is one and the same number for all features of a position",
        Edit("xhat * along_xhat", "along_xhat"),
        ask="In the last term of the slope xhat stands twice, at i and at j. Over which of the two does the sum run, "
        "and where is the other in your code?",
    ),
    Mistake(
        "direct_term_alone",
        "dx is what comes out when neither the mean nor rstd moves with x",
        Edit(" - along_ones - xhat * along_xhat", ""),
        ask="In which three ways does x_j move xhat_i, and how many of them have you followed?",
    ),
    Mistake(
        "mean_along_xhat_over_positions",
        "{part} is what comes out when the mean that is multiplied by xhat is taken over the positions",
        Edit("(dxhat * xhat).mean(-1, keepdims=True)", "(dxhat * xhat).mean(1, keepdims=True)"),
        ask="dy changes at one position. At which positions may dx move?",
    ),
    Mistake(
        "means_over_positions",
        "dx is what comes out when the two means run over the positions, along axis 1",
        Edit("along_ones = dxhat.mean(-1", "along_ones = dxhat.mean(1"),
        Edit("(dxhat * xhat).mean(-1", "(dxhat * xhat).mean(1"),
        ask="Does the first word's x take part in normalizing the second word?",
    ),
    Mistake(
        "rstd_on_the_direct_term",
        "rstd multiplies the direct term of dx, and not what is taken off it",
        Edit("rstd * (dxhat - along_ones - xhat * along_xhat)", "rstd * dxhat - along_ones - xhat * along_xhat"),
        ask="Which of the three terms in the bracket does the r in front of it multiply?",
    ),
    Mistake(
        "gain_missing_in_the_means",
        "the two means in dx do not depend on the gain",
        Edit("along_ones = dxhat.mean(-1", "along_ones = dy.mean(-1"),
        Edit("(dxhat * xhat).mean(-1", "(dy * xhat).mean(-1"),
        ask="Which gradient arrives at xhat: the one of y, or what is left of it behind the gain?",
    ),
    Mistake(
        "gain_missing_along_ones",
        "the mean in dx, taken off all features alike, does not depend on the gain",
        Edit("along_ones = dxhat.mean(-1", "along_ones = dy.mean(-1"),
        ask="Which gradient arrives at xhat: the one of y, or what is left of it behind the gain?",
    ),
    Mistake(
        "xhat_missing_under_the_mean",
        "the number by which dx is moved along xhat is a mean without xhat in it",
        Edit("(dxhat * xhat).mean(-1", "dxhat.mean(-1"),
        ask="In the last term of the slope xhat stands twice, at i and at j. Which of the two is under the sum over i?",
    ),
    Mistake(
        "rstd_missing_along_xhat",
        "rstd does not multiply what is taken off dx along xhat",
        Edit("rstd * (dxhat - along_ones - xhat * along_xhat)", "rstd * (dxhat - along_ones) - xhat * along_xhat"),
        ask="Which of the three terms in the bracket does the r in front of it multiply?",
    ),
    Mistake(
        "gain_missing_in_the_direct_term",
        "the direct term of dx does not depend on the gain",
        Edit("rstd * (dxhat -", "rstd * (dy -"),
        ask="Which gradient arrives at xhat: the one of y, or what is left of it behind the gain?",
    ),
    Mistake(
        "means_by_feature",
        "dx is what comes out when the two means are taken for each feature, over all positions",
        Edit("along_ones = dxhat.mean(-1, keepdims=True)", "along_ones = dxhat.mean((0, 1))"),
        Edit("(dxhat * xhat).mean(-1, keepdims=True)", "(dxhat * xhat).mean((0, 1))"),
        ask="Does the first word's x take part in normalizing the second word?",
    ),
    Mistake(
        "means_added",
        "what the two means take off dx is added instead",
        Edit("(dxhat - along_ones - xhat * along_xhat)", "(dxhat + along_ones + xhat * along_xhat)"),
        ask="Add 1 to every feature of x. What happens to y, and so what must dx add up to?",
    ),
]

HINTS = [
    "Two of the three results need no formula from above: write y = gain * xhat + bias for one feature and "
    "differentiate by the gain, then by the bias. Then ask over which axes they are shared.",
    "Call dy * gain by a name of its own, dxhat: the gradient at xhat. In the sum over i, the factor 1/D stands for a "
    "mean of dxhat over the features, and xhat_j can be taken out of the last term.",
    "dx is rstd times a bracket: dxhat itself, and with the slope's signs the mean of dxhat, and xhat times the mean "
    "of dxhat * xhat. Both means run over the last axis and keep it (keepdims=True).",
]

ALTERNATIVES = [
    """
def layer_norm_backward(dy, xhat, rstd, gain):
    return layer_norm_backward_slowly(dy, xhat, rstd, gain)
""",
    """
def layer_norm_backward(dy, xhat, rstd, gain):
    D = gain.size
    slope = np.eye(D) - 1 / D - xhat[..., :, None] * xhat[..., None, :] / D
    dx = rstd * np.einsum("bti,btij->btj", dy * gain, slope)
    return dx, np.einsum("btd,btd->d", dy, xhat), np.einsum("btd->d", dy)
""",
    """
def layer_norm_backward(dy, xhat, rstd, gain):
    rows, normed = (dy * gain).reshape(-1, gain.size), xhat.reshape(-1, gain.size)
    dx = gain.size * rows - rows.sum(1)[:, None] - normed * (rows * normed).sum(1)[:, None]
    dx = (dx * rstd.reshape(-1, 1) / gain.size).reshape(dy.shape)
    flat = dy.reshape(-1, gain.size)
    return dx, np.diag(flat.T @ normed), np.ones(len(flat)) @ flat
""",
]
