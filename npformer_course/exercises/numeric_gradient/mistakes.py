"""What people write in place of the solution of numeric_gradient, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "one_sided",
        "dx is what the difference of L(x + h) and L(x) gives: its error shrinks like h, not "
        "like h squared",
        Edit("x[index] = value - h", "x[index] = value"),
        Edit("(up - down) / (2 * h)", "(up - down) / h"),
        ask="At which two points is L taken, and which point is in the middle between them?",
    ),
    Mistake(
        "moved_back_once",
        "dx is about half of what it should be: L is taken at x + h and at x, and divided by 2h",
        Edit("x[index] = value - h", "x[index] = value"),
        ask="At which two points is L taken, and how far apart are they?",
    ),
    Mistake(
        "not_put_back",
        "dx is what comes out when the numbers that were moved earlier stay moved",
        Edit("        x[index] = value\n", ""),
        ask="When the second number of x has its turn, where does the first one stand?",
    ),
    Mistake(
        "step_once",
        "dx is twice what it should be",
        Edit("(up - down) / (2 * h)", "(up - down) / h"),
        ask="How far apart are the two points at which you take L?",
    ),
    Mistake(
        "multiplied_by_the_step",
        "dx shrinks with the square of h: half the step gives a quarter of dx",
        Edit("(up - down) / (2 * h)", "(up - down) / 2 * h"),
        ask="In which order does Python work out what you do with the difference of the two L?",
    ),
    Mistake(
        "step_ignored",
        "{part} is what comes out with a tiny step, whatever h says",
        Edit("dx = np.zeros(x.shape)", "dx, h = np.zeros(x.shape), 1e-5"),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "dy_missing",
        "dx does not depend on dy: it is the gradient of the plain sum of f(x)",
        Edit("up = (dy * f(x)).sum()", "up = f(x).sum()"),
        Edit("down = (dy * f(x)).sum()", "down = f(x).sum()"),
        ask=(
            "If the rest of the chain doubles the weight of one number of y, where does your "
            "code notice?"
        ),
    ),
    Mistake(
        "view_kept",
        "dx is 0 where f returns a view, as if both results showed the same array in the same "
        "state",
        Edit("up = (dy * f(x)).sum()", "up = f(x)"),
        Edit("down = (dy * f(x)).sum()", "down = f(x)"),
        Edit("(up - down) / (2 * h)", "(dy * (up - down)).sum() / (2 * h)"),
        ask="Let y = x.T and then change x[0, 0]. What does y[0, 0] say now?",
    ),
    Mistake(
        "single_precision",
        "dx has the errors of float32: 7 digits of x, and what is lost in the seventh is divided "
        "by h",
        Edit("dx = np.zeros(x.shape)", "dx, x = np.zeros(x.shape), x.astype(np.float32)"),
        ask=(
            "How many digits of x does your code keep, and how many does a step of h = 0.0001 need?"
        ),
    ),
    Mistake(
        "absolute",
        "the error is not measured by anything: it grows when both arrays are multiplied by 1000",
        Edit("return distance / scale if scale > 0 else distance", "return distance"),
        ask=(
            "Somebody measures the loss in thousandths. Has the answer become a thousand times "
            "worse?"
        ),
    ),
    Mistake(
        "entry_by_entry",
        "each difference is divided by its own expected number, and the largest of these ratios "
        "is the error",
        Edit(
            "return distance / scale if",
            "return (np.abs(got - expected) / np.abs(expected)).max() if",
        ),
        ask=(
            "One of the numbers expected is 1e-17, the others are around 1. Which error do you "
            "report?"
        ),
    ),
    Mistake(
        "difference_signed",
        "a difference below 0 does not count as a difference",
        Edit("np.abs(got - expected).max()", "(got - expected).max()"),
        ask="What is the error of an answer all of whose numbers are too small?",
    ),
    Mistake(
        "scale_signed",
        "the differences are measured by the largest number expected, not by the one farthest "
        "from 0",
        Edit("scale = np.abs(expected).max()", "scale = expected.max()"),
        ask="How large are the numbers -5 and 1: what do you measure them by?",
    ),
    Mistake(
        "mean_difference",
        "the error is that of an average entry, not of the worst",
        Edit("np.abs(got - expected).max()", "np.abs(got - expected).mean()"),
        ask="One entry in a million is wrong. What does your error say?",
    ),
    Mistake(
        "norms",
        "{part} is what norms give: all entries have a part in it, not only the worst",
        Edit(
            "distance = np.abs(got - expected).max()", "distance = np.linalg.norm(got - expected)"
        ),
        Edit("scale = np.abs(expected).max()", "scale = np.linalg.norm(expected)"),
        ask=(
            "A million entries have an error of 1e-9 each. What does your error say of them, and "
            "what the formula?"
        ),
    ),
    Mistake(
        "norms_of_both",
        "the error is the norm of the difference, measured by the norms of both arrays together",
        Edit(
            "return distance / scale if",
            "return np.linalg.norm(got - expected) / (np.linalg.norm(got) + "
            "np.linalg.norm(expected)) if",
        ),
        ask="Whose size is under the bar, and is it a size of the whole array or of one entry?",
    ),
    Mistake(
        "larger_of_both",
        "the difference is measured by what came, which is the larger of the two arrays here",
        Edit(
            "scale = np.abs(expected).max()",
            "scale = expected.any() * np.abs([got, expected]).max()",
        ),
        ask=(
            "Everything is a million times too large. How large is the error by the formula, and "
            "how large by yours?"
        ),
    ),
    Mistake(
        "sum_of_both",
        "the difference is measured by the sizes of both arrays together",
        Edit(
            "scale = np.abs(expected).max()",
            "scale = expected.any() * (np.abs(got).max() + np.abs(expected).max())",
        ),
        ask="Whose size is under the bar?",
    ),
    Mistake(
        "larger_of_each_pair",
        "each difference is divided by the larger of its own two numbers, and the largest of "
        "these ratios is the error",
        Edit(
            "return distance / scale if scale > 0 else distance",
            "larger = np.maximum(np.abs(got), np.abs(expected))\n"
            "    return (np.abs(got - expected) / larger).max() if scale > 0 else distance",
        ),
        ask=(
            "One of the numbers expected is 1e-17, the others are around 1. Which error do you "
            "report?"
        ),
    ),
    Mistake(
        "zeros_by_what_came",
        "where everything expected is 0, the error is 1, as if it were measured by what came",
        Edit("if scale > 0 else distance", "if scale > 0 else 1.0"),
        ask="Everything expected is 0. Is an answer of 1e-12 as wrong as one of 1000?",
    ),
    Mistake(
        "zeros_ignored",
        "where everything expected is 0, the error is 0, whatever came",
        Edit("if scale > 0 else distance", "if scale > 0 else 0.0"),
        ask="Everything expected is 0. Is an answer of 1000 right?",
    ),
    Mistake(
        "zeros_by_their_sum",
        "where the numbers expected add up to 0, the differences are not measured by them",
        Edit("if scale > 0 else", "if expected.sum() != 0 else"),
        ask="The numbers expected are 5 and -5. Is everything expected 0?",
    ),
    Mistake(
        "zeros_by_the_largest",
        "where the largest number expected is 0, the differences are not measured by the others",
        Edit("if scale > 0 else", "if expected.max() != 0 else"),
        ask="The numbers expected are 0 and -5. Is everything expected 0?",
    ),
    Mistake(
        "zeros_divided",
        "where everything expected is 0, the error is infinite",
        Edit("if scale > 0 else distance", "if True else distance"),
        ask="What do you divide by when everything expected is 0?",
    ),
    Mistake(
        "all_moved",
        "all entries of dx are the same: they are what L gains when all numbers of x are moved "
        "together",
        Edit("x[index] = value + h", "x += h"),
        Edit("x[index] = value - h", "x -= 2 * h"),
        Edit("        x[index] = value\n", "        x += h\n"),
        ask="How many numbers of x are moved when you take the slope for one of them?",
    ),
    Mistake(
        "rows_moved",
        "dx[i] is the same number everywhere, because all of x[i] is moved together",
        Edit("dx = np.zeros(x.shape)", "dx = np.zeros(x.shape)\n    start = x.copy()"),
        Edit("for index in np.ndindex(x.shape):", "for index in range(len(x)):"),
        # `value` is a view, and x + h - h is not always x
        Edit("    return dx\n", "    x[...] = start\n    return dx\n"),
        ask="How many numbers of x are moved when you take the slope for one of them?",
    ),
    Mistake(
        "rows_moved_and_copied",
        "dx[i] is the same number everywhere, because all of x[i] is moved together",
        Edit("for index in np.ndindex(x.shape):", "for index in range(len(x)):"),
        Edit("value = x[index]\n", "value = x[index].copy()\n"),
        ask="How many numbers of x are moved when you take the slope for one of them?",
    ),
    Mistake(
        "moved_at_once",
        "dx is dy times the slope of f when all numbers of x are moved together, and has an entry "
        "for each number of y",
        Edit("    return dx\n", "    return dy * (f(x + h) - f(x - h)) / (2 * h)\n"),
        ask="How many numbers of x are moved when you take the slope for one of them?",
    ),
    Mistake(
        "flat_copy",
        "dx is 0 where x is a transpose, whose numbers do not lie in the order of its axes",
        Edit(
            "for index in np.ndindex(x.shape):",
            "flat = x.reshape(-1)\n    for index, place in enumerate(np.ndindex(x.shape)):",
        ),
        Edit("value = x[index]\n", "value = flat[index]\n"),
        Edit("x[index] = value + h", "flat[index] = value + h"),
        Edit("x[index] = value - h", "flat[index] = value - h"),
        Edit("        x[index] = value\n", "        flat[index] = value\n"),
        Edit("dx[index]", "dx[place]"),
        ask="Let x = np.zeros((2, 3)).T and flat = x.reshape(-1). After flat[0] = 1, what is x[0, 0]?",
    ),
    Mistake(
        "at_least_one",
        "where everything expected is smaller than 1, the differences are not measured by it",
        Edit("scale = np.abs(expected).max()", "scale = max(np.abs(expected).max(), 1)"),
        ask=(
            "Gradients of 1e-9 come with errors of 1e-9. What does your error say of them, and "
            "what the formula?"
        ),
    ),
    Mistake(
        "sum_of_differences",
        "the differences are added up, and not the largest taken",
        Edit("np.abs(got - expected).max()", "np.abs(got - expected).sum()"),
        ask=(
            "A million entries have an error of 1e-9 each. What does your error say of them, and "
            "what the formula?"
        ),
    ),
    Mistake(
        "difference_of_maxima",
        "the largest magnitudes of the two arrays are compared, and not the arrays entry by entry",
        Edit("np.abs(got - expected).max()", "abs(np.abs(got).max() - np.abs(expected).max())"),
        ask="Which error do you report when two numbers of the array are exchanged?",
    ),
    Mistake(
        "scale_of_an_average_entry",
        "the difference is measured by an average magnitude, not by the largest",
        Edit("scale = np.abs(expected).max()", "scale = np.abs(expected).mean()"),
        ask="What is below the bar in the formula?",
    ),
    Mistake(
        "means_for_maxima",
        "a mean of the differences is measured by a mean of the magnitudes",
        Edit(
            "return distance / scale if",
            "return np.abs(got - expected).mean() / np.abs(expected).mean() if",
        ),
        ask="One entry in a million is wrong. What does your error say?",
    ),
    Mistake(
        "zeros_divided_by_1e-8",
        "where everything expected is 0, the difference is divided by a tiny number",
        Edit("if scale > 0 else distance", "if scale > 0 else distance / 1e-8"),
        ask=(
            "Everything expected is 0, and 1e-9 came. Which error should that be, and which is it?"
        ),
    ),
    Mistake(
        "zeros_divided_by_1e-12",
        "where everything expected is 0, the difference is divided by a tiny number",
        Edit("if scale > 0 else distance", "if scale > 0 else distance / 1e-12"),
        ask=(
            "Everything expected is 0, and 1e-9 came. Which error should that be, and which is it?"
        ),
    ),
    Mistake(
        "tiny_taken_for_zero",
        "where everything expected is around 1e-20, the differences are not measured by it",
        Edit("if scale > 0 else distance", "if scale > 1e-8 else distance"),
        ask=(
            "Gradients of 1e-20 are wrong by 1e-20. What does your error say of them, and what the "
            "formula?"
        ),
    ),
]
