"""How the answers to head_scores are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import induction_scores_slowly, previous_scores_slowly


def inputs(draw, H, P):
    """Draw weights, and ids of P tokens: so many that one of them occurs more than twice.

    The first two are token 0. Not every number below the largest is a token.
    """
    P = max(P, 2)
    T = 2 * P + int(draw.rng.integers(1, P + 1))
    powers = np.exp(2 * draw.normal(H, T, T))
    ids = 3 * draw.rng.integers(P, size=T)
    ids[:2] = 0
    return {"weights": powers / powers.sum(-1, keepdims=True), "ids": ids}


def of_previous(student, weights):
    return student.previous_scores(weights)


def of_induction(student, weights, ids):
    return student.induction_scores(weights, ids)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=3,
    needs=("attention",),
    inputs=inputs,
    sizes={"P": (3, 6)},
    calls=[
        Call(of_previous, {"previous-token scores": 2}),
        Call(of_induction, {"induction scores": 4}),
    ],
    slow={"of_previous": previous_scores_slowly, "of_induction": induction_scores_slowly},
    prediction=Prediction(
        "A head gives all its weight to the previous occurrence of the token that it reads, "
        "wherever there is one. What is its induction score?",
        {"a": "1", "b": "0", "c": "about a half"},
        answer="b",
        because=(
            "It looks one place too early: at a token equal to the one that it has just read, "
            "which says nothing about what comes next. An induction head looks one place further."
        ),
    ),
    hints=[
        "For the first score, write down t and t - 1 for a text of four tokens, and mark these "
        "entries of W. On which line of the matrix are they, and how many are there?",
        "For the second, go through the positions t. Compare the ids before t with the one at t: "
        "where they are equal are the occurrences. Which of them is the previous one?",
        "Collect one array (H,) for each position that has a previous occurrence, all heads of it "
        "at once, and take the mean over the positions at the end. Positions without one are not "
        "collected, so they do not count in the mean.",
    ],
)
