"""How the answers to scores are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import scores_slowly, weighted_mean_slowly


def inputs(draw, S, D, F):
    """Draw a query and its keys, and values with weights of very different size."""
    powers = np.exp(1.5 * draw.normal(S))
    return {
        "q": draw.normal(D),
        "k": draw.normal(S, D),
        "weights": powers / powers.sum(),
        "v": draw.normal(S, F),
    }


def on_scores(student, q, k):
    return student.scores(q, k)


def on_mean(student, weights, v):
    return student.weighted_mean(weights, v)


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=5,
    needs=("numpy",),
    inputs=inputs,
    calls=[Call(on_scores, {"scores": 2}), Call(on_mean, {"mean": 2})],
    slow={"on_scores": scores_slowly, "on_mean": weighted_mean_slowly},
    prediction=Prediction(
        "Two words of a sentence have the same key, and different values. What does a query make "
        "of them?",
        {
            "a": "they have the same score",
            "b": "they have different scores, because they say different things",
            "c": "it depends on the query",
        },
        answer="a",
        because=(
            "A score is made of the query and the key alone. The value comes in when the weights "
            "are known, and has no say in what they are. So both words get the same weight, and "
            "the result has as much of one value as of the other."
        ),
    ),
    hints=[
        "For the scores: q is (D,), k is (S, D). Below each other, flush right, the two fit as "
        "they are. What shape has their product, and which of its two axes has to go?",
        "For the mean: weights are (S,), v is (S, F). Flush right they do not fit. An axis of "
        "length 1 has to be added to the weights, in the place of the features. Then it is a "
        "product again, and one axis has to go: this time the other one.",
        "Both are a product and a sum along an axis: the features' axis, -1, for the scores, and "
        "the words' axis, 0, for the mean. weights[:, None] is (S, 1). (With @ each is a single "
        "product of a matrix and a vector.)",
    ],
)
