"""How the answers to score_ceiling are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import expected_match_slowly


def inputs(draw, S, K):
    """Draw probabilities of answers and of references; some references never occur."""
    powers = np.exp(draw.normal(S, K))
    q = np.exp(0.8 * draw.normal(S, K))
    if K > 2:
        for row, none in zip(q, draw.rng.integers(1, K, S), strict=True):
            row[draw.rng.permutation(K)[: none - 1]] = 0
    if K > 1:  # two answers are equally usual, and no other is more so
        q[0, :2] = q[0].max()
    return {"p": powers / powers.sum(-1, keepdims=True), "q": q / q.sum(-1, keepdims=True)}


def expected(student, p, q):
    return student.expected_match(p, q)


def ceiling(student, q):
    return student.score_ceiling(q)


def ceiling_slowly(q):
    """Give all to one answer after the other, and keep the best, source by source."""
    S, K = q.shape
    total = 0.0
    for s in range(S):
        best = 0.0
        for k in range(K):
            certain = np.zeros((1, K))
            certain[0, k] = 1
            best = max(best, expected_match_slowly(certain, q[s : s + 1]))
        total += best
    return total / S


EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    importance=3,
    needs=("numpy",),
    inputs=inputs,
    calls=[
        Call(expected, {"expected match": 2}),
        Call(ceiling, {"ceiling": 2}),
    ],
    slow={"expected": expected_match_slowly, "ceiling": ceiling_slowly},
    prediction=Prediction(
        "A source has three right answers, and people write them in 50%, 30% and 20% of all cases. "
        "One model knows these numbers and draws its answer accordingly. Another knows only the "
        "first answer, and always gives it. Which one has the higher exact match?",
        {
            "a": "the one that knows all three and draws",
            "b": "the one that always gives the first",
            "c": "both have the same, since the first answer is the usual one",
        },
        answer="b",
        because=(
            "The second one matches in 50% of the cases. The first one matches in 0.5 * 0.5 + 0.3 "
            "* 0.3 + 0.2 * 0.2, which is 38%: each time it draws a rare answer it would have had a "
            "better chance with the usual one. Exact match does not reward knowing more."
        ),
    ),
    hints=[
        "The first: p and q have the same shape, so their product has it too. Which axis does the "
        "formula add up, and what is done with the other one?",
        "The ceiling: a weighted mean of some numbers is never above the largest of them. Which "
        "weights make it as large as that?",
        "A model reaches the ceiling if it puts all its probability on the most usual answer of "
        "each source. So what matters of each row of q is a single number; then take the mean.",
    ],
)
