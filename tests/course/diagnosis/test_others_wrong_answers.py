"""Wrong answers of people who saw only texts and stubs, and what the check says of each."""

import pytest

from npformer_course import course
from tests.course.diagnosis.small_exercises import report

WRONG = [  # an exercise, a part of it, an answer, and a part of the finding
    ("numpy", "center", "center(x): return x.mean(axis=2, keepdims=True)", "nothing is subtracted"),
    (
        "numpy",
        "scale",
        "scale(x, weights): return np.einsum('btd,bt->bt', x, weights)",
        "the sum over the features",
    ),
    (
        "numpy",
        "center",
        "center(x): return x - x.sum(2)[..., None] / x.shape[1]",
        "divided by the number of positions",
    ),
    ("linear", "db", "linear_backward(dy, x, w): return dy @ w.T, w, dy.sum()", "db is one number"),
    (
        "softmax",
        "y",
        "softmax(x): return np.exp(-x) / np.exp(-x).sum(-1, keepdims=True)",
        "have the other sign",
    ),
    (
        "softmax",
        "y",
        "softmax(x): return np.exp(x - x.max(-1, keepdims=True))",
        "the row sums to more than 1",
    ),
    (
        "softmax",
        "y",
        "softmax(x): return x - np.log(np.exp(x).sum(-1, keepdims=True))",
        "the logarithm of the weights",
    ),
    (
        "softmax",
        "y",
        "softmax(x): return 2**x / (2**x).sum(-1, keepdims=True)",
        "made of powers of 2",
    ),
    (
        "softmax",
        "y",
        "softmax(x): return np.exp(x) / np.exp(x).sum(1, keepdims=True)",
        "along the last axis but one",
    ),
    (
        "softmax",
        "y",
        "softmax(x): return np.exp(x) / np.exp(x).sum(0, keepdims=True)",
        "along the first axis",
    ),
    (
        "softmax",
        "y",
        "softmax(x): return np.exp(x) / x.shape[-1]",
        "a factor of its own in each row",
    ),
    ("softmax_backward", "dx", "softmax_backward(dy, y): return y - dy", "dx is y - dy"),
    (
        "softmax_backward",
        "dx",
        "softmax_backward(dy, y): return dy * (y - (dy * y).sum(-1)[..., None])",
        "off the",
    ),
    (
        "masks",
        "target_mask",
        "padding_mask(i, p): return (i != p)[:, None]\ndef target_mask(i, p):\n"
        "    return np.repeat(padding_mask(i, p), i.shape[1], axis=1)",
        "only padding is hidden",
    ),
    ("numpy", "pick", "pick(s, ids): return s.argmax(axis=2)", "the id with the largest score"),
    ("linear", "y", "linear(x, w, b): return x @ (w + b)", "before the product"),
    (
        "softmax",
        "y",
        "softmax(x): return 1 / (1 + np.exp(-x))",
        "does not depend on the other scores",
    ),
    (
        "softmax_backward",
        "dx",
        "softmax_backward(dy, y): return y * (1 - y)",
        "does not depend on dy",
    ),
    (
        "softmax_backward",
        "dx",
        "softmax_backward(dy, y): return y * (dy - dy.mean(-1, keepdims=True))",
        "plain mean",
    ),
    (
        "masked_softmax",
        "y",
        "masked_softmax(x, mask):\n    x = x + mask\n    e = np.exp(x - x.max(-1, keepdims=True))\n"
        "    return e / e.sum(-1, keepdims=True)",
        "added to the scores as a number",
    ),
    (
        "attention_backward",
        "dk",
        "attention_backward(dy, q, k, v, weights):\n    w = weights.swapaxes(2, 3)\n"
        "    return weights @ k, w @ q, w @ dy",
        "dk is made of the weights",
    ),
    (
        "heads",
        "heads",
        "split_heads(x, n): return x.reshape(*x.shape[:2], -1, n).swapaxes(1, 2)",
        "are d_k heads",
    ),
    ("heads", "merged", "merge_heads(heads): return heads.sum(axis=1)", "the sum of the heads"),
    (
        "masked_attention",
        "mask_of_heads",
        "mask_of_heads(mask, n_heads): return mask",
        "the mask as it was",
    ),
    (
        "multi_head",
        "weights",
        "multi_head_attention(query, key, value, w_query, w_key, w_value, w_output, n_heads):\n"
        "    q, k, v = query @ w_query, key @ w_key, value @ w_value\n"
        "    y, weights = attention(q[:, None], k[:, None], v[:, None])\n"
        "    return y[:, 0] @ w_output, weights",
        "a single head",
    ),
    (
        "cross_attention_backward",
        "dmemory of the decoder",
        "decoder_backward(dy, backwards):\n    total = 0\n    for f in backwards[:0:-1]:\n        dy, m = f(dy)\n"
        "        total = total + m\n    return dy, total",
        "the lowest layer is left out",
    ),
    (
        "layer_norm",
        "y",
        "layer_norm(x, gain, bias, eps): return gain + bias * norm(x, eps), x, x[..., :1]",
        "the gain is added",
    ),
    (
        "layer_norm_backward",
        "dx",
        "layer_norm_backward(dy, xhat, rstd, gain): return gain * dy * rstd, gain, gain",
        "neither the mean nor rstd moves",
    ),
    (
        "add_norm",
        "pre-norm: y",
        "pre_norm(x, sublayer, drop, gain, bias): return x + sublayer(drop * layer_norm(x, gain, bias)[0])",
        "its own result is added whole",
    ),
]


NORM = """
def norm(x, eps, axis=-1):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)
"""


@pytest.mark.parametrize(
    ("id", "part", "answer", "says"), WRONG, ids=[f"{row[0]} {row[3]}" for row in WRONG]
)
def test_mistake_of_others_is_named(id, part, answer, says):
    exercise = course.load(id)
    for seed in range(2):
        parts = report(exercise, f"{exercise.stub}\n{NORM}\ndef {answer}\n", seed).parts
        [found] = [one.finding for one in parts if one.name == part]
        assert says in found.text and found.question
