"""What people write in place of the solution of softmax_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

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
        ask=(
            "The y of a row add up to 1, so dy weighted by y is an average already. What is it "
            "divided by once more?"
        ),
    ),
    Mistake(
        "sum_missing",
        "dx is dy * y, as if the sum below the bar did not move with the scores",
        Edit("dy - total", "dy"),
        ask=(
            "Add the same number to all scores of a row. What happens to y, and so what must dx "
            "add up to?"
        ),
    ),
    Mistake(
        "weight_missing",
        "the average of dy is taken off dy, but what is left is not multiplied by the weights",
        Edit("return y * (dy - total)", "return dy - total"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
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
        "the part of dx that comes from the other weights is the same for all scores of a row, "
        "whatever their weights",
        Edit("return y * (dy - total)", "return dy * y - total"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "softmax_again",
        "dx is what comes out when y is put through softmax once more, as if it were the scores",
        Edit(
            "    total = (dy",
            "    y = np.exp(y) / np.exp(y).sum(-1, keepdims=True)\n    total = (dy",
        ),
        ask=(
            "What does the docstring say that y is, and what do its rows add up to before your "
            "first line?"
        ),
    ),
    Mistake(
        "sum_off_the_weights",
        "dx is what comes out when the sum is taken off the weights, and the rest is multiplied "
        "by dy",
        Edit("return y * (dy - total)", "return dy * (y - total)"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "weight_missing_in_the_direct_term",
        "the part of dx that comes from a score's own weight is dy, whatever that weight is",
        Edit("return y * (dy - total)", "return dy - y * total"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "weight_twice_in_the_sum",
        "the part of dx that comes from the other weights is multiplied by the score's own "
        "weight twice",
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
    Mistake(
        "own_weight_for_every_weight",
        "{part} is what comes out when the score's own weight stands twice in front of the plain "
        "sum of dy: the numbers of a row do not add up to 0",
        Edit(
            "return y * (dy - total)",
            "return y * dy - y**2 * dy.sum(-1, keepdims=True) + 0 * total",
        ),
        ask=(
            "Under the sum over i stand dy_i, y_i and y_j. Which of the three are the same "
            "number in every term?"
        ),
    ),
]
