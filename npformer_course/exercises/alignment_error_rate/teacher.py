"""How the answers to alignment_error_rate are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import alignment_error_rate_slowly, links_slowly


def inputs(draw, T, S):
    """Draw weights, links that were found and gold ones, of which some are the same.

    Of other ones none is the same. The first row has two right links if it is long enough; of
    several rows the last has none that is gold, and one that was found. In the first row another
    weight is all but as large as the largest.
    """
    scores = np.exp(2 * draw.normal(T, S))
    best = scores[0].argmax()
    if S > 1:
        scores[0, best - 1] = (1 - 1e-6) * scores[0, best]
    gold = draw.rng.random((T, S)) < 0.4
    gold[-1] = False
    gold[0, :2] = True
    found = np.where(draw.rng.random((T, S)) < 0.6, gold, draw.rng.random((T, S)) < 0.4)
    found[0, :2] = True
    found[-1, -1] = True
    missed = draw.rng.random((T, S + 1)) < 0.4
    missed[0, 0] = True
    missed[-1, -1] = False
    return {
        "weights": scores / scores.sum(-1, keepdims=True),
        "found": found,
        "gold": gold,
        "wrong": ~missed,
        "missed": missed,
    }


def found_links(student, weights):
    return student.links(weights)


def rates(student, found, gold, wrong, missed):
    return both(student.alignment_error_rate, found, gold, wrong, missed)


def rates_slowly(found, gold, wrong, missed):
    return both(alignment_error_rate_slowly, found, gold, wrong, missed)


def both(function, found, gold, wrong, missed):
    results = [function(found, gold), function(wrong, missed)]
    if any(one is None for one in results):
        return None
    return np.array(results)


EXERCISE = Exercise(
    minutes=15,
    difficulty=1,
    importance=2,
    needs=("softmax",),
    inputs=inputs,
    calls=[Call(found_links, {"links": 2}), Call(rates, {"error rate": 3})],
    axes={"error rate": ("where some links are right", "where no link is right")},
    slow={"found_links": links_slowly, "rates": rates_slowly},
    prediction=Prediction(
        "Four words are written. One of them belongs to two words that were read, each of the "
        "others to one. Every word is linked to one word, and all four links are right. What is "
        "the alignment error rate?",
        {
            "a": "0, because no link is wrong",
            "b": "1/9, because a gold link is missed",
            "c": "1/5, because one of five gold links is missed",
        },
        answer="b",
        because=(
            "4 links were found and 5 are gold, so it is 1 - 2 * 4 / 9. With one link for each word "
            "nobody can do better: the number has a floor above 0, and one should know it."
        ),
    ),
    hints=[
        "For the links, compare each row with its own largest number. Which axis goes away in the "
        "maximum, and how do you keep it so that the shapes fit?",
        "The intersection of two sets of links is True where both tables are. A table of True and "
        "False can be added up: True counts 1.",
        "Three counts are enough: the links in both tables, in the one, and in the other. Put them "
        "into the formula. Do not count the places in which both tables have no link.",
    ],
)
