"""How the answers to near_first are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import near_first_slowly


def inputs(draw, B, H, S):
    """Draw scores, slopes of different size, and a ratio of weights."""
    return {
        "scores": draw.normal(B, H, S, S),
        "slopes": draw.rng.uniform(0.2, 2, H),
        "distance": int(draw.rng.integers(2, 10)),
        "ratio": draw.uniform(0.05, 0.6),
    }


def bias(student, scores, slopes):
    return student.near_first(scores, slopes)


def slope(student, distance, ratio):
    return np.asarray(student.slope_for(distance, ratio))


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=3,
    needs=("softmax", "heads"),
    inputs=inputs,
    calls=[Call(bias, {"scores": 4}), Call(slope, {"slope": 2})],
    slow={"bias": near_first_slowly},
    prediction=Prediction(
        "The slope is 1, and two words have the same score before the bias. One is 2 words away "
        "and the other 5. How do their weights compare?",
        {
            "a": "the near one has 3 more",
            "b": "the near one has about 20 times as much, whatever the other words are",
            "c": "it depends on the other words of the row",
        },
        answer="b",
        because=(
            "Their scores differ by 3 after the bias, and weights are e to the scores, divided by "
            "the same sum: e to the 3 is 20. The other words change the sum, and with it both "
            "weights alike."
        ),
    ),
    hints=[
        "First the distances of all pairs of words, (S, S): an array of the places 0, 1, ..., once "
        "with an axis at its end and once without, subtracted, without a sign.",
        "The slopes are (H,) and have to meet the second axis of (B, H, S, S). Flush right, which "
        "axes of length 1 does (H,) need behind it?",
        "For the slope: the far word has e to the minus slope times distance as much weight. Set "
        "that equal to the ratio, and take the natural logarithm of both sides.",
    ],
)
