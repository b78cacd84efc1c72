"""How the answers to softmax are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import softmax_slowly


def inputs(draw, B, T, S, H):
    """Draw scores of the usual size, scores far from 0, and scores with other axes.

    Of the scores far from 0 each row is elsewhere, and in a row some are far below others.
    """
    x = 1.5 * draw.normal(B, T, S)
    x_large = 1.5 * draw.normal(B, T, S)
    # so that neither the mean nor a score at a place is a way out
    x_large[:, 0] -= 20_000
    x_large[:, 0, S // 2] += 20_000
    x_large[:, -1, -1] -= 20_000  # one score far below the others
    # neighbors lie on both sides of 0
    sentences = np.arange(B)[:, None, None]
    positions = np.arange(T)[:, None]
    sign = (-1.0) ** (sentences + positions)
    x_large += sign * draw.rng.uniform(1000, 3000, (B, T, 1))
    return {
        "x": x,
        "x_large": x_large,
        "x_heads": 1.5 * draw.normal(B, H, T, S),
        "x_row": 1.5 * draw.normal(S),
    }


def usual(student, x):
    return student.softmax(x)


def large(student, x_large):
    return student.softmax(x_large)


def heads(student, x_heads):
    return student.softmax(x_heads)


def row(student, x_row):
    return student.softmax(x_row)


def of_large_slowly(x_large):
    """The loops, after each row was moved to its largest score."""
    return softmax_slowly(x_large - x_large.max(-1, keepdims=True))


def of_heads_slowly(x_heads):
    """The loops again, with batch and heads laid out in one axis."""
    flat = x_heads.reshape(-1, *x_heads.shape[2:])
    return softmax_slowly(flat).reshape(x_heads.shape)


def of_row_slowly(x_row):
    """The loops, for a single row."""
    return softmax_slowly(x_row[None, None])[0, 0]


EXERCISE = Exercise(
    minutes=30,
    difficulty=1,
    importance=5,
    inputs=inputs,
    calls=[
        Call(usual, {"y": 3}),
        Call(large, {"y of large scores": 4}),
        Call(heads, {"y of four axes": 1}),
        Call(row, {"y of one axis": 1}),
    ],
    slow={
        "usual": softmax_slowly,
        "large": of_large_slowly,
        "heads": of_heads_slowly,
        "row": of_row_slowly,
    },
    prediction=Prediction(
        "Multiply all scores of a row by 10. What happens to its weights?",
        {
            "a": "nothing: the factor stands above and below the bar, and cancels",
            "b": "the largest weight grows, and nearly all of the row goes to it",
            "c": "the weights come closer to each other",
        },
        answer="b",
        because=(
            "The scores lie ten times as far apart now, and a distance d between two scores "
            "means a ratio of exp(d) of their weights: exp(10 d) is its tenth power. Only what "
            "is added to all scores cancels. That is why attention divides its scores by a root: "
            "large scores leave weight for one word alone."
        ),
    ),
    hints=[
        "Write the formula for one row first, with np.exp and a sum, and see it fail on [1000, "
        "1001]. Then look for a number c of the row itself: one for which no power is above 1, "
        "and one power is 1.",
        "Each row has a c of its own, and a sum of its own: both are taken along the last axis. "
        "So that (B, T, S) and the numbers of the rows fit together, these keep their axis, as "
        "(B, T, 1).",
        "Take the largest score of each row (keepdims=True) off the row, take the powers, and "
        "divide them by their sum along the last axis (keepdims=True). Use axis -1 and not 2, "
        "because there may be more axes or fewer.",
    ],
)
