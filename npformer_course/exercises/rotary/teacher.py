"""How the answers to rotary are checked."""

import math

import numpy as np

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import rotary_scores_slowly, rotate_slowly


def inputs(draw, B, H, T, P, L):
    """Draw T queries and L + T keys with 2 P features, and a gradient for each result."""
    S = L + T
    K = 2 * P
    return {
        "x": draw.normal(B, H, T, K),
        "dy": draw.normal(B, H, T, K),
        "start": draw.whole(0, 20) + 1,
        "q": draw.normal(B, H, T, K),
        "k": draw.normal(B, H, S, K),
        "dscores": draw.normal(B, H, T, S),
    }


def forward(student, x, start):
    return student.rotate(x, start)


def backward(student, dy, start):
    return student.rotate_backward(dy, start)


def scores(student, q, k):
    return student.rotary_scores(q, k)


def scores_backward(student, dscores, q, k):
    return student.rotary_scores_backward(dscores, q, k)


def backward_slowly(dy, start):
    """Turn by the angles of the positions -start, -start - 1, ..."""
    dx = np.zeros(dy.shape)
    for n in range(dy.shape[-2]):
        dx[..., [n], :] = rotate_slowly(dy[..., [n], :], -start - n)
    return dx


def scores_backward_slowly(dscores, q, k):
    """Add up what each score passes on."""
    dq = np.zeros(q.shape)
    dk = np.zeros(k.shape)
    T, K = q.shape[2:]
    S = k.shape[2]
    for t, s in np.ndindex(T, S):
        passed = dscores[:, :, t, s, None] / math.sqrt(K)
        distance = s - (S - T + t)
        dq[:, :, t] += passed * rotate_slowly(k[:, :, [s]], distance)[:, :, 0]
        dk[:, :, s] += passed * rotate_slowly(q[:, :, [t]], -distance)[:, :, 0]
    return dq, dk


EXERCISE = Exercise(
    minutes=40,
    difficulty=3,
    importance=2,
    needs=("attention_backward", "positions"),
    inputs=inputs,
    sizes={"P": (2, 4), "L": (0, 5)},
    calls=[
        Call(forward, {"rotated x": 3}),
        Call(backward, {"dx": 2}),
        Call(scores, {"scores": 2}),
        Call(scores_backward, {"dq": 2, "dk": 2}),
    ],
    slow={
        "forward": rotate_slowly,
        "backward": backward_slowly,
        "scores": rotary_scores_slowly,
        "scores_backward": scores_backward_slowly,
    },
    prediction=Prediction(
        "A head has 64 features, so 32 pairs. How far has the slowest of them turned at position "
        "1000?",
        {
            "a": "not at all: its angle is 0 at every position",
            "b": "by less than ten degrees",
            "c": "by some full turns",
        },
        answer="b",
        because=(
            "Its angle is 1000 / 10000^(62 / 64) = 0.13 radians, about 8 degrees. Such pairs "
            "hardly say where a word is, and are left to say what it is. The fastest pair has made "
            "159 full turns by then."
        ),
    ),
    hints=[
        "Make the angles first, (N, K / 2): positions as a column, one rate for each pair as a "
        "row. Sine and cosine of this array broadcast over sentences and heads.",
        "rotate: take both halves of all pairs out of x, x[..., 0::2] and x[..., 1::2], before "
        "you write anything, and fill a new array. rotate_backward is the same with the other "
        "sign of the sine.",
        "Scores: both turned, q from position S - T on and k from 0 on, then the product over "
        "sqrt(K). Backward: dscores / sqrt(K) times the turned k is the gradient of the turned "
        "q; turn it back from the same start. For k use the transpose of dscores (its last two "
        "axes) and the turned q.",
    ],
)
