"""Wrong answers in the words of others, who saw only the texts and stubs: what the check says of each."""

import pytest
from small_exercises import report

from npformer.classroom import index as course

WRONG = [  # an exercise, a part of it, an answer, and a part of what is said
    ("numpy", "center", "center(x): return x.mean(axis=2, keepdims=True)", "nothing is subtracted"),
    ("numpy", "scale", "scale(x, weights): return np.einsum('btd,bt->bt', x, weights)", "the sum over the features"),
    (
        "numpy",
        "pick",
        "pick(scores, ids): return np.take_along_axis(scores, ids[..., None] - 1, -1)[..., 0]",
        "one place before",
    ),
    (
        "numeric_gradient",
        "dx of a transpose",
        "numeric_gradient(f, x, dy, h=1e-5):\n"
        "    return np.full(x.shape, ((dy * f(x + h)).sum() - (dy * f(x - h)).sum()) / (2 * h))",
        "when all numbers of x are moved together",
    ),
    (
        "numeric_gradient",
        "relative error",
        "relative_error(got, expected): return np.abs(got - expected).max() / max(1, np.abs(expected).max())",
        "where everything expected is smaller than 1",
    ),
    (
        "linear",
        "dw",
        "linear_backward(dy, x, w):\n    axes = tuple(range(x.ndim - 1))\n"
        "    return dy @ w.T, x.sum(axes)[:, None] * dy.sum(axes), dy.sum(axes)",
        "the sums are multiplied",
    ),
    ("linear", "db", "linear_backward(dy, x, w): return dy @ w.T, w, dy.sum()", "db is one number"),
    ("softmax", "y", "softmax(x): return np.exp(-x) / np.exp(-x).sum(-1, keepdims=True)", "have the other sign"),
    ("softmax", "y", "softmax(x): return np.exp(x - x.max(-1, keepdims=True))", "the row sums to more than 1"),
    ("softmax", "y", "softmax(x): return x - np.log(np.exp(x).sum(-1, keepdims=True))", "the logarithm of the weights"),
    ("softmax", "y", "softmax(x): return 2**x / (2**x).sum(-1, keepdims=True)", "made of powers of 2"),
    (
        "softmax",
        "y of large scores",
        "softmax(x):\n    e = np.exp(x - abs(x).max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)",
        "far below 0, y has NaN",
    ),
    ("softmax", "y", "softmax(x): return np.exp(x) / np.exp(x).sum(1, keepdims=True)", "along the last axis but one"),
    ("softmax", "y", "softmax(x): return np.exp(x) / np.exp(x).sum(0, keepdims=True)", "along the first axis"),
    ("softmax", "y", "softmax(x): return np.exp(x) / x.shape[-1]", "a factor of its own in each row"),
    (
        "softmax_backward",
        "dx",
        "softmax_backward(dy, y):\n    J = np.eye(y.shape[-1]) - y[..., None] * y[..., None, :]\n"
        "    return (J @ dy[..., None])[..., 0]",
        "comes from a score's own weight is dy",
    ),
    (
        "softmax_backward",
        "dx",
        "softmax_backward(dy, y): return y * (dy - y * (y * dy).sum(-1, keepdims=True))",
        "own weight twice",
    ),
    ("softmax_backward", "dx", "softmax_backward(dy, y): return y - dy", "dx is y - dy"),
    (
        "feed_forward",
        "hidden",
        "feed_forward(x, w1, b1, w2, b2):\n    h = np.maximum(x @ w1, 0)\n    return h @ w2 + b2, h",
        "does not move when b1 moves",
    ),
    ("masks", "target_mask", "padding_mask(i, p): return (i != p)[:, None]\ndef target_mask(i, p):\n"
     "    return np.repeat(padding_mask(i, p), i.shape[1], axis=1)", "only padding is hidden"),
    ("masks", "padding_mask", "padding_mask(i, p): return np.broadcast_to((i != p)[:, None], (*i.shape, i.shape[1]))",
     "once for each query"),
]  # fmt: skip


@pytest.mark.parametrize(("id", "part", "answer", "says"), WRONG, ids=[f"{row[0]} {row[3]}" for row in WRONG])
def test_mistake_of_others_is_named(id, part, answer, says):
    exercise = course.load(id)
    for seed in range(2):
        parts = report(exercise, f"{exercise.stub}\n\ndef {answer}\n", seed).parts
        [found] = [one.finding for one in parts if one.name == part]
        assert says in found.text and found.question
