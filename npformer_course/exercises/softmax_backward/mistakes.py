"""What people write in place of the solution of softmax_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "diagonal_only",
        "dx is what comes out when each score moves its own weight alone",
        Edit("rest = dy - total", "rest = dy - dy * y"),
        ask="If one score of a row grows, what do the weights of the other words do?",
    ),
    Mistake(
        "sum_without_dy",
        "the part of dx that comes from the other weights does not depend on dy",
        Edit("products = dy * y", "products = y"),
        ask="The chain rule sums over i. Which factors under that sum carry the index i?",
    ),
    Mistake(
        "sum_without_y",
        "dx is what comes out when dy is summed over the row as it is",
        Edit("products = dy * y", "products = dy"),
        ask="The chain rule sums over i. Which factors under that sum carry the index i?",
    ),
    Mistake(
        "mean_for_sum",
        "the part of dx that comes from the other weights is divided by the length of the row",
        Edit("products.sum(-1", "products.mean(-1"),
        ask=(
            "The y of a row add up to 1, so dy weighted by y is an average already. What is it "
            "divided by once more?"
        ),
    ),
    Mistake(
        "sum_missing",
        "dx is dy * y, as if the sum below the bar did not move with the scores",
        Edit("rest = dy - total", "rest = dy"),
        ask=(
            "Add the same number to all scores of a row. What happens to y, and so what must dx "
            "add up to?"
        ),
    ),
    Mistake(
        "weight_missing",
        "the average of dy is taken off dy, but what is left is not multiplied by the weights",
        Edit("return y * rest", "return rest"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "other_sign",
        "the part of dx that comes from the other weights has the wrong sign",
        Edit("rest = dy - total", "rest = dy + total"),
        ask="If one score grows, do the other weights of its row grow or shrink?",
    ),
    Mistake(
        "one_sum_for_all",
        "the sum runs over all rows of all sentences",
        Edit("products.sum(-1, keepdims=True)", "products.sum()"),
        ask="Does a score of the first row move a weight of the second?",
    ),
    Mistake(
        "axis_of_queries",
        "the sum runs along the last axis but one",
        Edit("products.sum(-1, keepdims=True)", "products.sum(-2, keepdims=True)"),
        ask="Which weights share a sum of 1, and along which axis do they lie?",
    ),
    Mistake(
        "weight_missing_in_the_sum",
        "the part of dx that comes from the other weights is the same for all scores of a row, "
        "whatever their weights",
        Edit("return y * rest", "return y * dy - total"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "softmax_again",
        "dx is what comes out when y is put through softmax once more, as if it were the scores",
        Edit(
            "    products =",
            "    y = np.exp(y) / np.exp(y).sum(-1, keepdims=True)\n    products =",
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
        Edit("return y * rest", "return dy * (y - total)"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "weight_missing_in_the_direct_term",
        "the part of dx that comes from a score's own weight is dy, whatever that weight is",
        Edit("return y * rest", "return dy - y * total"),
        ask=(
            "A score far below the others has a weight of nearly 0. How much does the loss move "
            "when it moves?"
        ),
    ),
    Mistake(
        "weight_twice_in_the_sum",
        "the part of dx that comes from the other weights is multiplied by the score's own "
        "weight twice",
        Edit("rest = dy - total", "rest = dy - y * total"),
        ask="How often does y_j stand in the slope of y_i by x_j?",
    ),
    Mistake(
        "with_cross_entropy",
        "dx is y - dy: a gradient for a loss of its own, a cross-entropy, and not for any dy",
        Edit("return y * rest", "return y - dy"),
        ask="Let dy be 0: the loss does not move with the weights. What is your dx?",
    ),
    Mistake(
        "dy_missing",
        "dx does not depend on dy",
        Edit("return y * rest", "return y * (1 - y)"),
        ask="Double dy. What should happen to dx?",
    ),
    Mistake(
        "of_the_logarithm",
        "dx is the gradient of the logarithm of the weights, not of the weights",
        Edit("return y * rest", "return dy - y * dy.sum(-1, keepdims=True)"),
        ask="Which slope does the text give for y_i by x_j, and which have you used?",
    ),
    Mistake(
        "mean_without_weights",
        "dx is what comes out when the plain mean of dy over the row is taken off",
        Edit("products = dy * y", "products = dy"),
        Edit("products.sum(-1", "products.mean(-1"),
        ask="The chain rule sums over i. Which factors under that sum carry the index i?",
    ),
    Mistake(
        "own_weight_left_out",
        "dx has what a score moves by way of the other weights, and nothing by way of its own",
        Edit("rest = dy - total", "rest = dy * y - total"),
        ask="If one score of a row grows, what does its own weight do?",
    ),
    Mistake(
        "own_weight_for_every_weight",
        "{part} is what comes out when the score's own weight stands twice in front of the plain "
        "sum of dy: the numbers of a row do not add up to 0",
        Edit("return y * rest", "return y * dy - y**2 * dy.sum(-1, keepdims=True)"),
        ask=(
            "Under the sum over i stand dy_i, y_i and y_j. Which of the three are the same "
            "number in every term?"
        ),
    ),
    Mistake(
        "sum_less_dy",
        "every number of dx has the other sign: dy is subtracted from the sum",
        Edit("rest = dy - total", "rest = total - dy"),
        ask="If one score grows, does its own weight grow or shrink?",
    ),
    Mistake(
        "dy_through_hidden_places",
        "{part} is dy itself wherever the weight is 0",
        Edit("return y * rest", "return np.where(y > 0, y * rest, dy)"),
        ask="A hidden score moves a little. What does the output do?",
    ),
]
