"""How the answers to softmax_backward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import softmax_backward_slowly


def weights(scores):
    """The weights of scores that are not large."""
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def inputs(draw, B, T, S, H):
    """Draw weights and the gradients from above.

    Under the mask one row may see nothing: its weights are 0.
    """
    mask = draw.mask(B, T, S, empty=B * T > 1)
    powers = mask * np.exp(draw.normal(B, T, S))
    return {
        "dy": draw.normal(B, T, S),
        "y": weights(draw.normal(B, T, S)),
        "dy_heads": draw.normal(B, H, T, S),
        "y_heads": weights(draw.normal(B, H, T, S)),
        "dy_masked": draw.normal(B, T, S),
        "y_masked": powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30),
    }


def backward(student, dy, y):
    return student.softmax_backward(dy, y)


def heads(student, dy_heads, y_heads):
    return student.softmax_backward(dy_heads, y_heads)


def under_a_mask(student, dy_masked, y_masked):
    return student.softmax_backward(dy_masked, y_masked)


def of_heads_slowly(dy_heads, y_heads):
    """The loops again, with batch and heads laid out in one axis."""
    flat = y_heads.reshape(-1, *y_heads.shape[2:])
    dx = softmax_backward_slowly(dy_heads.reshape(flat.shape), flat)
    return dx.reshape(y_heads.shape)


def under_a_mask_slowly(dy_masked, y_masked):
    return softmax_backward_slowly(dy_masked, y_masked)


def terms_of_dx(dy, y):
    """What a score moves above the bar, and what it moves below."""
    return {
        "the direct term, dy * y": dy * y,
        "the part of the sum, y times sum(dy * y)": -y * (dy * y).sum(-1, keepdims=True),
    }


def terms_of_heads(dy_heads, y_heads):
    return terms_of_dx(dy_heads, y_heads)


def terms_under_a_mask(dy_masked, y_masked):
    return terms_of_dx(dy_masked, y_masked)


EXERCISE = Exercise(
    minutes=40,
    difficulty=3,
    importance=5,
    needs=("linear", "masked_softmax"),
    inputs=inputs,
    calls=[
        Call(backward, {"dx": 6}),
        Call(heads, {"dx of four axes": 1}),
        Call(under_a_mask, {"dx under a mask": 1}),
    ],
    slow={
        "backward": softmax_backward_slowly,
        "heads": of_heads_slowly,
        "under_a_mask": under_a_mask_slowly,
    },
    terms={
        "dx": terms_of_dx,
        "dx of four axes": terms_of_heads,
        "dx under a mask": terms_under_a_mask,
    },
    prediction=Prediction(
        "Let dy be 1 everywhere: the loss is the plain sum of all weights. What is dx?",
        {"a": "1 everywhere", "b": "0 everywhere", "c": "y, the weights themselves"},
        answer="b",
        because=(
            "The weights of a row add up to 1 whatever the scores are, so this loss never moves. "
            "That is also why a check with dy of ones is weak here: a backward that sums y "
            "without dy, or forgets the factor y, gives 0, too."
        ),
    ),
    hints=[
        "Write down dx_j for a row of three scores, all three terms of it, with the slope put "
        "in. Which factor do all terms have in common, and which term is there once only?",
        "Multiplied out, the sum has a part with 1[i = j], of which i = j is all that is left, "
        "and a part in which y_j can be taken out. What remains under that second sum does not "
        "depend on j: it is one number for the row.",
        "That number is the sum of dy * y along the last axis (keepdims=True). Take it off every "
        "dy of the row, and think of the factor y_j that both parts share.",
    ],
)
