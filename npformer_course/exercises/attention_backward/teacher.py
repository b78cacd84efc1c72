"""How the answers to attention_backward are checked."""

import math

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import attention_backward_slowly


def inputs(draw, B, H, T, S, d_k, d_v):
    """Draw what attention was given, its weights under a mask, and the gradient from above."""
    q = draw.normal(B, H, T, d_k)
    k = draw.normal(B, H, S, d_k)
    v = draw.normal(B, H, S, d_v)
    mask = draw.mask(B, 1, T, S, empty=B * T > 1)
    powers = mask * np.exp(q @ k.swapaxes(2, 3) / math.sqrt(d_k))
    weights = powers / np.maximum(powers.sum(-1, keepdims=True), 1e-30)
    return {"dy": draw.normal(B, H, T, d_v), "q": q, "k": k, "v": v, "weights": weights}


def backward(student, dy, q, k, v, weights):
    return student.attention_backward(dy, q, k, v, weights)


def terms_of_dscores(dy, q, v, weights):
    """A score moves its own weight, and the total of its row."""
    dweights = dy @ v.swapaxes(2, 3)
    direct = weights * dweights / math.sqrt(q.shape[-1])
    along_row = -weights * direct.sum(-1, keepdims=True)
    return direct, along_row


def terms_of_dq(dy, q, k, v, weights):
    direct, along_row = terms_of_dscores(dy, q, v, weights)
    return {
        "the weight's own gradient": direct @ k,
        "the sum over the row in softmax": along_row @ k,
    }


def terms_of_dk(dy, q, k, v, weights):
    direct, along_row = terms_of_dscores(dy, q, v, weights)
    return {
        "the weight's own gradient": direct.swapaxes(2, 3) @ q,
        "the sum over the row in softmax": along_row.swapaxes(2, 3) @ q,
    }


EXERCISE = Exercise(
    minutes=60,
    difficulty=4,
    importance=5,
    needs=("masked_attention", "softmax_backward"),
    inputs=inputs,
    calls=[Call(backward, {"dq": 3, "dk": 3, "dv": 2})],
    slow={"backward": attention_backward_slowly},
    terms={"dq": terms_of_dq, "dk": terms_of_dk},
    prediction=Prediction(
        "Key 5 is padding, hidden from every query of its sentence. What are its rows of dk and "
        "dv?",
        {
            "a": "both 0",
            "b": "dv is 0, and dk is not: its score was computed all the same",
            "c": "dk is 0, and dv is not: values are not masked",
        },
        answer="a",
        because=(
            "All weights of this key are 0. Its value enters every average with the factor 0, and"
            " its scores, whatever they are, move nothing. So padding learns nothing and teaches "
            "nothing."
        ),
    ),
    hints=[
        "Give every array of forward a gradient of the same name and the same shape: dv, "
        "dweights, dscores, dq, dk. Then go through the three lines of forward from the last to "
        "the first.",
        "Y = W V is a product: dv and dweights come from the rule C = A B. Then one line for "
        "softmax, which sums over the last axis. Then X = Q K^T is a product once more, with K "
        "already turned, and over the root of d_k.",
        "dv is the turned weights times dy; dweights is dy times the turned v; the scores' "
        "gradient is the formula of softmax; dq is that times k, dk is that, turned, times q, "
        "both over the root. Turn with swapaxes(-1, -2).",
    ],
)
