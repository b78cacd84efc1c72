"""How the answers to layer_norm are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import layer_norm_slowly


def inputs(draw, B, T, D):
    """Draw positions whose means and spreads differ."""
    x = draw.normal(B, T, D)
    x *= draw.rng.uniform(0.5, 2, (B, T, 1))
    x += draw.normal(B, T, 1)
    return {
        "x": x,
        "gain": draw.gain(D),
        "bias": draw.normal(D),
        # large, so that it shows where it is left out
        "eps": draw.uniform(0.2, 0.5),
    }


def forward(student, x, gain, bias, eps):
    return student.layer_norm(x, gain, bias, eps)


def terms_of_y(x, gain, bias, eps):
    """The learned scale and the learned place."""
    _, xhat, _ = layer_norm_slowly(x, gain, bias, eps)
    return {"gain * xhat": gain * xhat, "the bias": bias + 0 * x}


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=4,
    needs=("one_position",),
    inputs=inputs,
    calls=[Call(forward, {"y": 3, "xhat": 2, "rstd": 1})],
    slow={"forward": layer_norm_slowly},
    terms={"y": terms_of_y},
    prediction=Prediction(
        "A position has D = 2 features, and they differ. Forget eps. Which values can its xhat "
        "take?",
        {
            "a": "any two numbers that add up to 0",
            "b": "only (1, -1) and (-1, 1)",
            "c": "only (0.71, -0.71) and (-0.71, 0.71)",
        },
        answer="b",
        because=(
            "The mean lies half-way, so the two distances are d and -d, the variance is d * d, "
            "and d / d is 1. Choice c is what comes out with D - 1 in the variance. Two of the D "
            "numbers are always lost: the place and the scale. With D = 512 that is little."
        ),
    ),
    hints=[
        "Every position stands for itself. So which axis of (B, T, D) do the two means run over, "
        "and what shape must their results have to be taken off x?",
        "The mean needs keepdims=True: it becomes (B, T, 1) and can be subtracted from x. The "
        "variance is the mean of the squared distances from it, over the same axis and of the "
        "same shape; eps is added to it before the root.",
        "Five lines: the mean; the variance; one divided by the root of variance and eps (this "
        "is rstd); the distances from the mean times rstd (this is xhat); and gain and bias, "
        "whose shape (D,) fits the last axis as it is.",
    ],
)
