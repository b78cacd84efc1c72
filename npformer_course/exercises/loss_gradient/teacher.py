"""How the answers to loss_gradient are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import cross_entropy_slowly, gradient_slowly

FAR = 800.0
PLACES = ("of the scores near 800", "of the scores near -800", "of scores near both")


def inputs(draw, V):
    """Draw scores, others that are far from 0, and a target with a 0 in it.

    Of the far ones the last is below the others by FAR, and its target is not 0. In a third row
    a single one is above 0.
    """
    q = draw.rng.uniform(0.5, 1.5, V)
    if V > 1:
        q[draw.rng.integers(V - 1)] = 0
    far = 1.5 * draw.normal(3, V)
    far[0] += FAR
    far[1:] -= FAR
    far[:2, -1] -= FAR
    far[2, V // 2] += 2 * FAR
    return {"z": 1.5 * draw.normal(V), "z_far": far, "q": q / q.sum()}


def loss(student, z, q):
    return student.cross_entropy(z, q)


def loss_far(student, z_far, q):
    return np.stack([student.cross_entropy(row, q) for row in z_far])


def slope(student, z, q):
    return student.gradient(z, q)


def slope_far(student, z_far, q):
    return np.stack([student.gradient(row, q) for row in z_far])


def terms_of_gradient(z, q):
    """What the model says, and what it should say."""
    p = np.exp(z) / np.exp(z).sum()
    return {"the probabilities": p, "the targets": -q}


EXERCISE = Exercise(
    minutes=15,
    difficulty=2,
    importance=5,
    needs=("softmax",),
    inputs=inputs,
    calls=[
        Call(loss, {"loss": 2}),
        Call(loss_far, {"loss of far scores": 2}),
        Call(slope, {"gradient": 2}),
        Call(slope_far, {"gradient of far scores": 1}),
    ],
    slow={"loss": cross_entropy_slowly, "slope": gradient_slowly},
    terms={"gradient": terms_of_gradient},
    axes={"loss of far scores": PLACES, "gradient of far scores": PLACES},
    prediction=Prediction(
        "What do the numbers of the gradient at one position add up to?",
        {
            "a": "0, whatever the scores are",
            "b": "1, as probabilities do",
            "c": "less, the better the model is",
        },
        answer="a",
        because=(
            "p adds up to 1, and so does q. There is another way to see it: adding the same "
            "number to all scores changes no probability, and so the loss does not move in that "
            "direction."
        ),
    ),
    hints=[
        "ln p_v = z_v - ln(sum of the exponentials), as in the text. Try it on the scores 1000 and "
        "1001 and see where it fails. Which number may you subtract from all scores?",
        "With the largest score subtracted, no exponential is above 1 and their sum is 1 at least: "
        "its logarithm is harmless. The difference of two scores stays as it was, so the formula "
        "holds for the new ones.",
        "The loss: the new scores less the logarithm of the sum of their exponentials are ln p; "
        "multiply by q, sum, and turn the sign. The gradient: softmax of the scores, less the "
        "target.",
    ],
)
