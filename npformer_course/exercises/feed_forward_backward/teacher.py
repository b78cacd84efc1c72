"""How the answers to feed_forward_backward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import feed_forward_backward_slowly


def inputs(draw, B, T, D, F):
    """Draw what a network left in forward: about half of the hidden numbers are off."""
    x = draw.normal(B, T, D)
    w1 = draw.normal(D, F)
    b1 = draw.normal(F)
    return {
        "dy": draw.normal(B, T, D),
        "x": x,
        "hidden": np.maximum(0, x @ w1 + b1),
        "w1": w1,
        "w2": draw.normal(F, D),
    }


def backward(student, dy, x, hidden, w1, w2):
    return student.feed_forward_backward(dy, x, hidden, w1, w2)


EXERCISE = Exercise(
    minutes=25,
    difficulty=2,
    importance=4,
    needs=("feed_forward", "linear"),
    inputs=inputs,
    calls=[Call(backward, {"dx": 2, "dw1": 2, "db1": 1, "dw2": 1, "db2": 1})],
    slow={"backward": feed_forward_backward_slowly},
    prediction=Prediction(
        "A hidden number was off at every position of the batch: below 0 before the ReLU. Which "
        "gradients does the network get for it, in its column of w1 and in its row of w2?",
        {
            "a": "0 in w1, and something else in w2",
            "b": "0 in both",
            "c": "something else in both, since dy is not 0",
        },
        answer="b",
        because=(
            "Its row of w2 is multiplied by its h, which is 0 everywhere, and so does not move "
            "the loss. Its column of w1 sits behind a ReLU whose slope is 0 everywhere. On this "
            "batch, nothing in it is trained."
        ),
    ),
    hints=[
        "Three steps forward: linear, ReLU, linear. So three steps back, the last one first. "
        "Write the name of the gradient that you hold between each two of them, and its shape.",
        "After the second map you hold dhidden, (..., F), and its dw2 and db2 are done. The "
        "ReLU's backward is a product with an array of zeros and ones of the same shape, made of "
        "what forward left. It ends at x W_1 + b_1.",
        "The zeros and ones are `hidden` compared with 0, and the comparison is a strict one. "
        "The product takes the place of dy in the backward of the first map, which gives dx, dw1 "
        "and db1 together.",
    ],
)
