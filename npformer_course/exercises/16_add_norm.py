# id: add_norm | points: 13 | minutes: 50 | level: 3 | needs: layer_norm_backward | notebook: 06b

# %% [markdown]
# # Add & Norm
#
# Around every attention and every feed-forward network, figure 1 of the paper draws a box "Add & Norm". The *add* is
# the residual connection: what a sub-layer $f$ computes is added to what went in. So a sub-layer only has to say what
# to change, and on the way back the gradient has a road past it, however little it lets through. The *norm* is layer
# normalization. And section 5.4 puts *dropout* on what the sub-layer computes, before it is added: while training,
# each of its numbers is multiplied by a factor that chance has chosen, 0 or something above 1. (The next exercise draws
# these factors. Here they are given, as an array $m$ of the shape of $x$, called `drop` in the code.)
#
# The paper normalizes after the sum. Most later programs, the authors' own among them, normalize in front of the
# sub-layer and leave the sum alone (Xiong et al. 2020):
#
# $$\text{post-norm:}\quad y = \mathrm{LayerNorm}\big(x + m \cdot f(x)\big) \qquad\qquad
#   \text{pre-norm:}\quad y = x + m \cdot f\big(\mathrm{LayerNorm}(x)\big)$$
#
# As loops over the numbers, with LayerNorm for one position at a time:

# %%
import numpy as np

EPS = 0.1  # usually 1e-6: with as few features as in a check, a large one keeps rounding errors away


def layer_norm(x, gain, bias, eps=EPS):
    """Return y of the shape of x (..., D), and for backward xhat (..., D) and rstd (..., 1)."""
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    xhat = (x - x.mean(-1, keepdims=True)) * rstd
    return gain * xhat + bias, xhat, rstd


def layer_norm_backward(dy, xhat, rstd, gain):
    """Return dx (B, T, D), dgain (D,), dbias (D,) of `layer_norm`."""
    slope, D = gain * dy, gain.size
    dx = rstd * (slope - slope.sum(-1, keepdims=True) / D - xhat * (slope * xhat).sum(-1, keepdims=True) / D)
    return dx, (xhat * dy).sum((0, 1)), dy.sum((0, 1))


def post_norm_slowly(x, sublayer, drop, gain, bias):
    """The same as `post_norm` below, by loops."""
    changes, sums, y = sublayer(x), np.zeros(x.shape), np.zeros(x.shape)
    for b, t, i in np.ndindex(x.shape):
        sums[b, t, i] = x[b, t, i] + drop[b, t, i] * changes[b, t, i]
    for b, t in np.ndindex(x.shape[:2]):
        y[b, t], _, _ = layer_norm(sums[b, t], gain, bias)
    return y


def pre_norm_slowly(x, sublayer, drop, gain, bias):
    """The same as `pre_norm` below, by loops."""
    inner, y = np.zeros(x.shape), np.zeros(x.shape)
    for b, t in np.ndindex(x.shape[:2]):
        inner[b, t], _, _ = layer_norm(x[b, t], gain, bias)
    changes = sublayer(inner)
    for b, t, i in np.ndindex(x.shape):
        y[b, t, i] = x[b, t, i] + drop[b, t, i] * changes[b, t, i]
    return y


# %% [markdown]
# ## Your turn
#
# Write both, forward and backward, without loops. `layer_norm` and `layer_norm_backward` above are for you to use;
# leave their eps as it is, `EPS`.
#
# The sub-layer comes as a function. Forward gets `sublayer`: it takes an array (B, T, D) and returns one. Backward gets
# `sublayer_backward`: it takes the gradient of what the sub-layer returned, and returns the gradient of what the
# sub-layer was given; what it has to remember for this, it remembers by itself. Either may be
# called more than once. `xhat` and `rstd` are what `layer_norm` left when it ran in forward: in post-norm it ran on the
# sum, in pre-norm on $x$.
#
# No new formula is needed for backward, only two rules that you know. What is added up on the way there gets the same
# gradient, each summand, on the way back. And what is used twice on the way there gets two gradients, which add up.
# Draw the way of $x$ on paper, with a fork and a plus, before you write; then walk back.


# %%
def post_norm(x, sublayer, drop, gain, bias):
    """Return y (B, T, D): the sum of x and the dropped-out result of the sub-layer, normalized.

    x (B, T, D), sublayer a function from (B, T, D) to (B, T, D), drop (B, T, D): the factors of dropout,
    gain (D,), bias (D,). None of the inputs is changed.
    """
    # BEGIN SOLUTION
    total = x + drop * sublayer(x)
    return layer_norm(total, gain, bias)[0]
    # END SOLUTION


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    """Return the gradients of `post_norm`: dx (B, T, D), dgain (D,), dbias (D,).

    dy (B, T, D): the gradient of y. xhat (B, T, D), rstd (B, T, 1): what layer_norm left. gain (D,), drop (B, T, D).
    sublayer_backward: a function from the gradient of the sub-layer's result to that of its input, both (B, T, D).
    """
    # BEGIN SOLUTION
    dtotal, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    dinner = sublayer_backward(drop * dtotal)
    return dtotal + dinner, dgain, dbias
    # END SOLUTION


def pre_norm(x, sublayer, drop, gain, bias):
    """Return y (B, T, D): x, plus the dropped-out result of the sub-layer, which is given x normalized.

    Arguments as in `post_norm`.
    """
    # BEGIN SOLUTION
    normed = layer_norm(x, gain, bias)[0]
    return x + drop * sublayer(normed)
    # END SOLUTION


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    """Return the gradients of `pre_norm`: dx (B, T, D), dgain (D,), dbias (D,).

    Arguments as in `post_norm_backward`.
    """
    # BEGIN SOLUTION
    dnormed = sublayer_backward(drop * dy)
    dx, dgain, dbias = layer_norm_backward(dnormed, xhat, rstd, gain)
    return dy + dx, dgain, dbias
    # END SOLUTION


# %% tags=["teacher"]
from npformer_course.definition import Call, Edit, Mistake, Prediction

SIZES = {"D": (3, 8)}  # with D = 2, xhat hardly moves at all


def inputs(draw, B, T, D, F):
    """Draw a sub-layer tanh(x W_1) W_2, and what it and the norm remember when either kind is run."""
    x, w_1, w_2 = draw.normal(B, T, D), draw.normal(D, F), draw.normal(F, D)
    p = draw.uniform(0.2, 0.6)
    drop = (draw.rng.random((B, T, D)) >= p) / (1 - p)
    gain, bias = draw.gain(D), draw.normal(D)
    total = x + drop * (np.tanh(x @ w_1) @ w_2)
    normed, pre_xhat, pre_rstd = layer_norm(x, gain, bias)
    return {
        "dy": draw.normal(B, T, D),
        "x": x,
        "w_1": w_1,
        "w_2": w_2,
        "drop": drop,
        "gain": gain,
        "bias": bias,
        "post_xhat": layer_norm(total, gain, bias)[1],
        "post_rstd": layer_norm(total, gain, bias)[2],
        "post_slope": 1 - np.tanh(x @ w_1) ** 2,
        "pre_xhat": pre_xhat,
        "pre_rstd": pre_rstd,
        "pre_slope": 1 - np.tanh(normed @ w_1) ** 2,
    }


def sublayer_of(w_1, w_2):
    """Return the sub-layer with these matrices."""
    return lambda x: np.tanh(x @ w_1) @ w_2


def sublayer_backward_of(w_1, w_2, slope):
    """Return its backward, where the slope of tanh was this."""
    return lambda dy: ((dy @ w_2.T) * slope) @ w_1.T


def post(student, x, w_1, w_2, drop, gain, bias):
    return student.post_norm(x, sublayer_of(w_1, w_2), drop, gain, bias)


def post_backward(student, dy, post_xhat, post_rstd, gain, drop, w_1, w_2, post_slope):
    back = sublayer_backward_of(w_1, w_2, post_slope)
    return student.post_norm_backward(dy, post_xhat, post_rstd, gain, drop, back)


def pre(student, x, w_1, w_2, drop, gain, bias):
    return student.pre_norm(x, sublayer_of(w_1, w_2), drop, gain, bias)


def pre_backward(student, dy, pre_xhat, pre_rstd, gain, drop, w_1, w_2, pre_slope):
    back = sublayer_backward_of(w_1, w_2, pre_slope)
    return student.pre_norm_backward(dy, pre_xhat, pre_rstd, gain, drop, back)


CALLS = [
    Call(post, {"post-norm: y": 2}),
    Call(post_backward, {"post-norm: dx": 2, "post-norm: dgain": 1, "post-norm: dbias": 1}),
    Call(pre, {"pre-norm: y": 2}),
    Call(pre_backward, {"pre-norm: dx": 2, "pre-norm: dgain": 1, "pre-norm: dbias": 1}),
]


def post_slowly(x, w_1, w_2, drop, gain, bias):
    """Run post-norm's loops."""
    return post_norm_slowly(x, sublayer_of(w_1, w_2), drop, gain, bias)


def pre_slowly(x, w_1, w_2, drop, gain, bias):
    """Run pre-norm's loops."""
    return pre_norm_slowly(x, sublayer_of(w_1, w_2), drop, gain, bias)


def numeric_gradients(forward, dy, x, w_1, w_2, drop, gain, bias):
    """Return dx, dgain and dbias by centered differences; positions do not meet in this sub-layer."""
    gradients = []
    for array in (x, gain, bias):
        gradient = np.zeros(array.shape)
        for i in range(gain.size):
            start, changes = array.copy(), []
            for h in (1e-5, -1e-5):
                array[..., i] = start[..., i] + h
                changes.append(forward(x, w_1, w_2, drop, gain, bias))
            array[...] = start
            moved = dy * (changes[0] - changes[1]) / 2e-5
            gradient[..., i] = moved.sum(-1) if array is x else moved.sum()
        gradients.append(gradient)
    return tuple(gradients)


def post_backward_slowly(dy, x, w_1, w_2, drop, gain, bias):
    """Differentiate post-norm's loops."""
    return numeric_gradients(post_slowly, dy, x, w_1, w_2, drop, gain, bias)


def pre_backward_slowly(dy, x, w_1, w_2, drop, gain, bias):
    """Differentiate pre-norm's loops."""
    return numeric_gradients(pre_slowly, dy, x, w_1, w_2, drop, gain, bias)


SLOW = {
    "post": post_slowly,
    "post_backward": post_backward_slowly,
    "pre": pre_slowly,
    "pre_backward": pre_backward_slowly,
}


def terms_of_post_dx(dy, post_xhat, post_rstd, gain, drop, w_1, w_2, post_slope):
    """The road past the sub-layer, and the one through it."""
    dtotal = layer_norm_backward(dy, post_xhat, post_rstd, gain)[0]
    return {
        "the residual's path": dtotal,
        "the sub-layer's path": sublayer_backward_of(w_1, w_2, post_slope)(drop * dtotal),
    }


def terms_of_pre_dx(dy, pre_xhat, pre_rstd, gain, drop, w_1, w_2, pre_slope):
    """The road past norm and sub-layer, and the one through them."""
    dnormed = sublayer_backward_of(w_1, w_2, pre_slope)(drop * dy)
    return {
        "the residual's path": dy,
        "the sub-layer's path": layer_norm_backward(dnormed, pre_xhat, pre_rstd, gain)[0],
    }


TERMS = {"post-norm: dx": terms_of_post_dx, "pre-norm: dx": terms_of_pre_dx}

PREDICTION = Prediction(
    "A stack of 48 pre-norm layers, in which every sub-layer happens to return 0 whatever it is given. dy comes from "
    "above. What is dx at the bottom of the stack?",
    {"a": "0", "b": "dy", "c": "dy, divided by every layer's standard deviation"},
    answer="b",
    because="Nothing is on the residual's path of pre-norm, forward or backward: a sum copies its gradient, "
    "48 times over. In post-norm the gradient would pass 48 norms, and each would change it.",
)

MISTAKES = [
    Mistake(
        "residual_forgotten",
        "y does not hold x: nothing is added to what the sub-layer computes",
        Edit("total = x + drop * ", "total = drop * "),
        Edit("return x + drop * ", "return drop * "),
        ask="If the sub-layer returns 0 everywhere, what of x should still be in the result?",
    ),
    Mistake(
        "residual_path_lost",
        "dx is what comes back through the sub-layer alone",
        Edit("return dtotal + dinner", "return dinner"),
        Edit("return dy + dx", "return dx"),
        ask="Which two ways lead from x to y?",
    ),
    Mistake(
        "norm_before_the_sum",
        "post-norm normalizes what the sub-layer computes, and then adds x",
        Edit("total = x + drop * ", "total = drop * "),
        Edit("return layer_norm(total, gain, bias)[0]", "return x + layer_norm(total, gain, bias)[0]"),
        ask="With gain 1 and bias 0, what should the spread of the features of y be? Print y.std(-1).",
    ),
    Mistake(
        "norm_at_the_other_end",
        "the norm stands where the other of the two orders has it: in front of the sub-layer, or after the sum",
        Edit("total = x + drop * sublayer(x)", "total = x + drop * sublayer(layer_norm(x, gain, bias)[0])"),
        Edit("return layer_norm(total, gain, bias)[0]", "return total"),
        Edit("return x + drop * sublayer(normed)", "return layer_norm(x + drop * (sublayer(x)), gain, bias)[0]"),
        ask="Post, pre: after what, and before what?",
    ),
    Mistake(
        "dropout_on_the_residual",
        "x itself is dropped where the sub-layer's result is",
        Edit("total = x + drop * sublayer(x)", "total = drop * (x + sublayer(x))"),
        Edit("return x + drop * sublayer(normed)", "return drop * (x + sublayer(normed))"),
        ask="In a stack of many layers, what would be left of the words after all these losses?",
    ),
    Mistake(
        "dropout_forgotten",
        "y does not depend on drop",
        Edit("total = x + drop * ", "total = x + "),
        Edit("return x + drop * ", "return x + "),
        ask="Which of the arguments have you not used?",
    ),
    Mistake(
        "dropout_forgotten_in_backward",
        "{part} is what comes out when the gradient goes back into the sub-layer also where its result was dropped",
        Edit("sublayer_backward(drop * dtotal)", "sublayer_backward(dtotal)"),
        Edit("sublayer_backward(drop * dy)", "sublayer_backward(dy)"),
        ask="A number of the sub-layer's result was dropped. Does the loss move with it?",
    ),
    Mistake(
        "dropout_after_the_sub_layer",
        "{part} is what comes out when the factors are applied after the gradient has passed the sub-layer",
        Edit("sublayer_backward(drop * dtotal)", "drop * sublayer_backward(dtotal)"),
        Edit("sublayer_backward(drop * dy)", "drop * sublayer_backward(dy)"),
        ask="Forward runs the sub-layer, then dropout. In which order does backward meet them?",
    ),
    Mistake(
        "normed_residual",
        "pre-norm adds the normalized x, not x",
        Edit("return x + drop * sublayer(normed)", "return normed + drop * sublayer(normed)"),
        ask="If the sub-layer returns 0 everywhere, what should pre-norm return?",
    ),
    Mistake(
        "residual_past_the_norm",
        "in post-norm, the residual's path brings back dy as it came",
        Edit("return dtotal + dinner", "return dy + dinner"),
        ask="x is added, and the sum is normalized. What does the gradient meet first on its way back?",
    ),
    Mistake(
        "sub_layer_past_the_norm",
        "in post-norm, the sub-layer is given dy as it came",
        Edit("sublayer_backward(drop * dtotal)", "sublayer_backward(drop * dy)"),
        ask="What is the last step of post-norm's forward, and so the first of its backward?",
    ),
    Mistake(
        "residual_through_the_norm",
        "{part} is what comes out when the residual's path goes back through the norm",
        Edit("layer_norm_backward(dnormed, ", "layer_norm_backward(dy + dnormed, "),
        Edit("return dy + dx", "return dx"),
        ask="In pre-norm, did the x that is added pass through the norm?",
    ),
    Mistake(
        "norm_skipped",
        "in pre-norm, the gradient that comes out of the sub-layer is added without passing the norm",
        Edit("return dy + dx", "return dy + dnormed"),
        ask="What lies between x and the sub-layer?",
    ),
    Mistake(
        "dropout_in_front",
        "the sub-layer is given what was dropped out, and its own result is added whole",
        Edit("drop * sublayer(x)", "sublayer(drop * x)"),
        Edit("drop * sublayer(normed)", "sublayer(drop * normed)"),
        ask="Which array do the factors m multiply in the formula: what goes into f, or what comes out?",
    ),
    Mistake(
        "dropout_at_the_end",
        "the finished result is dropped out, after the norm",
        Edit("total = x + drop * ", "total = x + "),
        Edit("return layer_norm(total, gain, bias)[0]", "return drop * layer_norm(total, gain, bias)[0]"),
        ask="What should y be where drop is 0, and what is yours?",
    ),
    Mistake(
        "sub_layer_normed",
        "{part} is what comes out when x goes into the sub-layer as it came, and its result is normalized",
        Edit(
            "    normed = layer_norm(x, gain, bias)[0]\n    return x + drop * sublayer(normed)",
            "    return x + drop * layer_norm(sublayer(x), gain, bias)[0]",
        ),
        ask="What does the formula hand to f?",
    ),
    Mistake(
        "norm_at_both_ends",
        "there are two norms: one in front of the sub-layer, and one after the sum",
        Edit("total = x + drop * sublayer(x)", "total = x + drop * sublayer(layer_norm(x, gain, bias)[0])"),
        Edit("return x + drop * sublayer(normed)", "return layer_norm(x + drop * sublayer(normed), gain, bias)[0]"),
        ask="How often does LayerNorm stand in the formula?",
    ),
    Mistake(
        "norm_forgotten",
        "nothing is normalized",
        Edit("return layer_norm(total, gain, bias)[0]", "return total"),
        Edit("sublayer(normed)", "sublayer(x)"),
        ask="Multiply the gain by 1000. What should that do to y, and what does it do to yours?",
    ),
    Mistake(
        "gain_and_bias_forgotten",
        "y does not depend on gain and bias, although something is normalized",
        Edit("return layer_norm(total, gain, bias)[0]", "return layer_norm(total, gain, bias)[1]"),
        Edit("normed = layer_norm(x, gain, bias)[0]", "normed = layer_norm(x, gain, bias)[1]"),
        ask="layer_norm returns three arrays. In which of them are gain and bias?",
    ),
    Mistake(
        "gain_and_bias_exchanged",
        "y is what comes out when the norm multiplies by the bias and adds the gain",
        Edit("return layer_norm(total, gain, bias)[0]", "return layer_norm(total, bias, gain)[0]"),
        Edit("normed = layer_norm(x, gain, bias)[0]", "normed = layer_norm(x, bias, gain)[0]"),
        ask="In which order does layer_norm take its arguments?",
    ),
    Mistake(
        "dropout_on_the_residual_in_backward",
        "{part} is what comes out when the gradient of the residual's path is multiplied by drop as well",
        Edit("return dtotal + dinner", "return drop * dtotal + dinner"),
        Edit("return dy + dx", "return drop * dy + dx"),
        ask="x was added as it is. Which factor does it have in the sum, and so its gradient?",
    ),
    Mistake(
        "dropout_without_its_factor",
        "{part} is what comes out when drop counts as 0 or 1: what is kept has no factor",
        Edit("total = x + drop * sublayer(x)", "total = x + (drop > 0) * sublayer(x)"),
        Edit("drop * sublayer(normed)", "(drop > 0) * sublayer(normed)"),
        Edit("sublayer_backward(drop * dtotal)", "sublayer_backward((drop > 0) * dtotal)"),
        Edit("sublayer_backward(drop * dy)", "sublayer_backward((drop > 0) * dy)"),
        ask="What does the text say of the factors of numbers that are not dropped: are they 1?",
    ),
    Mistake(
        "in_the_order_of_forward",
        "{part} is what comes out when the gradient meets the norm and the sub-layer in the same order as x did",
        Edit(
            "    dtotal, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)\n"
            "    dinner = sublayer_backward(drop * dtotal)\n    return dtotal + dinner",
            "    dtotal = dy + sublayer_backward(drop * dy)\n"
            "    dx, dgain, dbias = layer_norm_backward(dtotal, xhat, rstd, gain)\n    return dx",
        ),
        Edit(
            "    dnormed = sublayer_backward(drop * dy)\n"
            "    dx, dgain, dbias = layer_norm_backward(dnormed, xhat, rstd, gain)",
            "    dnormed, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)\n"
            "    dx = sublayer_backward(drop * dnormed)",
        ),
        ask="Which is the last step of forward, and so the first of backward?",
    ),
    Mistake(
        "residual_is_the_sub_layers",
        "in pre-norm, the gradient that came out of the sub-layer is added where dy should be",
        Edit("return dy + dx", "return dnormed + dx"),
        ask="If the sub-layer returns 0 everywhere, what should dx be?",
    ),
    Mistake(
        "norm_forgotten_in_backward",
        "in post-norm, nothing of dx has gone back through the norm",
        Edit("sublayer_backward(drop * dtotal)", "sublayer_backward(drop * dy)"),
        Edit("return dtotal + dinner", "return dy + dinner"),
        ask="What is the last step of post-norm's forward, and so the first of its backward?",
    ),
    Mistake(
        "x_normed_alone",
        "post-norm adds the sub-layer's result to the normalized x",
        Edit("return layer_norm(total, gain, bias)[0]", "return layer_norm(x, gain, bias)[0] + total - x"),
        ask="With gain 1 and bias 0, what should the spread of the features of y be? Print y.std(-1).",
    ),
    Mistake(
        "sub_layer_skipped",
        "{part} is what comes out when the gradient passes the sub-layer as if it were not there",
        Edit("sublayer_backward(drop * dtotal)", "drop * dtotal"),
        Edit("sublayer_backward(drop * dy)", "drop * dy"),
        ask="Which of the arguments have you not called?",
    ),
]

HINTS = [
    "Forward is the formula, word by word. For backward, write forward as single steps with a name for each result, "
    "and go through them from the last to the first. Where is x used, and how often?",
    "Post-norm: the last step of forward is the norm, so its backward comes first, and gives the gradient of the sum. "
    "Pre-norm: the last step is the sum, so dy itself is the gradient of both summands.",
    "In both, one summand's gradient is multiplied by drop and goes into sublayer_backward; in pre-norm the result "
    "continues through layer_norm_backward. The other summand is x. The two gradients of x add up, and dgain and dbias "
    "are those that the norm's backward returns.",
]

ALTERNATIVES = [
    """
def post_norm(x, sublayer, drop, gain, bias):
    return post_norm_slowly(x, sublayer, drop, gain, bias)


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dx, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    dx += sublayer_backward(np.where(drop == 0, 0, dx * drop.max()))
    return dx, dgain, dbias


def pre_norm(x, sublayer, drop, gain, bias):
    return pre_norm_slowly(x, sublayer, drop, gain, bias)


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    gradients = list(layer_norm_backward(sublayer_backward(dy * drop), xhat, rstd, gain))
    gradients[0] = gradients[0] + dy
    return tuple(gradients)
""",
    """
def post_norm(x, sublayer, drop, gain, bias):
    y, xhat, rstd = layer_norm(np.add(sublayer(x) * drop, x), gain, bias)
    return y


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    D = gain.size
    slope = np.eye(D) - 1 / D - np.einsum("bti,btj->btij", xhat, xhat) / D
    dtotal = rstd * np.einsum("bti,btij->btj", dy * gain, slope)
    dx = np.zeros_like(dy)
    for path in (dtotal, sublayer_backward(np.multiply(dtotal, drop))):
        dx += path
    return dx, np.einsum("btd,btd->d", dy, xhat), np.einsum("btd->d", dy)


def pre_norm(x, sublayer, drop, gain, bias):
    y = x.copy()
    y += sublayer(layer_norm(x, gain, bias)[0]) * drop
    return y


def pre_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dinner = sublayer_backward(np.multiply(dy, drop))
    D = gain.size
    slope = np.eye(D) - 1 / D - np.einsum("bti,btj->btij", xhat, xhat) / D
    dx = rstd * np.einsum("bti,btij->btj", dinner * gain, slope)
    return dx + dy, np.einsum("btd,btd->d", dinner, xhat), np.einsum("btd->d", dinner)
""",
]
