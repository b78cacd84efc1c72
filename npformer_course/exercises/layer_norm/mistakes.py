"""What people write in place of the solution of layer_norm, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "one_less_than_D",
        "{part} is what comes out when the squared distances are divided by D - 1",
        # not x.var(-1, ddof=1), which warns where D is 1
        Edit(
            "((x - mean) ** 2).mean(-1, keepdims=True)",
            "((x - mean) ** 2).sum(-1, keepdims=True) / (x.shape[-1] - 1)",
        ),
        ask=(
            "Work out xhat for the two features 3 and 5 by the formula (forget eps). What does "
            "your function say?"
        ),
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
        ask=(
            "If all features are doubled, what happens to the variance, and what should happen "
            "to xhat?"
        ),
    ),
    Mistake(
        "over_positions_too",
        "{part} is what comes out when one mean and one variance serve all positions of a sentence",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean((1, 2), keepdims=True)"),
        Edit(
            "((x - mean) ** 2).mean(-1, keepdims=True)",
            "((x - mean) ** 2).mean((1, 2), keepdims=True) + np.zeros((x.shape[1], 1))",
        ),
        ask=(
            "Append three padding positions to a sentence. May the result at its first word change?"
        ),
    ),
    Mistake(
        "mean_of_the_sentence_taken_off",
        "{part} is what comes out when one mean for all positions of a sentence is taken off, "
        "and rstd is right",
        Edit("xhat = (x - mean) * rstd", "xhat = (x - x.mean((1, 2), keepdims=True)) * rstd"),
        ask="How many means does a sentence of T positions have?",
    ),
    Mistake(
        "one_mean_per_sentence",
        "{part} is what comes out when one mean serves all positions of a sentence",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean((1, 2), keepdims=True)"),
        ask=(
            "Append three padding positions to a sentence. May the result at its first word change?"
        ),
    ),
    Mistake(
        "over_everything",
        "{part} is what comes out when one mean and one variance serve the whole array",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean()"),
        Edit(
            "((x - mean) ** 2).mean(-1, keepdims=True)",
            "((x - mean) ** 2).mean() + np.zeros((*x.shape[:2], 1))",
        ),
        ask="Should the result for one sentence depend on which others happen to be in its batch?",
    ),
    Mistake(
        "batch_norm",
        "{part} is what comes out when each feature is normalized over the positions of the "
        "batch, instead of each position over its features",
        Edit(
            "xhat = (x - mean) * rstd", "xhat = (x - x.mean((0, 1))) / np.sqrt(x.var((0, 1)) + eps)"
        ),
        ask=(
            "Print y.mean(-1) with gain 1 and bias 0. Of which numbers does the formula make the "
            "mean 0?"
        ),
    ),
    Mistake(
        "variance_about_zero",
        "{part} is what comes out when the variance is the mean of the squares of x itself",
        Edit("((x - mean) ** 2)", "(x**2)"),
        ask=(
            "Add 100 to every feature of a position. What happens to its spread, and to your "
            "variance?"
        ),
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
    Mistake(
        "eps_replaced_by_1e-5",
        "{part} does not depend on eps: there is a small number in its place",
        Edit("np.sqrt(var + eps)", "np.sqrt(var + 1e-5)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "eps_replaced_by_1e-6",
        "{part} does not depend on eps: there is a small number in its place",
        Edit("np.sqrt(var + eps)", "np.sqrt(var + 1e-6)"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "squares_added_up",
        "{part} is what comes out when the squared distances are added up and not divided by "
        "anything",
        Edit("((x - mean) ** 2).mean(-1", "((x - mean) ** 2).sum(-1"),
        ask=(
            "Write every feature of a position down twice. What happens to its spread, and to "
            "your variance?"
        ),
    ),
    Mistake(
        "over_the_B_axis",
        "{part} is what comes out when mean and variance run over the sentences of the batch",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean(0, keepdims=True)"),
        Edit("((x - mean) ** 2).mean(-1", "((x - mean) ** 2).mean(0"),
        ask="Over which letter do the two sums of the formula run, and which axis is that?",
    ),
    Mistake(
        "over_the_T_axis",
        "{part} is what comes out when mean and variance run over the positions of a sentence",
        Edit("mean = x.mean(-1, keepdims=True)", "mean = x.mean(1, keepdims=True)"),
        Edit("((x - mean) ** 2).mean(-1", "((x - mean) ** 2).mean(1"),
        ask="Over which letter do the two sums of the formula run, and which axis is that?",
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
        ask=(
            "Multiply all of x by 2. What should happen to xhat (forget eps), and what happens "
            "to yours?"
        ),
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
