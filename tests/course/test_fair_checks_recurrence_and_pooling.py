"""Own answers to lstm_step, lstm_backward, pooling and near_first: wrong and right ones."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here

STEP = """
def lstm_step(x, h_old, c_old, w, u, b):
    H = h_old.shape[1]
    z = x @ w + h_old @ u + b
    i = sigmoid(z[:, :H])
    f = sigmoid(z[:, H : 2 * H])
    g = np.tanh(z[:, 2 * H : 3 * H])
    o = sigmoid(z[:, 3 * H :])
    {lines}
"""
BACK = """
def lstm_backward(dh, dc, gates, c_old, c, u):
    i, f, g, o = np.array_split(gates, 4, axis=1)
    tanh_c = np.tanh(c)
    {lines}
    dz = np.concatenate([di * i * (1 - i), df * f * (1 - f), dg * (1 - g**2), do * o * (1 - o)], 1)
    return dz, dz @ u.T, dc_old
"""


def step(*lines):
    return STEP.format(lines="\n    ".join(lines))


def back(*lines):
    return BACK.format(lines="\n    ".join(lines))


WRONG = [  # an exercise, a part of it, part of the finding, an answer
    (
        "lstm_step",
        "h",
        "without tanh",
        step("c = f * c_old + i * g", "return o * c, c, np.hstack([i, f, g, o])"),
    ),
    (
        "lstm_step",
        "c",
        "f multiplies the offer",
        step("c = i * c_old + f * g", "return o * np.tanh(c), c, np.hstack([i, f, g, o])"),
    ),
    (
        "lstm_step",
        "gates",
        "before sigmoid and tanh",
        step("c = f * c_old + i * g", "return o * np.tanh(c), c, z"),
    ),
    (
        "lstm_backward",
        "dc_old",
        "the gradient at the cell is dc alone",
        back(
            "di, df, dg, do = dc * g, dc * c_old, dc * i, dh * tanh_c",
            "dc_old = dc * f",
        ),
    ),
    (
        "lstm_backward",
        "dz",
        "new cell",
        back(
            "at_c = dc + dh * o * (1 - tanh_c**2)",
            "di, df, dg, do = at_c * g, at_c * c, at_c * i, dh * tanh_c",
            "dc_old = at_c * f",
        ),
    ),
    (
        "lstm_backward",
        "dc_old",
        "whatever f is",
        back(
            "at_c = dc + dh * o * (1 - tanh_c**2)",
            "di, df, dg, do = at_c * g, at_c * c_old, at_c * i, dh * tanh_c",
            "dc_old = at_c",
        ),
    ),
    (
        "pooling",
        "y",
        "divided by S",
        "def mean_pool(x, mask): return (x * mask[..., None]).mean(1)",
    ),
    (
        "pooling",
        "y",
        "the mean of all positions",
        "def mean_pool(x, mask): return x.sum(1) / x.shape[1]",
    ),
    (
        "pooling",
        "dx",
        "whatever their number",
        "def mean_pool_backward(dy, mask): return np.where(mask[..., None], dy[:, None], 0)",
    ),
    (
        "near_first",
        "scores",
        "the distance has a sign",
        """
def near_first(scores, slopes):
    j, i = np.meshgrid(np.arange(scores.shape[-1]), np.arange(scores.shape[-1]))
    return scores - slopes.reshape(-1, 1, 1) * (i - j)
""",
    ),
    (
        "near_first",
        "slope",
        "straight line",
        "def slope_for(distance, ratio): return (1.0 - ratio) / distance",
    ),
]


def report_of(id, code, seed):
    exercise = course.load(id)
    return check(case_at(id, seed), exercise.stub + "\n" + code, run_here)


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "part", "says", "code"), WRONG, ids=[f"{id}: {says}" for id, _, says, _ in WRONG]
)
def test_wrong_answer_is_refused_and_named(id, part, says, code, seed):
    [found] = [one for one in report_of(id, code, seed).parts if one.name == part]
    assert found.outcome == "wrong" and found.finding.kind == "mistake"
    assert says in found.finding.text


RIGHT = [
    # a sigmoid that cannot overflow, and lists as results
    (
        "lstm_step",
        step(
            "i, f, o = [0.5 + 0.5 * np.tanh(one / 2) for one in np.split(z, 4, 1)[:2] + [z[:, 3 * H :]]]",
            "c = f * c_old + i * g",
            "return [o * np.tanh(c), c, np.hstack([i, f, g, o])]",
        ),
    ),
    # a matrix for each vector, as in the formulas
    (
        "lstm_step",
        """
def lstm_step(x, h_old, c_old, w, u, b):
    made = {}
    for name, w_1, u_1, b_1 in zip("ifgo", np.split(w, 4, 1), np.split(u, 4, 1), np.split(b, 4)):
        made[name] = x @ w_1 + h_old @ u_1 + b_1
    for name in "ifo":
        made[name] = 1 / (1 + np.exp(-made[name]))
    made["g"] = np.tanh(made["g"])
    c = made["f"] * c_old + made["i"] * made["g"]
    return made["o"] * np.tanh(c), c, np.concatenate(list(made.values()), 1)
""",
    ),
    # with the forward's own h, and 1 / cosh^2 as the slope of tanh
    (
        "lstm_backward",
        back(
            "at_c = np.add(dc, dh * o * np.cosh(c) ** -2.0)",
            "di, df, dg, do = at_c * g, at_c * c_old, at_c * i, dh * tanh_c",
            "dc_old = f * at_c",
        ),
    ),
    # the mask as floats, and a product of matrices
    (
        "pooling",
        """
def mean_pool(x, mask):
    weights = mask.astype(float)
    weights /= weights.sum(1)[:, None]
    return (weights[:, None, :] @ x)[:, 0]


def mean_pool_backward(dy, mask):
    weights = mask.astype(float)
    weights /= weights.sum(1)[:, None]
    return weights[:, :, None] @ dy[:, None, :]
""",
    ),
    # one diagonal after the other, and a float of Python
    (
        "near_first",
        """
def near_first(scores, slopes):
    S = scores.shape[-1]
    distance = np.zeros((S, S))
    for n in range(1, S):
        distance += n * (np.eye(S, k=n) + np.eye(S, k=-n))
    return scores - np.multiply.outer(slopes, distance)


def slope_for(distance, ratio):
    return float(np.log1p(1 / ratio - 1)) / distance
""",
    ),
]


@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize(
    ("id", "code"), RIGHT, ids=[f"{id}-{n}" for n, (id, _) in enumerate(RIGHT)]
)
def test_right_answer_in_an_odd_style_passes(id, code, seed):
    report = report_of(id, code, seed)
    assert report.passed, [part.name for part in report.parts if part.outcome != "right"]
