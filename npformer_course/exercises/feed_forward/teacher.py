"""How the answers to feed_forward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import feed_forward_slowly


def inputs(draw, B, T, D, F):
    """Draw a network: about half of its hidden numbers are off."""
    return {
        "x": draw.normal(B, T, D),
        "w1": draw.normal(D, F),
        "b1": draw.normal(F),
        "w2": draw.normal(F, D),
        "b2": draw.normal(D),
    }


def forward(student, x, w1, b1, w2, b2):
    return student.feed_forward(x, w1, b1, w2, b2)


def terms_of_y(x, w1, b1, w2, b2):
    """The two terms of the second map."""
    product = np.maximum(0, x @ w1 + b1) @ w2
    return {"h W_2": product, "the second bias": b2 + 0 * product}


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=4,
    needs=("numpy",),
    inputs=inputs,
    calls=[Call(forward, {"y": 3, "hidden": 2})],
    slow={"forward": feed_forward_slowly},
    terms={"y": terms_of_y},
    prediction=Prediction(
        "A network without its two biases, y = max(0, x W_1) W_2. All features of a position are "
        "doubled. What happens to its y?",
        {
            "a": "it doubles",
            "b": "it becomes four times as large",
            "c": "there is no rule, since the network is not linear",
        },
        answer="a",
        because=(
            "max(0, 2 a) is 2 max(0, a): what was on stays on and doubles, what was off stays "
            "off. That is half of what makes a map linear. The other half is missing: the y of a "
            "sum of two positions is not the sum of their two y, and that of -x is not -y."
        ),
    ),
    hints=[
        "Three steps: a linear map, the ReLU, a linear map. Write down the shape of what you hold "
        "after each.",
        "The ReLU is taken number by number. np.maximum takes the larger of two numbers at each "
        "place; np.max is another function, and looks for the largest of a whole array.",
        "`linear` with the first matrix and the first bias, then the ReLU: that is hidden, with F "
        "numbers a position. Then `linear` once more, of hidden, with the second matrix and the "
        "second bias. Return both, y first.",
    ],
)
