"""What people write in place of the solution of rms_norm, and what to say of it."""

from npformer_course.definition import Edit, Mistake

SQUARES = "mean_of_squares = (x * x).mean(-1, keepdims=True)"
ROOT = "1 / np.sqrt(mean_of_squares + eps)"
RETURNED = "return gain * xhat, xhat, scale"
PROJECTION = "projection = (dxhat * xhat).mean(-1, keepdims=True)"
DX = "return scale * (dxhat - xhat * projection), dgain"

OTHER_POSITIONS = "Append three padding positions. May the result at the first word change?"
FIRST_WORD = "dy changes at one position. At which positions may dx move?"
NOT_USED = "Which of the arguments have you not used?"

MISTAKES = [
    Mistake(
        "mean_subtracted",
        "the results are what LayerNorm gives without a bias: the mean of the features is "
        "subtracted first",
        Edit(SQUARES, f"x = x - x.mean(-1, keepdims=True)\n    {SQUARES}"),
        ask="Add 1 to every feature of a position. Should y change by the formula?",
    ),
    Mistake(
        "standard_deviation",
        "x is divided by the standard deviation of its features, about their mean",
        Edit("(x * x).mean(-1, keepdims=True)", "x.var(-1, keepdims=True)"),
        ask="All features of a position are 5. What is the root of the mean of their squares?",
    ),
    Mistake(
        "squares_added_up",
        "{part} is what comes out when the squares are added up and not divided by anything",
        Edit("(x * x).mean(-1", "(x * x).sum(-1"),
        ask="Write every feature of a position down twice. Should its scale change?",
    ),
    Mistake(
        "one_less_than_D",
        "{part} is what comes out when the sum of the squares is divided by D - 1",
        Edit(
            "(x * x).mean(-1, keepdims=True)",
            "(x * x).sum(-1, keepdims=True) / max(x.shape[-1] - 1, 0.5)",
        ),
        ask="Over how many squares is the mean, and by what do you divide their sum?",
    ),
    Mistake(
        "mean_of_sizes",
        "{part} is what comes out when x is divided by the mean of its absolute values",
        Edit(ROOT, "1 / (np.abs(x).mean(-1, keepdims=True) + eps)"),
        ask="Which comes first in the formula, the root or the mean?",
    ),
    Mistake(
        "eps_outside_the_root",
        "{part} is what comes out when eps is added after the root",
        Edit("np.sqrt(mean_of_squares + eps)", "(np.sqrt(mean_of_squares) + eps)"),
        ask="Is eps under the root of the formula or outside?",
    ),
    Mistake(
        "eps_after_the_division",
        "{part} is what comes out when eps is added to the reciprocal of the root",
        Edit(ROOT, "1 / np.sqrt(mean_of_squares) + eps"),
        ask="What does eps save you from, if all features of a position are 0?",
    ),
    Mistake(
        "no_eps",
        "{part} does not depend on eps",
        Edit("np.sqrt(mean_of_squares + eps)", "np.sqrt(mean_of_squares)"),
        ask="What does your function make of a position whose features are all 0?",
    ),
    Mistake(
        "eps_replaced_by_1e-5",
        "{part} does not depend on eps: there is a small number in its place",
        Edit("np.sqrt(mean_of_squares + eps)", "np.sqrt(mean_of_squares + 1e-5)"),
        ask=NOT_USED,
    ),
    Mistake(
        "eps_replaced_by_1e-6",
        "{part} does not depend on eps: there is a small number in its place",
        Edit("np.sqrt(mean_of_squares + eps)", "np.sqrt(mean_of_squares + 1e-6)"),
        ask=NOT_USED,
    ),
    Mistake(
        "no_root",
        "{part} is what comes out when no root is taken",
        Edit(ROOT, "1 / (mean_of_squares + eps)"),
        ask="If all features are doubled, what should happen to xhat (forget eps)?",
    ),
    Mistake(
        "over_the_T_axis",
        "{part} is what comes out when the mean of the squares runs over the positions",
        Edit("(x * x).mean(-1", "(x * x).mean(1"),
        Edit(RETURNED, "return gain * xhat, xhat, scale * np.ones((*x.shape[:2], 1))"),
        ask=OTHER_POSITIONS,
    ),
    Mistake(
        "over_the_sentence",
        "{part} is what comes out when one scale serves all positions of a sentence",
        Edit("(x * x).mean(-1", "0 * x[..., :1] + (x * x).mean((1, 2)"),
        ask=OTHER_POSITIONS,
    ),
    Mistake(
        "over_everything",
        "{part} is what comes out when one scale serves the whole array",
        Edit("(x * x).mean(-1, keepdims=True)", "0 * x[..., :1] + (x * x).mean()"),
        ask="Should the result for one sentence depend on which others are in its batch?",
    ),
    Mistake(
        "scale_returned_as_root",
        "scale is the root itself, not one divided by it",
        Edit(RETURNED, "return gain * xhat, xhat, 1 / scale"),
        ask="By what is x multiplied in the formula of xhat?",
    ),
    Mistake(
        "mean_of_squares_returned",
        "scale is the mean of the squares",
        Edit(RETURNED, "return gain * xhat, xhat, mean_of_squares"),
        ask="By what is x multiplied in the formula of xhat?",
    ),
    Mistake(
        "xhat_after_gain",
        "xhat is returned after the gain",
        Edit(RETURNED, "return gain * xhat, gain * xhat, scale"),
        ask="With gain 2 everywhere, what should xhat be?",
    ),
    Mistake(
        "not_yet_divided",
        "xhat is x: it is not multiplied by the scale",
        Edit(RETURNED, "return gain * xhat, 1.0 * x, scale"),
        ask="Multiply all of x by 2. What should happen to xhat (forget eps)?",
    ),
    Mistake(
        "gain_missing",
        "y does not depend on the gain",
        Edit(RETURNED, "return 1.0 * xhat, xhat, scale"),
        ask=NOT_USED,
    ),
    Mistake(
        "gain_from_one",
        "y is what comes out when the gain is counted from 1: xhat is multiplied by 1 + gain",
        Edit(RETURNED, "return (1 + gain) * xhat, xhat, scale"),
        ask="With gain 0 everywhere, what should y be?",
    ),
    Mistake(
        "as_layer_norm",
        "dx is what LayerNorm's backward gives: the mean of dxhat is subtracted too",
        Edit(
            DX, "return scale * (dxhat - dxhat.mean(-1, keepdims=True) - xhat * projection), dgain"
        ),
        ask="Through which number did the mean of dxhat come into the backward of LayerNorm, and "
        "is it still there?",
    ),
    Mistake(
        "projection_missing",
        "dx has a part along xhat, as if the scale did not depend on x",
        Edit(" - xhat * projection", ""),
        ask="Double every feature of a position. What happens to xhat (forget eps)?",
    ),
    Mistake(
        "mean_for_projection",
        "dx loses the mean of dxhat and keeps its part along xhat",
        Edit(DX, "return scale * (dxhat - dxhat.mean(-1, keepdims=True)), dgain"),
        ask="Which of the terms of LayerNorm came from the mean, and which from the division?",
    ),
    Mistake(
        "projection_added",
        "what the projection takes off dx is added instead",
        Edit("dxhat - xhat", "dxhat + xhat"),
        ask="A feature with a gradient grows. Does the scale grow or shrink with it?",
    ),
    Mistake(
        "projection_as_a_sum",
        "dx is what comes out when the number along xhat is a sum over the features, not a mean",
        Edit("(dxhat * xhat).mean(-1", "(dxhat * xhat).sum(-1"),
        ask="Where does the slope of xhat have a D, and where do your lines?",
    ),
    Mistake(
        "xhat_missing_outside",
        "what is taken off dx is one and the same number for all features of a position",
        Edit("xhat * projection)", "projection)"),
        ask="In the slope xhat occurs twice, at i and at j. Over which of the two is the sum?",
    ),
    Mistake(
        "xhat_missing_inside",
        "the number by which dx is moved along xhat is a mean without xhat in it",
        Edit("(dxhat * xhat).mean(-1", "dxhat.mean(-1"),
        ask="In the slope xhat occurs twice, at i and at j. Which of the two is under the sum?",
    ),
    Mistake(
        "projection_over_positions",
        "dx is what comes out when the mean along xhat is taken over the positions",
        Edit("(dxhat * xhat).mean(-1", "(dxhat * xhat).mean(1"),
        ask=FIRST_WORD,
    ),
    Mistake(
        "projection_of_everything",
        "dx is what comes out when the mean along xhat is one number for the whole batch",
        Edit("(dxhat * xhat).mean(-1, keepdims=True)", "(dxhat * xhat).mean()"),
        ask=FIRST_WORD,
    ),
    Mistake(
        "scale_missing",
        "dx is never multiplied by the scale",
        Edit("return scale * (dxhat", "return (dxhat"),
        ask="A position with features twice as large has half the scale. How does that change the "
        "slope of xhat?",
    ),
    Mistake(
        "divided_by_scale",
        "dx is divided by the scale",
        Edit("return scale * (dxhat", "return 1 / scale * (dxhat"),
        ask="A position with features twice as large has half the scale. How does that change the "
        "slope of xhat?",
    ),
    Mistake(
        "scale_on_the_direct_term",
        "the scale multiplies the direct term of dx, and not what is taken off it",
        Edit("scale * (dxhat - xhat * projection)", "scale * dxhat - xhat * projection"),
        ask="Which of the two terms in the bracket does the s in front of it multiply?",
    ),
    Mistake(
        "gain_missing_in_dx",
        "dx does not depend on the gain",
        Edit("dxhat = dy * gain", "dxhat = dy"),
        ask="Double the gain, and y moves twice as far. What happens to dx?",
    ),
    Mistake(
        "gain_outside",
        "dx is what comes out when the mean is taken over dy and the gain multiplies the finished "
        "dx",
        Edit("dxhat = dy * gain", "dxhat = dy"),
        Edit("return scale * (dxhat", "return gain * scale * (dxhat"),
        ask="Have the numbers that you average already passed through the gain on their way back?",
    ),
    Mistake(
        "gain_missing_in_the_projection",
        "the part of dx along xhat does not depend on the gain",
        Edit("(dxhat * xhat).mean(-1", "(dy * xhat).mean(-1"),
        ask="Which gradient arrives at xhat: the one of y, or what is left of it behind the gain?",
    ),
    Mistake(
        "dgain_averaged",
        "dgain is a mean over the positions",
        Edit("(dy * xhat).sum((0, 1))", "(dy * xhat).mean((0, 1))"),
        ask="One gain serves every position. Do the changes of the loss at two positions add up?",
    ),
    Mistake(
        "dgain_without_xhat",
        "dgain is what comes out when the gain is treated like a bias: xhat has no part in it",
        Edit("(dy * xhat).sum((0, 1))", "dy.sum((0, 1))"),
        ask="In y = gain * xhat, what multiplies the gain?",
    ),
]
