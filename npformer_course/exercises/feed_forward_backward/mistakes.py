"""What people write in place of the solution of feed_forward_backward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "mask_from_dy",
        "{part} is what comes out when the sign of the gradient that arrives at the ReLU decides "
        "what continues behind it",
        Edit("(hidden > 0)", "(dhidden > 0)"),
        ask=(
            "A hidden number was on, and raising it would lower the loss. Does the loss move "
            "with what comes into its ReLU?"
        ),
    ),
    Mistake(
        "nothing_held_back",
        "{part} is what comes out when the gradient goes on to all hidden numbers, also to those "
        "that the ReLU had set to 0",
        Edit("(hidden > 0)", "(hidden >= 0)"),
        ask=(
            "The ReLU has set a hidden number to 0, and what went into it moves a little. What "
            "does that do to the loss, and what does your {part} say of it?"
        ),
    ),
    Mistake(
        "hidden_for_slope",
        "{part} is what comes out when the gradient behind the ReLU is multiplied by the hidden "
        "numbers themselves",
        Edit("(hidden > 0)", "hidden"),
        ask=(
            "A hidden number was on, at 5. If what comes into its ReLU moves by h, how far does "
            "it move?"
        ),
    ),
    Mistake(
        "relu_taken_after_w1",
        "dx is what comes out when the gradient passes W_1 unhindered and is then held back by "
        "the sign of x",
        Edit(
            "return dx, dw1, db1, dw2, db2  #",
            "return (dhidden @ w1.T) * (x > 0), dw1, db1, dw2, db2  #",
        ),
        ask=(
            "In forward, what came first: the ReLU or W_1? In which order do you meet them on "
            "the way back?"
        ),
    ),
    Mistake(
        "flags_for_hidden",
        "dw2 does not depend on how large the hidden numbers are, only on which of them are on",
        Edit("linear_backward(dy, hidden, w2)", "linear_backward(dy, 1.0 * (hidden > 0), w2)"),
        ask=(
            "Hidden numbers of 5 and of 0.1 are both on. If their rows of w2 move by h, does y "
            "move equally far?"
        ),
    ),
    Mistake(
        "mask_without_bias",
        "{part} is what comes out when b1 has no say in which hidden numbers are on",
        Edit("(hidden > 0)", "(x @ w1 > 0)"),
        ask="What exactly did forward compare with 0?",
    ),
    Mistake(
        "x_held_back",
        "dx is 0 wherever x is below 0, as if x had come out of a ReLU itself",
        Edit("return dx, dw1, db1, dw2, db2  #", "return dx * (x > 0), dw1, db1, dw2, db2  #"),
        ask="Which array went through the ReLU in forward?",
    ),
    Mistake(
        "w1_reshaped",
        "dx is what comes out when the numbers of w1 are filled into the shape (F, D) in the "
        "order in which they lie",
        Edit(
            "return dx, dw1, db1, dw2, db2  #",
            "return dbefore @ w1.reshape(w1.shape[::-1]), dw1, db1, dw2, db2  #",
        ),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "w2_reshaped",
        "{part} is what comes out when the numbers of w2 are filled into the shape (D, F) in the "
        "order in which they lie",
        Edit(
            "linear_backward(dy, hidden, w2)",
            "linear_backward(dy, hidden, w2.reshape(w2.shape[::-1]).T)",
        ),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "last_sentence",
        "{part} holds what the last sentence contributes, and nothing of the others",
        Edit(
            "return dx, dw1, db1, dw2, db2  #",
            "last = dbefore[-1]\n"
            "    dw1 = x[-1].T @ last\n"
            "    dw2 = hidden[-1].T @ dy[-1]\n"
            "    return dx, dw1, last.sum(0), dw2, dy[-1].sum(0)  #",
        ),
        ask="When your code comes to the second sentence, what becomes of what the first one left?",
    ),
]
