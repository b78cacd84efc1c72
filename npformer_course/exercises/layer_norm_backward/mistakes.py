"""What people write in place of the solution of layer_norm_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "gain_outside",
        "dx is what comes out when the two means are taken over dy and the gain multiplies the "
        "finished dx",
        Edit("dxhat = dy * gain", "dxhat = dy"),
        Edit("return rstd * (", "return gain * rstd * ("),
        ask=(
            "Which of the numbers that you average have already passed through the gain on their "
            "way back?"
        ),
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
        ask=(
            "Double the distance of every feature from their mean. What happens to xhat (forget "
            "eps)?"
        ),
    ),
    Mistake(
        "rstd_missing",
        "dx is never multiplied by rstd",
        Edit("return rstd * (", "return ("),
        ask=(
            "A position whose features spread twice as far has half the rstd. How does that "
            "change the slope of xhat?"
        ),
    ),
    Mistake(
        "one_mean_for_all",
        "the means in dx run over all positions of all sentences",
        Edit("along_ones = dxhat.mean(-1, keepdims=True)", "along_ones = dxhat.mean()"),
        Edit(
            "along_xhat = (dxhat * xhat).mean(-1, keepdims=True)",
            "along_xhat = (dxhat * xhat).mean()",
        ),
        ask="Does the first word's x take part in normalizing the second word?",
    ),
    Mistake(
        "gradients_averaged",
        "{part} is a mean over the positions",
        Edit("(dy * xhat).sum((0, 1))", "(dy * xhat).mean((0, 1))"),
        Edit("dy.sum((0, 1))", "dy.mean((0, 1))"),
        ask=(
            "One gain and one bias serve every position. If one of them moves by h, do the "
            "changes of the loss at two positions add up?"
        ),
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
        ask=(
            "A position whose features spread twice as far has half the rstd. How does that "
            "change the slope of xhat?"
        ),
    ),
    Mistake(
        "xhat_missing",
        "what is taken off along xhat is one and the same number for all features of a position",
        Edit("xhat * along_xhat", "along_xhat"),
        ask=(
            "In the last term of the slope xhat stands twice, at i and at j. Over which of the "
            "two does the sum run, and where is the other in your code?"
        ),
    ),
    Mistake(
        "direct_term_alone",
        "dx is what comes out when neither the mean nor rstd moves with x",
        Edit(" - along_ones - xhat * along_xhat", ""),
        ask="In which three ways does x_j move xhat_i, and how many of them have you followed?",
    ),
    Mistake(
        "mean_along_xhat_over_positions",
        "{part} is what comes out when the mean that is multiplied by xhat is taken over the "
        "positions",
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
        Edit(
            "rstd * (dxhat - along_ones - xhat * along_xhat)",
            "rstd * dxhat - along_ones - xhat * along_xhat",
        ),
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
        ask=(
            "In the last term of the slope xhat stands twice, at i and at j. Which of the two is "
            "under the sum over i?"
        ),
    ),
    Mistake(
        "rstd_missing_along_xhat",
        "rstd does not multiply what is taken off dx along xhat",
        Edit(
            "rstd * (dxhat - along_ones - xhat * along_xhat)",
            "rstd * (dxhat - along_ones) - xhat * along_xhat",
        ),
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
        Edit(
            "(dxhat - along_ones - xhat * along_xhat)", "(dxhat + along_ones + xhat * along_xhat)"
        ),
        ask="Add 1 to every feature of x. What happens to y, and so what must dx add up to?",
    ),
]
