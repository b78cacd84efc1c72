"""What people write in place of the solution of linear, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "bias_missing",
        "{part} does not move when b moves",
        Edit(" + b\n", "\n"),
        ask="What is y where x is all zeros?",
    ),
    Mistake(
        "averaged",
        "{part} is a mean over the positions of all sentences",
        Edit("@ drows\n", "@ drows / len(rows)\n"),
        Edit("drows.sum(0)", "drows.mean(0)"),
        ask=(
            "One and the same layer serves every position. If a number of it moves by h, do the "
            "movements of the loss at two positions add up, or does each count less because "
            "there are others?"
        ),
    ),
    Mistake(
        "divided_by_the_batch",
        "{part} is divided by the number of sentences",
        Edit("@ drows\n", "@ drows / len(x)\n"),
        Edit("drows.sum(0)", "drows.sum(0) / len(x)"),
        ask=(
            "If the loss is a mean over sentences, which array has been divided already before "
            "you get it?"
        ),
    ),
    Mistake(
        "positions_counted",
        "{part} is the number of positions, whatever dy is",
        Edit("drows.sum(0)", "np.full(drows.shape[1], 1.0 * len(drows))"),
        ask="dy is twice as large. Which of your lines notices it?",
    ),
    Mistake(
        "last_sentence",
        "{part} holds what the last sentence contributes, and nothing of the others",
        Edit(
            "    dw =",
            "    n = len(rows) // len(x)\n    rows = rows[-n:]\n    drows = drows[-n:]\n    dw =",
        ),
        ask=(
            "Which sentences does your code visit, and when it comes to the second, what becomes "
            "of what the first one left?"
        ),
    ),
    Mistake(
        "last_position_left_out",
        "{part} lacks what the last position of the last sentence contributes",
        Edit("    dw =", "    rows = rows[:-1]\n    drows = drows[:-1]\n    dw ="),
        ask=(
            "How many positions are there in all sentences together, and how many does your sum "
            "have?"
        ),
    ),
    Mistake(
        "last_position",
        "{part} holds what the very last position contributes, and nothing of the others",
        Edit("    dw =", "    rows = rows[-1:]\n    drows = drows[-1:]\n    dw ="),
        ask="When your code comes to the second position, what becomes of what the first one left?",
    ),
    Mistake(
        "dx_scrambled",
        "the numbers of {part} are right, and stand in the wrong places: features run along the "
        "positions",
        Edit("(drows @ w.T)", "(w @ drows.T)"),
        ask=(
            "Which shape has your product before it is reshaped, and which of its axes holds the "
            "features?"
        ),
    ),
    Mistake(
        "w_reshaped",
        "{part} is what comes out when the numbers of w are filled into the shape (F, D) in the "
        "order in which they lie",
        Edit("(drows @ w.T)", "(drows @ w.reshape(w.shape[::-1]))"),
        Edit("return x @ w +", "return x @ w.reshape(w.shape[::-1]).T +"),
        ask="Take w = [[1, 2, 3], [4, 5, 6]]. What is w.T, and what is w.reshape(3, 2)?",
    ),
    Mistake(
        "x_reshaped",
        "{part} is what comes out when x, with all its positions in one axis, is reshaped to (D, "
        "N)",
        Edit("rows.T @ drows", "rows.reshape(rows.shape[::-1]) @ drows"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "dw_scrambled",
        "the numbers of {part} are right, and stand in the wrong places: the transpose was filled "
        "into the shape of w",
        Edit("rows.T @ drows", "(drows.T @ rows).reshape(w.shape)"),
        ask=(
            "Row d of dw belongs to feature d of x. Which feature does row d of your product "
            "belong to?"
        ),
    ),
    Mistake(
        "sums_multiplied",
        "{part} is what comes out when x and dy are each summed over all positions, and the sums "
        "are multiplied",
        Edit("dw = rows.T @ drows", "dw = np.outer(rows.sum(0), drows.sum(0))"),
        ask="Does the x of one position meet the dy of another in the formula?",
    ),
    Mistake(
        "summed_over_features",
        "{part} has a number for each position: the features of dy were added up",
        Edit("drows.sum(0)", "drows.sum(1)"),
        ask="How many numbers does b have, and which of the numbers of dy does one of them feed?",
    ),
    Mistake(
        "everything_summed",
        "{part} is one number, the sum of all of dy",
        Edit("drows.sum(0)", "drows.sum()"),
        ask="How many numbers does b have, and which of the numbers of dy does one of them feed?",
    ),
    Mistake(
        "first_sentence",
        "{part} holds what the first sentence contributes, and nothing of the others",
        Edit(
            "    dw =",
            "    n = len(rows) // len(x)\n    rows = rows[:n]\n    drows = drows[:n]\n    dw =",
        ),
        ask="Which sentences does your code visit?",
    ),
    Mistake(
        "bias_in_the_matrix",
        "{part} is what comes out when b is added to the rows of w, before the product",
        Edit("x @ w + b", "x @ (w + b)"),
        ask="What is y where x is all zeros?",
    ),
    Mistake(
        "first_two_axes",
        "{part} is a sum over the first two axes of dy, however many there are",
        Edit("drows.sum(0)", "dy.sum((0, 1))"),
        ask="How many axes may stand before the features by the docstring, and which do you add up?",
    ),
    Mistake(
        "bias_for_each_feature",
        "in {part} b is added D times, once for each feature of x",
        Edit(" + b\n", " + x.shape[-1] * b\n"),
        ask="What is y where x is all zeros?",
    ),
]
