"""Own answers to head scores, the logit lens and the first layer that differs."""

import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from tests.run_here import run_here

COPIES = """
def induction_scores(weights, ids):
    period = np.flatnonzero(ids == ids[0])[1]
    return np.diagonal(weights, -period, axis1=1, axis2=2).mean(-1)
"""
EVERY_EARLIER_ONE = """
def induction_scores(weights, ids):
    T = len(ids)
    same = np.tril(ids[:, None] == ids[None], -1)
    after = np.roll(same, 1, axis=1)
    return (weights * after).sum((1, 2)) / same.any(1).sum()
"""
SHARE_OF_ARGMAX = """
def previous_scores(weights):
    T = weights.shape[1]
    return np.mean(weights[:, 1:].argmax(2) == np.arange(T - 1), axis=1)
"""
RAW_STATES = """
def logit_lens(states, gain, bias, eps, table):
    return np.einsum("ntd,vd->ntv", states, table)
"""
ARGSORT_ONCE = """
def ranks(logits, right):
    order = (-logits).argsort(axis=-1)
    return np.take_along_axis(order, right[None, :, None] + 0 * order[..., :1], -1)[..., 0]
"""
SORTED_UPWARD = """
def ranks(logits, right):
    places = logits.argsort(-1).argsort(-1)
    return places[:, np.arange(len(right)), right]
"""
ALLCLOSE = """
def first_differing_layer(theirs, ours, tolerance):
    for n, (a, b) in enumerate(zip(theirs, ours)):
        if a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=tolerance):
            return n
    return len(theirs)
"""
RELATIVE_ALLCLOSE = """
def first_differing_layer(theirs, ours, tolerance):
    for n, (a, b) in enumerate(zip(theirs, ours)):
        if a.shape != b.shape or not np.allclose(b, a, rtol=tolerance, atol=0):
            return n
    return len(theirs)
"""


@pytest.mark.parametrize(
    ("id", "part", "words", "answer"),
    [
        ("head_scores", "induction scores", "previous occurrence itself", COPIES),
        ("head_scores", "induction scores", "any earlier occurrence", EVERY_EARLIER_ONE),
        ("head_scores", "previous-token scores", "more than at any other", SHARE_OF_ARGMAX),
        ("logit_lens", "logits", "without the final norm", RAW_STATES),
        ("logit_lens", "ranks", "are ids", ARGSORT_ONCE),
        ("logit_lens", "ranks", "smaller logit", SORTED_UPWARD),
        ("first_differing_layer", "first layer", "the tolerance itself", ALLCLOSE),
        ("first_differing_layer", "first layer", "with its own entry", RELATIVE_ALLCLOSE),
    ],
)
def test_wrong_answer_is_named(id, part, words, answer):
    report = check(case_at(id, 0), f"{course.load(id).key}\n{answer}", run_here)
    [found] = [one for one in report.parts if one.name == part]
    assert found.outcome != "right" and words in found.finding.text


# lists, other roads, other types
ODD_AND_RIGHT = {
    "head_scores": """
def previous_scores(weights):
    return [float(np.mean([row[t] for t, row in enumerate(head[1:])])) for head in weights]


def induction_scores(weights, ids):
    T = len(ids)
    wanted = np.zeros((T, T))
    for t in range(T):
        for s in range(t - 1, -1, -1):
            if ids[s] == ids[t]:
                wanted[t, s + 1] = 1
                break
    return np.tensordot(weights, wanted, 2) / wanted.sum()
""",
    "logit_lens": """
def logit_lens(states, gain, bias, eps, table):
    N, T, D = states.shape
    rows = states.reshape(N * T, D)
    deviation = np.sqrt(rows.var(axis=1) + eps)
    xhat = ((rows.T - rows.mean(axis=1)) / deviation).T
    return ((gain * xhat + bias) @ table.T).reshape(N, T, len(table))


def ranks(logits, right):
    below = [[sum(z > row[v] for z in row) for row, v in zip(state, right)] for state in logits]
    return np.array(below, dtype=float)
""",
    "first_differing_layer": """
def first_differing_layer(theirs, ours, tolerance):
    layers = list(zip(theirs, ours))
    while layers:
        a, b = layers[0]
        if np.shape(a) != np.shape(b) or np.abs(a - b).max() / np.abs(a).max() > tolerance:
            break
        layers.pop(0)
    return np.int64(len(theirs) - len(layers))
""",
}


@pytest.mark.parametrize("id", ODD_AND_RIGHT)
def test_odd_right_answer_has_all_points(id):
    report = check(case_at(id, 0), f"{course.load(id).key}\n{ODD_AND_RIGHT[id]}", run_here)
    assert report.passed, [part.finding.text for part in report.parts]
