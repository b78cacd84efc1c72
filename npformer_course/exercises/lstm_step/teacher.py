"""How the answers to lstm_step are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import lstm_step_slowly


def inputs(draw, B, D, H):
    """Draw a word of each sentence, a state that is not 0, and weights of order 1."""
    return {
        "x": draw.normal(B, D),
        "h_old": draw.normal(B, H),
        "c_old": 1.5 * draw.normal(B, H),
        "w": draw.normal(D, 4 * H),
        "u": draw.normal(H, 4 * H),
        "b": draw.normal(4 * H),
    }


def step(student, x, h_old, c_old, w, u, b):
    return student.lstm_step(x, h_old, c_old, w, u, b)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=3,
    needs=("linear",),
    inputs=inputs,
    calls=[Call(step, {"h": 3, "c": 4, "gates": 2})],
    slow={"step": lstm_step_slowly},
    prediction=Prediction(
        "All gates i are 0 and all gates f are 1, for a hundred words. What is the cell after them?",
        {
            "a": "what it was before the first of them",
            "b": "0: nothing was let in",
            "c": "tanh of tanh of tanh ... of what it was: close to 0",
        },
        answer="a",
        because=(
            "Nothing is added, and the old cell is multiplied by 1. No tanh lies on the way from "
            "cell to cell; there is one only where the cell is shown. This straight way is why a "
            "cell can keep something for many steps."
        ),
    ),
    hints=[
        "One product with w, one with u, and the bias: z is (B, 4H). np.split(z, 4, axis=-1) "
        "returns four arrays of shape (B, H), from left to right.",
        "Three of the four go through sigmoid, the one that is offered goes through tanh. The new "
        "cell is a sum of two products: what is kept, and what is let in.",
        "The cell first, and the output from the new cell: tanh of it, times o. For gates put the "
        "four side by side again with np.concatenate, after sigmoid and tanh, in the order of w.",
    ],
)
