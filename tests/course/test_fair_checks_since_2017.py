"""Own answers to RMSNorm, SwiGLU and grouped queries: wrong and right ones."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here

GEMMA = """
def rms_norm(x, gain, eps):
    scale = (np.mean(x**2, -1, keepdims=True) + eps) ** -0.5
    return x * scale * (1.0 + gain), x * scale, scale
"""
NORM_OF_THE_ROW = """
def rms_norm(x, gain, eps):
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    scale = 1 / np.sqrt(length**2 + eps)
    return gain * x * scale, x * scale, scale
"""
LAYER_NORM_WITHOUT_BIAS = """
def rms_norm_backward(dy, xhat, scale, gain):
    d = dy * gain
    dx = d - d.mean(-1)[..., None] - xhat * (d * xhat).mean(-1)[..., None]
    return scale * dx, np.einsum("btd,btd->d", dy, xhat)
"""
NORM_IS_CONSTANT = """
def rms_norm_backward(dy, xhat, scale, gain):
    return gain * dy * scale, (dy * xhat).sum(axis=(0, 1))
"""
GLU = """
def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    s = sigmoid(before)
    back = dy @ w2.T
    dgate = back * value * s * (1 - s)
    dvalue = back * silu(before)
    flat = x.reshape(-1, x.shape[-1])
    dw2 = (silu(before) * value).reshape(-1, len(w2)).T @ dy.reshape(-1, dy.shape[-1])
    dw_gate = flat.T @ dgate.reshape(len(flat), -1)
    return dgate @ w_gate.T + dvalue @ w1.T, dw_gate, flat.T @ dvalue.reshape(len(flat), -1), dw2
"""
INTERLEAVED = """
def grouped_attention(q, k, v):
    H = q.shape[1]
    G = k.shape[1]
    heads = [attention(q[:, h], k[:, h % G], v[:, h % G]) for h in range(H)]
    return np.stack([y for y, _ in heads], 1), np.stack([w for _, w in heads], 1)
"""
HEADS_BEFORE_GROUPS = """
def grouped_attention(q, k, v):
    B, H, T, d_k = q.shape
    G = k.shape[1]
    y, weights = attention(q.reshape(B, H // G, G, T, d_k), k[:, None], v[:, None])
    return y.reshape(B, H, T, -1), weights.reshape(B, H, T, -1)
"""


@pytest.mark.parametrize(
    ("id", "part", "words", "answer"),
    [
        ("rms_norm", "y", "counted from 1", GEMMA),
        ("rms_norm", "scale", "not divided by anything", NORM_OF_THE_ROW),
        ("rms_norm", "dx", "mean of dxhat is subtracted", LAYER_NORM_WITHOUT_BIAS),
        ("rms_norm", "dx", "as if the scale did not depend on x", NORM_IS_CONSTANT),
        ("swiglu_backward", "dw_gate", "slope of the sigmoid", GLU),
        ("grouped_queries", "y", "h mod G", INTERLEAVED),
        ("grouped_queries", "weights", "h mod G", HEADS_BEFORE_GROUPS),
    ],
)
def test_wrong_answer_is_named(id, part, words, answer):
    report = check(case_at(id, 0), f"{course.load(id).key}\n{answer}", run_here)
    [found] = [one for one in report.parts if one.name == part]
    assert found.outcome != "right" and words in found.finding.text


# lists, a slope by a complex step, products without @
ODD_AND_RIGHT = {
    "rms_norm": """
def rms_norm(x, gain, eps):
    root = np.sqrt(np.einsum("btd,btd->bt", x, x) / x.shape[2] + eps)
    xhat = np.moveaxis(np.moveaxis(x, 2, 0) / root, 0, 2)
    return (xhat * gain).tolist(), xhat, (1 / root)[..., np.newaxis].tolist()
""",
    "swiglu_backward": """
def swiglu_backward(dy, x, before, value, w_gate, w1, w2):
    # by a complex step: exact to rounding
    slope = silu(before + 1e-20j).imag / 1e-20
    back = dy @ w2.T
    pieces = [back * value * slope, back * silu(before), silu(before) * value]
    dw_gate, dw1 = [sum(a.T @ b for a, b in zip(x, piece)) for piece in pieces[:2]]
    dw2 = sum(a.T @ b for a, b in zip(pieces[2], dy))
    return pieces[0] @ w_gate.T + pieces[1] @ w1.T, dw_gate, dw1, dw2
""",
    "grouped_queries": """
def grouped_attention(q, k, v):
    groups = np.arange(q.shape[1]) * k.shape[1] // q.shape[1]
    scores = (q[..., None, :] * k[:, groups, None]).sum(-1) * q.shape[-1] ** -0.5
    weights = np.exp(scores) / np.exp(scores).sum(-1)[..., None]
    return (weights[..., None] * v[:, groups, None]).sum(-2), weights
""",
}


@pytest.mark.parametrize("id", ODD_AND_RIGHT)
def test_odd_right_answer_has_all_points(id):
    report = check(case_at(id, 0), f"{course.load(id).key}\n{ODD_AND_RIGHT[id]}", run_here)
    assert report.passed, [part.finding.text for part in report.parts]
