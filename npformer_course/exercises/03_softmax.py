# id: softmax | points: 9 | minutes: 30 | level: 1 | needs: - | notebook: 01

# %% [markdown]
# # Softmax
#
# In attention (section 3.2.1, equation 1) a word gives every other word a score, a number of any size and either sign.
# What it then needs are *weights* with which to average: positive, and 1 in sum. Softmax makes weights of scores:
#
# $$y_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# The power makes everything positive, the division makes the sum 1, and the order is kept. What counts is how far
# scores lie apart: a score that is 1 more than another has $e \approx 2.7$ times its weight, wherever both stand.
#
# Softmax comes back at the very end of the model, where the scores of all words of the vocabulary become probabilities.
#
# In code the scores of many words come in one array: $x$ is $(B, T, S)$, and each of the $B \cdot T$ rows of $S$ scores
# is a case of its own. Here is the formula, row by row:


# %%
import numpy as np


def softmax_slowly(x):
    """The same as below by loops, for x (B, T, S) and scores that are not large."""
    B, T, S = x.shape
    y = np.zeros((B, T, S))
    for b in range(B):
        for t in range(T):
            total = 0.0
            for s in range(S):
                total += np.exp(x[b, t, s])
            for s in range(S):
                y[b, t, s] = np.exp(x[b, t, s]) / total
    return y


# %% [markdown]
# ## Where the formula fails
#
# A float64 ends at about $10^{308}$, so `np.exp(710)` is already `inf`. A row with the scores 1000 and 1001 gives
# `inf / inf`, which is not a number, although the weights asked for are harmless: 0.27 and 0.73, as for the scores 0
# and 1. At $-1000$ and $-1001$ both powers are 0, and `0 / 0` is no better. In float32, in which models are trained,
# the end comes at a score of 89.
#
# The way out was named above: only distances count. For any number $c$
#
# $$\frac{e^{x_i - c}}{\sum_j e^{x_j - c}} = \frac{e^{-c}\, e^{x_i}}{e^{-c} \sum_j e^{x_j}} = y_i$$
#
# so each row may be shifted before its powers are taken. Choose $c$ such that no power is too large, and such that the
# sum is never 0.
#
# ## Your turn
#
# Write `softmax` without a loop over rows. It works along the last axis; the axes before it are free: $x$ may be
# $(S,)$, $(B, T, S)$ or $(B, H, T, S)$. It must be right for finite scores of any size and sign, and one row may lie
# thousands above the next, and one score thousands below the others of its row. The array `x` is not changed.


# %%
def softmax(x):
    """Return the weights of the scores x (..., S), of the same shape: positive, with sum 1 along the last axis."""
    # BEGIN SOLUTION
    peak = x.max(-1, keepdims=True)
    powers = np.exp(x - peak)
    return powers / powers.sum(-1, keepdims=True)
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, T, S, H):
    """Draw scores of the usual size, scores far from 0 (each row elsewhere), and scores with an axis of heads."""
    x = 1.5 * draw.normal(B, T, S)
    x_large = 1.5 * draw.normal(B, T, S)
    x_large[:, 0, -1] -= 20_000  # so that the mean is no way out
    sign = (-1.0) ** np.add.outer(np.arange(B), np.arange(T))[..., None]  # neighbors lie on both sides of 0
    return {
        "x": x,
        "x_large": x_large + sign * draw.rng.uniform(1000, 3000, (B, T, 1)),
        "x_heads": 1.5 * draw.normal(B, H, T, S),
    }


def usual(student, x):
    return student.softmax(x)


def large(student, x_large):
    return student.softmax(x_large)


def heads(student, x_heads):
    return student.softmax(x_heads)


CALLS = [Call(usual, {"y": 3}), Call(large, {"y of large scores": 4}), Call(heads, {"y of four axes": 1})]


def of_large_slowly(x_large):
    """The loops, after each row was moved to its first score."""
    return softmax_slowly(x_large - x_large[..., :1])


def of_heads_slowly(x_heads):
    """The loops again, with batch and heads laid out in one axis."""
    return softmax_slowly(x_heads.reshape(-1, *x_heads.shape[2:])).reshape(x_heads.shape)


SLOW = {"usual": softmax_slowly, "large": of_large_slowly, "heads": of_heads_slowly}

PREDICTION = Prediction(
    "Multiply all scores of a row by 10. What happens to its weights?",
    {
        "a": "nothing: the factor stands above and below the bar, and cancels",
        "b": "the largest weight grows, and nearly all of the row goes to it",
        "c": "the weights come closer to each other",
    },
    answer="b",
    because="The scores lie ten times as far apart now, and a distance d between two scores means a ratio of exp(d) of "
    "their weights: exp(10 d) is its tenth power. Only what is added to all scores cancels. That is "
    "why attention divides its scores by a root: large scores leave weight for one word alone.",
)

MISTAKES = [
    Mistake(
        "nothing_taken_off",
        "where scores are large, y has NaN, as if their powers were inf or 0",
        Edit("np.exp(x - peak)", "np.exp(x)"),
        ask="What is np.exp(1000) in floats, and by which number may a row be shifted so that this does not occur?",
    ),
    Mistake(
        "one_maximum_for_all",
        "a row that lies far below the highest of the array is NaN, as if only powers of 0 were left of it",
        Edit("x.max(-1, keepdims=True)", "x.max()"),
        ask="One row is around 2000, another around -2000. What is left of the second one?",
    ),
    *(
        Mistake(
            f"maximum_of_{name}",
            "the numbers of one row are shifted by different amounts, which changes the distances between them",
            Edit("x.max(-1, keepdims=True)", f"x.max({axis}, keepdims=True)"),
            ask="Which numbers must be shifted by the same amount, and along which axis do they lie?",
        )
        for name, axis in (("another_axis", -2), ("the_first_axis", 0))
    ),
    Mistake(
        "axis_of_queries",
        "the weights add up to 1 along the last axis but one, not along the last",
        Edit("x.max(-1, keepdims=True)", "x.max(-2, keepdims=True)"),
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(-2, keepdims=True)"),
        ask="Print the sums of your y along each axis. Between which numbers is one unit of attention to be shared?",
    ),
    Mistake(
        "axis_of_sentences",
        "the weights add up to 1 along the first axis, so they depend on the other sentences of the batch",
        Edit("x.max(-1, keepdims=True)", "x.max(0, keepdims=True)"),
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(0, keepdims=True)"),
        ask="Remove one sentence from the batch. Should the weights of another one change?",
    ),
    Mistake(
        "one_sum_for_all",
        "the weights of the whole array add up to 1, not those of each row",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum()"),
        ask="How many sums does an array of B times T rows need?",
    ),
    Mistake(
        "powers_missing",
        "the scores, less the largest of their row, are divided by their sum: the largest has the weight 0",
        Edit("np.exp(x - peak)", "x - peak"),
        ask="The formula has e in it. What does it do to a score of 0, and to one far below 0?",
    ),
    Mistake(
        "divided_by_the_maximum",
        "the scores are divided by the largest of their row, which changes the distances between them",
        Edit("np.exp(x - peak)", "np.exp(x / peak)"),
        ask="The scores 0 and 1 and the scores 0 and 5: should they have the same weights?",
    ),
    Mistake(
        "shifted_above_only",
        "the weights of a row do not add up to 1: what stands above the bar was shifted, what stands below was not",
        Edit("powers / powers.sum(-1", "powers / np.exp(x).sum(-1"),
        ask="exp(-c) cancels in the fraction. Where does it have to stand for that?",
    ),
    Mistake(
        "scores_clipped",
        "where all scores of a row are far from 0, the distances between them are lost, as if each had been cut off "
        "at the same limit",
        Edit("np.exp(x - peak)", "np.exp(np.clip(x, -700, 700))"),
        ask="The scores 1000 and 1001 should have the weights 0.27 and 0.73. What is left of the two before the powers "
        "are taken?",
    ),
    Mistake(
        "mean_taken_off",
        "where one score lies far above the others of its row, y has NaN, as if its power were inf",
        Edit("x.max(-1, keepdims=True)", "x.mean(-1, keepdims=True)"),
        ask="A row holds the scores 0, 0, 0 and 4000. How far is the largest from what you take off, and what is the "
        "power of that?",
    ),
    Mistake(
        "sum_over_queries",
        "{part} is what comes out when the sum below the bar runs along the last axis but one",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(-2, keepdims=True)"),
        ask="Print the sums of your y along each axis. Between which numbers is one unit of attention to be shared?",
    ),
    Mistake(
        "sum_over_sentences",
        "{part} is what comes out when the sum below the bar runs along the first axis",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(0, keepdims=True)"),
        ask="Remove one sentence from the batch. Should the weights of another one change?",
    ),
    Mistake(
        "largest_magnitude",
        "where all scores of a row are far below 0, y has NaN, as if their powers were all 0",
        Edit("x.max(-1, keepdims=True)", "np.abs(x).max(-1, keepdims=True)"),
        ask="A row holds the scores -1000 and -1001. What do you take off them, and what is left?",
    ),
    Mistake(
        "sign_turned",
        "{part} is what comes out when the scores have the other sign: the smallest has the largest weight",
        Edit("np.exp(x - peak)", "np.exp(peak - x)"),
        ask="Two words have the scores 0 and 1. Which of them should have more weight?",
    ),
    Mistake(
        "not_divided",
        "the largest number in each row of {part} is 1, and so the row sums to more than 1",
        Edit("return powers / powers.sum(-1, keepdims=True)", "return powers"),
        ask="Which number stands below the bar, and what does a row sum to after the division?",
    ),
    Mistake(
        "logarithm_taken",
        "{part} is the logarithm of the weights",
        Edit("return powers / powers.sum(-1, keepdims=True)", "return np.log(powers / powers.sum(-1, keepdims=True))"),
        ask="What are the weights of two equal scores, and what does your function say?",
    ),
    Mistake(
        "powers_of_two",
        "{part} is made of powers of 2",
        Edit("np.exp(x - peak)", "np.exp2(x - peak)"),
        ask="A score that is 1 more than another: how many times its weight should it have, and how many has it?",
    ),
    Mistake(
        "shifted_below_only",
        "the weights of a row do not add up to 1: what stands below the bar was shifted, what stands above was not",
        Edit("return powers / powers", "return np.exp(x) / powers"),
        ask="exp(-c) cancels in the fraction. Where does it have to stand for that?",
    ),
    Mistake(
        "each_by_itself",
        "{part} does not depend on the other scores of the row: each score has a weight by itself",
        Edit("return powers / powers.sum(-1, keepdims=True)", "return 1 / (1 + np.exp(-x))"),
        ask="What should a row sum to, whatever its scores?",
    ),
    Mistake(
        "softmax_twice",
        "{part} is softmax of softmax: the weights were taken for scores once more",
        Edit(
            "return powers / powers.sum(-1, keepdims=True)",
            "powers = np.exp(powers / powers.sum(-1, keepdims=True))\n"
            "    return powers / powers.sum(-1, keepdims=True)",
        ),
        ask="How many exponentials does the formula have on the way from a score to its weight?",
    ),
    Mistake(
        "divided_by_a_root",
        "{part} is what comes out when the scores are divided by the root of the length of the row",
        Edit("np.exp(x - peak)", "np.exp((x - peak) / np.sqrt(x.shape[-1]))"),
        ask="Does the formula of this exercise have a root?",
    ),
    Mistake(
        "all_to_the_largest",
        "the whole weight of a row goes to its largest score",
        Edit("return powers / powers.sum(-1, keepdims=True)", "return 1.0 * (x == peak)"),
        ask="Two scores differ by 0.1. How much more weight should one of them have?",
    ),
    Mistake(
        "scores_divided",
        "{part} is the scores, divided by their sum",
        Edit("return powers / powers.sum(-1, keepdims=True)", "return x / x.sum(-1, keepdims=True)"),
        ask="Some scores are below 0. What is their weight by the formula, and what is yours?",
    ),
]

HINTS = [
    "Write the formula for one row first, with np.exp and a sum, and see it fail on [1000, 1001]. Then look for a "
    "number c of the row itself: one for which no power is above 1, and one power is 1.",
    "Each row has a c of its own, and a sum of its own: both are taken along the last axis. So that (B, T, S) and the "
    "numbers of the rows fit together, these keep their axis, as (B, T, 1).",
    "Take the largest score of each row (keepdims=True) off the row, take the powers, and divide them by their sum "
    "along the last axis (keepdims=True). Use axis -1 and not 2, because there may be more axes or fewer.",
]

ALTERNATIVES = [
    """
def softmax(x):
    rows = x.reshape(-1, x.shape[-1])
    y = np.empty(rows.shape)
    for i, row in enumerate(rows):
        powers = [float(np.exp(score - max(row))) for score in row]
        y[i] = np.array(powers) / sum(powers)
    return y.reshape(x.shape)
""",
    """
def softmax(x):
    top = np.max(x, axis=-1)[..., np.newaxis]
    return np.exp(x - top - np.log(np.exp(x - top).sum(axis=-1))[..., np.newaxis])
""",
    """
def softmax(x):
    distance = x[..., None, :] - x[..., :, None]
    with np.errstate(over="ignore"):
        return 1 / np.exp(distance).sum(-1)
""",
]
