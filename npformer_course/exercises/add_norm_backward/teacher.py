"""How the answers to add_norm_backward are checked."""

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import layer_norm, layer_norm_backward, post_norm, pre_norm

STEP = 3e-4  # of the differences; those of five points are as good as exact


def inputs(draw, B, T, D, F):
    """Draw a sub-layer tanh(x W_1) W_2, and what it and the norm remember in either order."""
    x = draw.normal(B, T, D)
    w_1 = draw.normal(D, F)
    w_2 = draw.normal(F, D)
    p = draw.uniform(0.2, 0.6)
    drop = (draw.rng.random((B, T, D)) >= p) / (1 - p)
    gain = draw.gain(D)
    bias = draw.normal(D)

    post_inner = np.tanh(x @ w_1)
    _, post_xhat, post_rstd = layer_norm(x + drop * (post_inner @ w_2), gain, bias)
    normed, pre_xhat, pre_rstd = layer_norm(x, gain, bias)
    pre_inner = np.tanh(normed @ w_1)
    return {
        "dy": draw.normal(B, T, D),
        "x": x,
        "w_1": w_1,
        "w_2": w_2,
        "drop": drop,
        "gain": gain,
        "bias": bias,
        "post_xhat": post_xhat,
        "post_rstd": post_rstd,
        "post_slope": 1 - post_inner**2,
        "pre_xhat": pre_xhat,
        "pre_rstd": pre_rstd,
        "pre_slope": 1 - pre_inner**2,
    }


def sublayer_of(w_1, w_2):
    """Return the sub-layer with these matrices."""
    return lambda x: np.tanh(x @ w_1) @ w_2


def sublayer_backward_of(w_1, w_2, slope):
    """Return its backward, where the slope of tanh was this."""
    return lambda dy: ((dy @ w_2.T) * slope) @ w_1.T


def post_backward(student, dy, post_xhat, post_rstd, gain, drop, w_1, w_2, post_slope):
    back = sublayer_backward_of(w_1, w_2, post_slope)
    return student.post_norm_backward(dy, post_xhat, post_rstd, gain, drop, back)


def pre_backward(student, dy, pre_xhat, pre_rstd, gain, drop, w_1, w_2, pre_slope):
    back = sublayer_backward_of(w_1, w_2, pre_slope)
    return student.pre_norm_backward(dy, pre_xhat, pre_rstd, gain, drop, back)


def numeric_gradients(forward, dy, x, w_1, w_2, drop, gain, bias):
    """Return dx, dgain and dbias of `post_norm` or `pre_norm` by centered differences.

    Positions do not meet in this sub-layer, so a feature is moved at all of them at once.
    """
    sublayer = sublayer_of(w_1, w_2)

    def slope_of_y(array, i):
        start = array[..., i].copy()
        results = []
        for steps in (-2, -1, 1, 2):
            array[..., i] = start + steps * STEP
            results.append(forward(x, sublayer, drop, gain, bias))
        array[..., i] = start
        far_below, below, above, far_above = results
        return (8 * (above - below) - (far_above - far_below)) / (12 * STEP)

    dx = np.zeros(x.shape)
    dgain = np.zeros(gain.shape)
    dbias = np.zeros(bias.shape)
    for i in range(gain.size):
        dx[..., i] = (dy * slope_of_y(x, i)).sum(-1)
        dgain[i] = (dy * slope_of_y(gain, i)).sum()
        dbias[i] = (dy * slope_of_y(bias, i)).sum()
    return dx, dgain, dbias


def post_backward_slowly(dy, x, w_1, w_2, drop, gain, bias):
    """Differentiate post-norm."""
    return numeric_gradients(post_norm, dy, x, w_1, w_2, drop, gain, bias)


def pre_backward_slowly(dy, x, w_1, w_2, drop, gain, bias):
    """Differentiate pre-norm."""
    return numeric_gradients(pre_norm, dy, x, w_1, w_2, drop, gain, bias)


def terms_of_post_dx(dy, post_xhat, post_rstd, gain, drop, w_1, w_2, post_slope):
    """The road past the sub-layer, and the one through it."""
    back = sublayer_backward_of(w_1, w_2, post_slope)
    dtotal, _, _ = layer_norm_backward(dy, post_xhat, post_rstd, gain)
    return {"the residual's path": dtotal, "the sub-layer's path": back(drop * dtotal)}


def terms_of_pre_dx(dy, pre_xhat, pre_rstd, gain, drop, w_1, w_2, pre_slope):
    """The road past norm and sub-layer, and the one through them."""
    back = sublayer_backward_of(w_1, w_2, pre_slope)
    through, _, _ = layer_norm_backward(back(drop * dy), pre_xhat, pre_rstd, gain)
    return {"the residual's path": dy, "the sub-layer's path": through}


EXERCISE = Exercise(
    minutes=30,
    difficulty=3,
    importance=4,
    needs=("add_norm", "layer_norm_backward"),
    inputs=inputs,
    sizes={"D": (3, 8)},
    calls=[
        Call(post_backward, {"post-norm: dx": 2, "post-norm: dgain": 1, "post-norm: dbias": 1}),
        Call(pre_backward, {"pre-norm: dx": 2, "pre-norm: dgain": 1, "pre-norm: dbias": 1}),
    ],
    slow={
        "post_backward": post_backward_slowly,
        "pre_backward": pre_backward_slowly,
    },
    terms={"post-norm: dx": terms_of_post_dx, "pre-norm: dx": terms_of_pre_dx},
    prediction=Prediction(
        "A stack of 48 pre-norm layers, in which every sub-layer happens to return 0 whatever it "
        "is given. dy comes from above. What is dx at the bottom of the stack?",
        {"a": "0", "b": "dy", "c": "dy, divided by every layer's standard deviation"},
        answer="b",
        because=(
            "Nothing is on the residual's path of pre-norm, forward or backward: a sum copies its"
            " gradient, 48 times over. In post-norm the gradient would pass 48 norms, and each "
            "would change it."
        ),
    ),
    hints=[
        "Write forward as single steps with a name for each result, and go through them from the "
        "last to the first. Where is x used, and how often?",
        "Post-norm: the last step of forward is the norm, so its backward comes first, and gives "
        "the gradient of the sum. Pre-norm: the last step is the sum, so dy itself is the "
        "gradient of both summands.",
        "In both, one summand's gradient is multiplied by drop and goes into sublayer_backward; "
        "in pre-norm the result continues through layer_norm_backward. The other summand is x. "
        "The two gradients of x add up, and dgain and dbias are those that the norm's backward "
        "returns.",
    ],
)
