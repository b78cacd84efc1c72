"""How the answers to bootstrap_interval are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import drawn_differences_slowly, quantile_slowly


def inputs(draw, R, N):
    """Draw scores of two translators, which vary together, and indices of sentences."""
    a = 60 + 20 * draw.normal(N)
    b = a + draw.uniform(-9, 9) + 12 * draw.normal(N)
    return {
        "a": a,
        "b": b,
        "draws": draw.rng.integers(N, size=(R, N)),
        "level": draw.uniform(0.65, 0.9),
    }


def drawn(student, a, b, draws):
    return student.drawn_differences(a, b, draws)


def interval(student, a, b, draws, level):
    ends = student.bootstrap_interval(a, b, draws, level)
    if isinstance(ends, np.ndarray) and ends.shape == (2,):  # as np.quantile returns them
        return ends[0], ends[1]
    return ends


def interval_slowly(a, b, draws, level):
    means = drawn_differences_slowly(a, b, draws)
    outside = (1 - level) / 2
    return quantile_slowly(means, outside), quantile_slowly(means, 1 - outside)


def terms_of_differences(a, b, draws):
    """The mean of each translator in each draw."""
    return {"the mean of a": a[draws].mean(-1), "the mean of b": -b[draws].mean(-1)}


EXERCISE = Exercise(
    minutes=15,
    difficulty=2,
    importance=4,
    needs=("numpy",),
    inputs=inputs,
    sizes={"R": (24, 40), "N": (5, 9)},
    calls=[
        Call(drawn, {"differences": 3}),
        Call(interval, {"low": 2, "high": 2}),
    ],
    slow={"drawn": drawn_differences_slowly, "interval": interval_slowly},
    terms={"differences": terms_of_differences},
    prediction=Prediction(
        "Of 500 sentences 1,000 tests are drawn, and the interval reaches from -0.1 to 1.3. What "
        "happens if you draw 100,000 tests of them?",
        {
            "a": "the interval stays about as wide",
            "b": "it becomes ten times as narrow, by the root of 100",
            "c": "it becomes wider, since there are more extreme tests among them",
        },
        answer="a",
        because=(
            "The width says how uncertain 500 sentences leave us, and drawing them again is no "
            "new sentence. More draws only find the ends of the interval more exactly. What makes "
            "it narrower is a larger test set."
        ),
    ),
    hints=[
        "What is differences[draws] for an array of indices draws (R, N)? It has the shape of "
        "draws. So find one number for each sentence first, before anything is drawn.",
        "Along which axis lie the sentences of one test? That axis goes. For the interval call "
        "your own first function: the quantiles are those of the R means.",
        "np.quantile takes the numbers and a list of shares between 0 and 1. At the level of 0.95 "
        "these are 0.025 and 0.975. Write them for any level.",
    ],
)
