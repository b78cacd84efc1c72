"""The keys of head scores, the logit lens and the first layer that differs, against npformer."""

import numpy as np
import pytest

from npformer import layers
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of


def check_head_scores(key, a):
    weights = a["weights"]
    T = len(a["ids"])
    period = 3
    ids = np.resize([5, 8, 6], T)
    found = key.previous_scores(weights), key.induction_scores(weights, ids)
    # in a repeated segment both are means over a diagonal
    rows = np.arange(period, T)
    np.testing.assert_allclose(found[0], np.diagonal(weights, -1, 1, 2).mean(1))
    np.testing.assert_allclose(found[1], weights[:, rows, rows - period + 1].mean(1))

    # heads that do nothing else
    only_previous = np.eye(T, k=-1)
    only_induction = np.eye(T, k=1 - period)
    two_heads = np.array([only_previous, only_induction])
    scores = key.previous_scores(two_heads), key.induction_scores(two_heads, ids)
    expected = [[1, float(period == 2)], [float(period == 2), 1]]
    np.testing.assert_allclose(scores, expected)


def check_logit_lens(key, a):
    V, D = a["table"].shape
    norm = layers.LayerNorm(D, eps=a["eps"], dtype="float64")
    norm.gain.data[...] = a["gain"]
    norm.bias.data[...] = a["bias"]
    generator = layers.Generator(V, D, rng=0, dtype="float64")
    generator.table.data[...] = a["table"]
    expected = generator.forward(norm.forward(a["states"]))
    found = key.logit_lens(a["states"], a["gain"], a["bias"], a["eps"], a["table"])
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-11)

    places = np.argsort(np.argsort(-a["logits"], -1), -1)
    found = key.ranks(a["logits"], a["right"])
    assert found.dtype.kind == "i"
    np.testing.assert_array_equal(found, places[:, np.arange(len(a["right"])), a["right"]])


def check_first_differing_layer(key, a):
    n_layers = len(a["theirs"])
    # the places at which the arrays were made to differ
    for ours in (*a["each_ours"], *a["each_reshaped"]):
        expected = n_layers
        for n in reversed(range(n_layers)):
            array = a["theirs"][n]
            limit = a["tolerance"] * np.linalg.norm(array.ravel(), np.inf)
            same_shape = array.shape == ours[n].shape
            if not (same_shape and np.allclose(array, ours[n], rtol=0, atol=limit)):
                expected = n
        assert key.first_differing_layer(a["theirs"], ours, a["tolerance"]) == expected
    assert key.first_differing_layer(a["theirs"], a["each_ours"][1], a["tolerance"]) == n_layers
    assert key.first_differing_layer(a["theirs"], a["each_ours"][2], a["tolerance"]) == 1
    assert key.first_differing_layer(a["theirs"], a["each_ours"][4], a["tolerance"]) == 0


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "check", [check_head_scores, check_logit_lens, check_first_differing_layer]
)
def test_key_equals_npformer(check, seed):
    case = Case(course.load(check.__name__.removeprefix("check_")), seed)
    for drawn in case.draws:
        check(module_of(case.exercise.key), drawn.inputs)
