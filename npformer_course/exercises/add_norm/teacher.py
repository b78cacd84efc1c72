"""How the answers to add_norm are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import post_norm_slowly, pre_norm_slowly


def inputs(draw, B, T, D, F):
    """Draw the matrices of a sub-layer, and the factors of its dropout."""
    p = draw.uniform(0.2, 0.6)
    return {
        "x": draw.normal(B, T, D),
        "w_1": draw.normal(D, F),
        "w_2": draw.normal(F, D),
        "drop": (draw.rng.random((B, T, D)) >= p) / (1 - p),
        "gain": draw.gain(D),
        "bias": draw.normal(D),
    }


def sublayer_of(w_1, w_2):
    """Return a sub-layer with these matrices, in which a position depends on the others."""

    def sublayer(x):
        if x.ndim != 3:
            raise ValueError(f"the sub-layer got the shape {x.shape}: it takes (B, T, D)")
        hidden = np.tanh(x @ w_1)
        return (hidden + hidden.mean(1, keepdims=True)) @ w_2

    return sublayer


def post(student, x, w_1, w_2, drop, gain, bias):
    return student.post_norm(x, sublayer_of(w_1, w_2), drop, gain, bias)


def pre(student, x, w_1, w_2, drop, gain, bias):
    return student.pre_norm(x, sublayer_of(w_1, w_2), drop, gain, bias)


def post_slowly(x, w_1, w_2, drop, gain, bias):
    """Run post-norm's loops."""
    return post_norm_slowly(x, sublayer_of(w_1, w_2), drop, gain, bias)


def pre_slowly(x, w_1, w_2, drop, gain, bias):
    """Run pre-norm's loops."""
    return pre_norm_slowly(x, sublayer_of(w_1, w_2), drop, gain, bias)


EXERCISE = Exercise(
    minutes=20,
    difficulty=2,
    importance=4,
    needs=("layer_norm",),
    inputs=inputs,
    sizes={"D": (3, 8)},
    calls=[Call(post, {"post-norm: y": 3}), Call(pre, {"pre-norm: y": 3})],
    slow={"post": post_slowly, "pre": pre_slowly},
    prediction=Prediction(
        "A stack of 48 layers, in which every sub-layer happens to return 0 whatever it is given. "
        "x goes in at the bottom. At the top, what comes out of a pre-norm stack?",
        {
            "a": "0",
            "b": "x",
            "c": "x, normalized at every position",
        },
        answer="b",
        because=(
            "Nothing is on the residual's path of pre-norm: it is a sum, 48 times over. In "
            "post-norm x would pass 48 norms. That is one reason why deep stacks are easier to "
            "train with pre-norm."
        ),
    ),
    hints=[
        "Read each formula from the inside to the outside, and give every step a name. What is "
        "the sub-layer given, and what is normalized?",
        "In both, `drop` multiplies what the sub-layer returns, number by number, and nothing "
        "else; x is added as it came in.",
        "Post-norm: the sub-layer, its factors, the sum with x, then the norm of the sum. "
        "Pre-norm: the norm of x, the sub-layer, its factors, then the sum with the x that came "
        "in. Take the first of the three arrays that layer_norm returns.",
    ],
)
