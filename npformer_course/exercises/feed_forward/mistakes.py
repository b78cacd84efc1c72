"""What people write in place of the solution of feed_forward, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "relu_forgotten",
        "y is a linear map of x: two in a row, with nothing in between",
        Edit(
            "return linear(hidden, w2, b2), hidden",
            "return linear(linear(x, w1, b1), w2, b2), hidden",
        ),
        ask="Which two matrices could be one, in your forward?",
    ),
    Mistake(
        "hidden_before_relu",
        "hidden is what goes into the ReLU: it has numbers below 0",
        Edit("hidden = np.maximum(0, linear(x, w1, b1))", "hidden = linear(x, w1, b1)"),
        Edit(
            "return linear(hidden, w2, b2), hidden",
            "return linear(np.maximum(0, hidden), w2, b2), hidden",
        ),
        ask="Which of its numbers may be below 0 after a ReLU?",
    ),
    Mistake(
        "bias_after_relu",
        "{part} is what comes out when b1 is added after the ReLU, so that a hidden number can "
        "be below 0 and be on",
        Edit("np.maximum(0, linear(x, w1, b1))", "np.maximum(0, linear(x, w1, 0)) + b1"),
        ask="What stands inside the brackets of max(0, ...) in equation 2?",
    ),
    Mistake(
        "relu_on_the_result",
        "y has no number below 0",
        Edit(
            "return linear(hidden, w2, b2), hidden",
            "return np.maximum(0, linear(hidden, w2, b2)), hidden",
        ),
        ask="How many times does max(0, ...) stand in equation 2?",
    ),
    Mistake(
        "second_bias_forgotten",
        "y does not move when b2 moves",
        Edit("linear(hidden, w2, b2)", "linear(hidden, w2, 0)"),
        ask="What is y at a position at which all hidden numbers are off?",
    ),
    Mistake(
        "first_bias_forgotten",
        "{part} does not move when b1 moves",
        Edit("np.maximum(0, linear(x, w1, b1))", "np.maximum(0, linear(x, w1, 0))"),
        ask="What is hidden at a position at which x is all zeros?",
    ),
    Mistake(
        "on_or_off",
        "{part} is what comes out when every hidden number that is on is 1",
        Edit("np.maximum(0, linear(x, w1, b1))", "1.0 * (linear(x, w1, b1) > 0)"),
        ask="What is max(0, 5), and what is max(0, 0.1)?",
    ),
    Mistake(
        "sign_lost",
        "{part} is what comes out when a hidden number below 0 loses its sign and stays on",
        Edit("np.maximum(0, linear(x, w1, b1))", "np.abs(linear(x, w1, b1))"),
        ask="What is max(0, -3)?",
    ),
]
