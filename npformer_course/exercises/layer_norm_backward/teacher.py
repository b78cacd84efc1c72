"""How the answers to layer_norm_backward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import layer_norm_backward_slowly


def inputs(draw, B, T, D):
    """Draw what forward left, and the gradient from above."""
    x = draw.normal(B, T, D)
    # large, so that it shows where it is left out
    eps = draw.uniform(0.2, 0.5)
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return {
        "dy": draw.normal(B, T, D),
        "xhat": xhat,
        "rstd": rstd,
        "gain": draw.gain(D),
    }


def backward(student, dy, xhat, rstd, gain):
    return student.layer_norm_backward(dy, xhat, rstd, gain)


def terms_of_dx(dy, xhat, rstd, gain):
    """The three ways in which x moves the loss."""
    dxhat = dy * gain
    mean = dxhat.mean(-1, keepdims=True)
    projection = (dxhat * xhat).mean(-1, keepdims=True)
    return {
        "the direct term, dxhat": rstd * dxhat,
        "the mean of dxhat": -rstd * mean + 0 * dy,
        "the projection on xhat": -rstd * xhat * projection,
    }


EXERCISE = Exercise(
    minutes=45,
    difficulty=4,
    importance=5,
    needs=("layer_norm",),
    inputs=inputs,
    calls=[Call(backward, {"dx": 4, "dgain": 2, "dbias": 1})],
    slow={"backward": layer_norm_backward_slowly},
    terms={"dx": terms_of_dx},
    prediction=Prediction(
        "Add the same number to all D features of one position of x. By how much does the loss "
        "move, to first order, and so: what is the sum of dx over the features of a position?",
        {"a": "the sum of dy over the features", "b": "zero", "c": "it depends on the gain"},
        answer="b",
        because=(
            "The mean moves along with the features, so xhat stays as it was, and the loss with "
            "it: dx has no part along the vector of ones. You can see your dx keep to it: print "
            "dx.sum(-1)."
        ),
    ),
    hints=[
        "Two of the three results need no formula from above: write y = gain * xhat + bias for "
        "one feature and differentiate by the gain, then by the bias. Then ask over which axes "
        "they are shared.",
        "Call dy * gain by a name of its own, dxhat: the gradient at xhat. In the sum over i, "
        "the factor 1/D stands for a mean of dxhat over the features, and xhat_j can be taken "
        "out of the last term.",
        "dx is rstd times a bracket: dxhat itself, and with the slope's signs the mean of dxhat, "
        "and xhat times the mean of dxhat * xhat. Both means run over the last axis and keep it "
        "(keepdims=True).",
    ],
)
