# id: masked_softmax | points: 7 | minutes: 45 | level: 2 | needs: softmax_backward masks | notebook: 01

# %% [markdown]
# # Softmax with a mask
#
# A query may not look everywhere: not at padding, and in a decoder not at words that are still to be written.
# Section 3.2.3 of the paper does this inside softmax, by "setting to $-\infty$ all values in the input of the softmax
# which correspond to illegal connections". As $e^{-\infty} = 0$, a hidden place gets no weight, and the places that
# can be seen share the whole 1 among themselves:
#
# $$y_{ts} = \frac{m_{ts}\, e^{x_{ts}}}{\sum_{s'} m_{ts'}\, e^{x_{ts'}}}, \qquad
#   m_{ts} = 1 \text{ where query } t \text{ may attend to key } s, \text{ else } 0$$
#
# The mask is an array of booleans, **True = may attend**. The scores are $(B, H, T, S)$: sentences, heads, queries,
# keys. All heads share one mask, so it comes as $(B, 1, T, S)$ and broadcasts.
#
# Three things make this harder than it looks.
#
# - **A row in which everything is hidden**, for instance a query of a sentence that is all padding. The formula
#   says $0/0$. There is nothing to look at, so in this course such a row has weights of 0 throughout, and its gradient
#   is 0 too. It is never NaN: one NaN spoils every weight of a model at the next update.
# - **Numbers that have no value.** $0 \cdot \infty$ and $-\infty - (-\infty)$ are NaN in floats. A formula in which
#   $\infty$ is multiplied by the mask, or taken away from itself, will meet one of them.
# - **What is hidden has no say.** The score at a hidden place may be any finite number, 900 for instance, next to
#   visible ones around 0. The result must be what it would be if that place did not exist.
#
# Here is the definition, one row after the other. The largest *visible* score is taken off first, as in the exercise
# on softmax, so that no power is too large.

# %%
import math

import numpy as np


def masked_softmax_slowly(x, mask):
    """The same as `masked_softmax` below, by loops."""
    B, H, T, S = x.shape
    mask = np.broadcast_to(mask, x.shape)
    y = np.zeros(x.shape)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                places = [s for s in range(S) if mask[b, h, t, s]]
                if places:
                    largest = max(x[b, h, t, s] for s in places)
                    total = sum(math.exp(x[b, h, t, s] - largest) for s in places)
                    for s in places:
                        y[b, h, t, s] = math.exp(x[b, h, t, s] - largest) / total
    return y


# %% [markdown]
# ## Backwards
#
# You know the gradient of softmax: $dx_s = y_s \left( dy_s - \sum_{s'} dy_{s'}\, y_{s'} \right)$, row by row. Now ask
# what the mask changes about it. `dy` may be anything at a hidden place: the layers above do not know what is
# hidden. Yet moving a hidden score moves nothing, so `dx` must be 0 there, and a hidden place may not take part in the
# sum for the others. The second function gets `dy` and the weights `y`, and no mask. Is that enough?


# %%
def masked_softmax_backward_slowly(dy, y):
    """The same as `masked_softmax_backward` below, by loops."""
    B, H, T, S = y.shape
    dx = np.zeros(y.shape)
    for b in range(B):
        for h in range(H):
            for t in range(T):
                for i in range(S):
                    for j in range(S):
                        slope = y[b, h, t, i] * ((i == j) - y[b, h, t, j])  # of y_i by x_j
                        dx[b, h, t, j] += dy[b, h, t, i] * slope
    return dx


# %% [markdown]
# ## Your turn
#
# Write both without loops. Do not change `x` in place: it belongs to the caller.


# %%
def masked_softmax(x, mask):
    """Return the weights y (B, H, T, S) of the scores x (B, H, T, S): softmax over the last axis, under a mask.

    mask: booleans, always (B, 1, T, S), True = may attend. Hidden places have weight 0, the visible ones of a row sum
    to 1. A row without any True has weights of 0 throughout. x and mask are not changed.
    """
    # BEGIN SOLUTION
    visible = np.where(mask, x, -np.inf)
    peak = visible.max(-1, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0)
    powers = np.exp(visible - peak)
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)
    # END SOLUTION


def masked_softmax_backward(dy, y):
    """Return dx (B, H, T, S), the gradient of the scores.

    dy (B, H, T, S): the gradient of the weights. y (B, H, T, S): the weights that forward returned, 0 where hidden.
    Neither is changed.
    """
    # BEGIN SOLUTION
    return y * (dy - (dy * y).sum(-1, keepdims=True))
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction


def inputs(draw, B, H, T, S):
    """Draw scores of which some hidden ones are loud, one in each sentence at least, and a row without any True.

    Of three sentences or more the last is hidden throughout.
    In the rows whose visible scores are near -450 the loud ones are loud only next to the others: no power of them is
    too large for a float. Near 1000 those of the visible ones are too large, and near -1000 they are all 0.
    """
    mask = draw.mask(B, 1, T, S, empty=B * T > 1)
    if B > 2:
        mask[-1] = False
    x = draw.normal(B, H, T, S)
    loud = draw.rng.random(x.shape) < 0.2
    loud[..., 0, -1] = True
    x += np.where(loud & ~mask, 900, 0) + draw.rng.choice([0, -450, 1000, -1000], (B, H, T, 1))
    return {"x": x, "mask": mask, "y": masked_softmax_slowly(x, mask), "dy": draw.normal(B, H, T, S)}


def forward(student, x, mask):
    return student.masked_softmax(x, mask)


def backward(student, dy, y):
    return student.masked_softmax_backward(dy, y)


CALLS = [Call(forward, {"y": 4}), Call(backward, {"dx": 2})]
SLOW = {"forward": masked_softmax_slowly, "backward": masked_softmax_backward_slowly}


def terms_of_dx(dy, y):
    """A score moves its own weight, and the total of its row."""
    return {
        "the direct term, y * dy": y * dy,
        "the sum over the row": -y * (dy * y).sum(-1, keepdims=True),
    }


TERMS = {"dx": terms_of_dx}

PREDICTION = Prediction(
    "In one row, dy is 1000 at a hidden place and 0 at all visible places. What is dx in that row?",
    {
        "a": "1000 at the hidden place, 0 elsewhere",
        "b": "0 everywhere",
        "c": "0 at the hidden place, and below 0 at the visible ones",
    },
    answer="b",
    because="The hidden weight is 0 whatever the scores are. In the formula dy meets it only as dy * y, which is 0, so "
    "the 1000 goes nowhere. The weights carry the mask; backward needs no other.",
)

MISTAKES = [
    Mistake(
        "mask_after_softmax",
        "the weights of a row with hidden places do not sum to 1: hidden scores still count in the total",
        Edit("visible = np.where(mask, x, -np.inf)", "visible = x"),
        Edit("return powers / np", "return mask * powers / np"),
        ask="Two keys with equal scores, one hidden. Which weight should the other have, and which has it in y?",
    ),
    Mistake(
        "hidden_score_zero",
        "a hidden place has the weight of a place whose score is 0",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, x, 0)"),
        ask="What is exp(0), and is that the power of a place that nobody may see?",
    ),
    Mistake(
        "hidden_score_zero_in_rows_seen",
        "in rows with any True, a hidden place has the weight of a place whose score is 0",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, x, 0)"),
        Edit("return powers /", "return mask.any(-1, keepdims=True) * powers /"),
        ask="What is exp(0), and is that the power of a place that nobody may see?",
    ),
    Mistake(
        "zero_times_infinity",
        "y is NaN everywhere, also in rows where nothing is hidden",
        Edit("np.where(mask, x, -np.inf)", "x + np.logical_not(mask) * -np.inf"),
        Edit("np.where(np.isfinite(peak), peak, 0)", "peak"),
        ask="Which line makes the first NaN? Look at what it does where the mask is True: is there a 0 times infinity "
        "in it?",
    ),
    Mistake(
        "empty_row_nan",
        "rows without any True are NaN, and all others are right",
        Edit("np.where(np.isfinite(peak), peak, 0)", "peak"),
        ask="Follow such a row through your lines: its maximum, its powers, their total. Where is the first NaN?",
    ),
    Mistake(
        "empty_row_even",
        "a row without any True has the same weight, 1/S, everywhere",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, x, -1e9)"),
        ask="Print the numbers of such a row line by line. What does softmax make of a row in which all numbers are "
        "equal?",
    ),
    Mistake(
        "empty_row_unmasked",
        "a row without any True has the weights that it would have without a mask",
        Edit("np.where(mask, x, -np.inf)", "x + np.where(mask, 0.0, -1e9)"),
        ask="What does softmax see of a number that is added to every score of a row, and which scores does your code "
        "leave in such a row?",
    ),
    Mistake(
        "penalty_of_100_in_rows_seen",
        "a hidden place has weight where its score is much larger than the visible ones",
        Edit(
            "    visible = np.where(mask, x, -np.inf)",
            "    visible = np.where(mask, x, np.where(mask.any(-1, keepdims=True), x - 100, -np.inf))",
        ),
        ask="How large may a hidden score be before what you take off it is no longer enough?",
    ),
    Mistake(
        "dy_through_hidden_places",
        "{part} is dy itself wherever the weight is 0",
        Edit(
            "return y * (dy - (dy * y).sum(-1, keepdims=True))",
            "return np.where(y > 0, y * (dy - (dy * y).sum(-1, keepdims=True)), dy)",
        ),
        ask="A hidden score moves a little. What does the output do?",
    ),
    Mistake(
        "penalty_too_small",
        "a hidden place with a large score keeps weight, and a row without any True is not masked at all",
        Edit("np.where(mask, x, -np.inf)", "x + np.where(mask, 0, -100)"),
        ask="How large may a hidden score be before what you take off it is no longer enough?",
    ),
    Mistake(
        "mask_upside_down",
        "the places where the mask is False have the weight, those where it is True have none",
        Edit("np.where(mask, x, -np.inf)", "np.where(mask, -np.inf, x)"),
        ask="What does True stand for in this course: may attend, or is hidden?",
    ),
    Mistake(
        "hidden_maximum",
        "a row has weights of 0 throughout where a hidden score lies 900 above the visible ones",
        Edit("visible.max(-1, keepdims=True)", "x.max(-1, keepdims=True)"),
        ask="A hidden score of 900 next to visible ones around 0: which powers does your code compute in such a "
        "row, and what is left of the visible ones?",
    ),
    Mistake(
        "diagonal_only",
        "dx is what comes out when a score moves no weight but its own",
        Edit("y * (dy - (dy * y).sum(-1, keepdims=True))", "dy * y * (1 - y)"),
        ask="One score of a row rises. Which of the weights of the row move?",
    ),
    Mistake(
        "sum_without_weights",
        "dx is what comes out when dy is summed over the row as it is, at the hidden places too",
        Edit("(dy * y).sum(-1", "dy.sum(-1"),
        ask="Change dy at a hidden place. May dx move anywhere?",
    ),
    Mistake(
        "mean_without_weights",
        "dx is what comes out when the plain mean of dy over the row is taken off, with the hidden places in it",
        Edit("(dy * y).sum(-1", "dy.mean(-1"),
        ask="Change dy at a hidden place. May dx move anywhere?",
    ),
    Mistake(
        "nothing_taken_off",
        "where scores are large, y has NaN, as if their powers were inf",
        Edit("peak = np.where(np.isfinite(peak), peak, 0)", "peak = 0"),
        ask="What is np.exp(1000) in floats, and by which number may a row be shifted so that this does not occur?",
    ),
    Mistake(
        "axis_of_queries",
        "{part} is what comes out when the sums run over the queries, along the last axis but one",
        Edit("visible.max(-1, keepdims=True)", "visible.max(-2, keepdims=True)"),
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(-2, keepdims=True)"),
        Edit("(dy * y).sum(-1", "(dy * y).sum(-2"),
        ask="Which weights share a sum of 1, and along which axis do they lie?",
    ),
    Mistake(
        "visible_summed",
        "dx is what comes out when dy is summed over the visible places of the row as it is",
        Edit("(dy * y).sum(-1", "(dy * (y > 0)).sum(-1"),
        ask="The formula sums over s'. Which factors under that sum carry this index?",
    ),
    *(
        Mistake(
            f"zero_times_infinity_in_{where}",
            says,
            Edit("np.where(mask, x, -np.inf)", "x + np.logical_not(mask) * -np.inf"),
            Edit("np.where(total == 0, 1, total)", f"np.where({total}, 1, total)"),
            ask="Which line makes the first NaN? Look at what it does where the mask is True: is there a 0 times "
            "infinity in it?",
        )
        for where, says, total in (
            ("rows_seen", "rows with any True are NaN, and all others are right", "total == 0"),
            ("places_seen", "y is NaN at all visible places, and 0 at all others", "~(total > 0)"),
        )
    ),
    Mistake(
        "one_maximum_for_all",
        "y is what comes out when all rows are shifted by the largest visible score of the array: rows far below it "
        "lose their weights",
        Edit("visible.max(-1, keepdims=True)", "visible.max()"),
        ask="One row is around 0, another around -2000. What is left of the second one?",
    ),
    Mistake(
        "sum_over_queries",
        "y is what comes out when the sum below the bar runs over the queries, along the last axis but one",
        Edit("powers.sum(-1, keepdims=True)", "powers.sum(-2, keepdims=True)"),
        ask="Which weights share a sum of 1, and along which axis do they lie?",
    ),
    Mistake(
        "mask_added",
        "y is what comes out when the mask is added to the scores as a number: a visible place has only e times the "
        "weight of a hidden one with an equal score",
        Edit("np.where(mask, x, -np.inf)", "x + mask"),
        ask="What does NumPy make of True in a sum, and how large is the weight of a place with one point less?",
    ),
    Mistake(
        "weight_missing",
        "dx is what comes out when the sum over the row is taken off dy, and no weight is multiplied with the rest",
        Edit("return y * (dy - (dy", "return (dy - (dy"),
        ask="What should dx be where y is 0, and what is it?",
    ),
    Mistake(
        "weight_missing_where_seen",
        "once the sum over the row is off, the rest of dy is taken whole at every visible place, whatever its weight",
        Edit("return y * (dy - (dy", "return (y > 0) * (dy - (dy"),
        ask="A visible score far below the others has a weight of nearly 0. How much does the loss move when it moves?",
    ),
    Mistake(
        "weight_missing_in_the_sum",
        "the sum over the row is taken off all places of the row alike, the hidden ones too",
        Edit("y * (dy - (dy * y).sum(-1, keepdims=True))", "dy * y - (dy * y).sum(-1, keepdims=True)"),
        ask="What should dx be where y is 0, and what is it?",
    ),
    Mistake(
        "mean_of_the_visible",
        "dx is what comes out when the plain mean of dy over the visible places of the row is taken off",
        Edit(
            "(dy * y).sum(-1, keepdims=True)",
            "(dy * (y > 0)).sum(-1, keepdims=True) / ((y > 0).sum(-1)[..., None] + (y.sum(-1) == 0)[..., None])",
        ),
        ask="Two visible places have the weights 0.9 and 0.1. Do their dy count equally in the sum of the formula?",
    ),
    Mistake(
        "infinite_power_hidden",
        "y has NaN in rows with a large hidden score: its power is inf, and inf times 0 is no number",
        Edit("powers = np.exp(visible - peak)", "powers = np.exp(x) * mask"),
        ask="What is np.exp(900) * 0 in floats?",
    ),
    Mistake(
        "weight_missing_in_the_direct_term",
        "the part of dx that comes from a score's own weight is dy, whatever that weight is",
        Edit("y * (dy - (dy * y).sum(-1, keepdims=True))", "dy - y * (dy * y).sum(-1, keepdims=True)"),
        ask="What should dx be where y is 0, and what is it?",
    ),
    Mistake(
        "weight_twice_in_the_sum",
        "the sum over the row is multiplied by the weight of the place twice",
        Edit("y * (dy - (dy * y).sum(-1, keepdims=True))", "y * (dy - y * (dy * y).sum(-1, keepdims=True))"),
        ask="How often does y_s stand in front of the sum in the formula?",
    ),
    Mistake(
        "one_sum_for_all",
        "dx is what comes out when one sum runs over all rows of all sentences",
        Edit("(dy * y).sum(-1, keepdims=True)", "(dy * y).sum()"),
        ask="Does a score of the first row move a weight of the second?",
    ),
]

HINTS = [
    "Let NumPy choose between the score and a number that no power survives: np.where takes a mask that broadcasts. "
    "What does np.exp make of -np.inf?",
    "Follow a row without any True through your lines. Its maximum is -inf, and -inf - (-inf) is NaN: put a finite "
    "number in place of such a maximum. Its total is 0: put something harmless in place of such a total.",
    "Forward in five steps: hidden scores to -inf; the row's maximum, 0 where it is not finite; np.exp of the "
    "difference; the row's sum, 1 where it is 0; divide. Backward is the formula of softmax without a change.",
]

ALTERNATIVES = [
    """
def masked_softmax(x, mask):
    return masked_softmax_slowly(x, mask)


def masked_softmax_backward(dy, y):
    return masked_softmax_backward_slowly(dy, y)
""",
    """
def masked_softmax(x, mask):
    allowed = np.broadcast_to(mask, x.shape).astype(float)
    lowest = x.min()
    peak = ((x - lowest) * allowed).max(-1, keepdims=True) + lowest
    powers = np.exp(np.minimum(x - peak, 0)) * allowed
    return powers / np.maximum(powers.sum(-1, keepdims=True), 1e-300)


def masked_softmax_backward(dy, y):
    slopes = np.eye(y.shape[-1]) * y[..., None, :] - y[..., :, None] * y[..., None, :]
    return np.einsum("bhti,bhtij->bhtj", dy, slopes)
""",
    """
def masked_softmax(x, mask):
    hidden = np.logical_not(np.broadcast_to(mask, x.shape))
    scores = x.copy()
    scores[hidden] = np.finfo(x.dtype).min
    scores -= scores.max(axis=3)[..., None]
    y = np.exp(scores)
    y[hidden] = 0
    sums = y.sum(axis=3)
    sums[sums == 0] = 1
    return y / sums[..., None]


def masked_softmax_backward(dy, y):
    dx = y * dy
    dx -= y * np.einsum("bhts,bhts->bht", y, dy)[..., None]
    return dx
""",
]
