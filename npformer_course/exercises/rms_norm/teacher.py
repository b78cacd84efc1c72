"""How the answers to rms_norm are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import rms_norm_backward_slowly, rms_norm_slowly


def inputs(draw, B, T, D):
    """Draw positions whose means and spreads differ, and the gradient from above."""
    x, x_of_backward = draw.normal(2, B, T, D) * draw.rng.uniform(0.5, 2, (2, B, T, 1))
    gain = draw.gain(D)
    # large, so that it shows where it is left out
    eps = draw.uniform(0.2, 0.5)
    _, xhat, scale = rms_norm_slowly(x_of_backward, gain, eps)
    return {
        "x": x + draw.normal(B, T, 1),
        "gain": gain,
        "eps": eps,
        "dy": draw.normal(B, T, D),
        "xhat": xhat,
        "scale": scale,
    }


def forward(student, x, gain, eps):
    return student.rms_norm(x, gain, eps)


def backward(student, dy, xhat, scale, gain):
    return student.rms_norm_backward(dy, xhat, scale, gain)


def terms_of_dx(dy, xhat, scale, gain):
    """The two ways in which x moves the loss."""
    dxhat = dy * gain
    projection = (dxhat * xhat).mean(-1, keepdims=True)
    return {
        "the direct term, dxhat": scale * dxhat,
        "the projection on xhat": -scale * xhat * projection,
    }


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=3,
    needs=("layer_norm_backward",),
    inputs=inputs,
    calls=[
        Call(forward, {"y": 2, "xhat": 1, "scale": 1}),
        Call(backward, {"dx": 4, "dgain": 1}),
    ],
    slow={"forward": rms_norm_slowly, "backward": rms_norm_backward_slowly},
    terms={"dx": terms_of_dx},
    prediction=Prediction(
        "In LayerNorm the dx of a position adds up to 0 over its features. Forget eps. What is 0 "
        "in RMSNorm, whatever dy is?",
        {
            "a": "the sum of dx over the features of a position",
            "b": "the dot product of dx and x of a position",
            "c": "both",
        },
        answer="b",
        because=(
            "Multiply all features of a position by 1.01: s becomes smaller by the same factor, "
            "and xhat stays. So dx has no part along x. Add 0.01 to all features, and xhat moves, "
            "because no mean is subtracted. LayerNorm has both."
        ),
    ),
    hints=[
        "Take your two functions of LayerNorm, and strike out everything that is there because of "
        "the mean and of the bias. One thing is left of the three that are done to dxhat: which?",
        "Forward: squares, their mean over the last axis with keepdims=True, then eps, root and "
        "reciprocal. Backward: one gain serves all positions, so its gradient is a sum over the "
        "first two axes. For dx first pass dy through the gain; call the result dxhat.",
        "In the sum over i, the first term of the slope leaves dxhat_j alone. In the second one "
        "xhat_j can be taken out, and a mean over the features of dxhat * xhat is left. The s in "
        "front multiplies both.",
    ],
)
