"""A sum along another axis than the solution's is told by the axis along which it runs."""

import dataclasses

import pytest
from small_exercises import attention, layer_norm, linear, said

from npformer.classroom.diagnosis.wrong_axis import reductions


@pytest.mark.parametrize(
    ("exercise", "part", "edits", "text"),
    [
        (
            layer_norm,
            "dx",
            [("dxhat.mean(-1, keepdims=True)", "dxhat.mean(1, keepdims=True)")],
            "dx is what comes out when a mean runs along the last axis but one",
        ),
        (
            layer_norm,
            "dx",
            [("dxhat.mean(-1,", "dxhat.mean(0,"), ("(dxhat * xhat).mean(-1,", "(dxhat * xhat).mean(0,")],
            "dx is what comes out when two means run along the first axis",
        ),
        (
            attention,
            "weights",
            [("e.sum(-1, keepdims=True)", "e.sum(1, keepdims=True)")],
            "weights is what comes out when a sum runs along the last axis but one",
        ),
    ],
)
def test_the_axis_is_told(exercise, part, edits, text):
    small = dataclasses.replace(exercise, mistakes=(), terms={})
    for seed in range(3):
        found = said(small, part, *edits, seed=seed)
        assert (found.kind, found.text) == ("fact", text) and found.question


def test_what_is_only_near_is_not_told():
    for edit in [
        ("dxhat.mean(-1, keepdims=True)", "1.01 * dxhat.mean(1, keepdims=True)"),
        ("dxhat.mean(-1,", "dxhat.max(1,"),
    ]:
        assert "axis" not in said(dataclasses.replace(layer_norm, mistakes=(), terms={}), "dx", edit).text


def test_the_solutions_own_sums_are_found():
    assert [(one.name, one.axis) for one in reductions(layer_norm)] == [
        ("sum", (0, 1)),
        ("sum", (0, 1)),
        ("mean", -1),
        ("mean", -1),
    ]
    assert [one.axis for one in reductions(linear)] == [(0, 1)]
