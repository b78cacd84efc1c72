"""Two mistakes at once are said where both together give the numbers, and neither alone does."""

import dataclasses

import pytest
from small_exercises import edited, layer_norm, report, said

from npformer.classroom import index as course

MISSING, OUTSIDE = (" - along_ones", ""), ("return rstd * (", "return (")
ALONE = ("return rstd * (dxhat - along_ones", "return (dxhat")


def test_both_are_said():
    small = dataclasses.replace(layer_norm, terms={})
    for seed in range(3):
        found = said(small, "dx", ALONE, seed=seed)
        assert (found.kind, found.id) == ("mistake", "mean_missing and rstd_missing")
        assert "two mistakes at once" in found.text and "never multiplied by rstd" in found.text
        assert "{" not in found.text + found.question


@pytest.mark.parametrize(
    "edit", [(ALONE[0], "return 1.01 * (dxhat"), (ALONE[0], "return (dxhat - 0.5 * along_ones"), MISSING, OUTSIDE]
)
def test_elsewhere_they_are_not(edit):
    small = dataclasses.replace(layer_norm, terms={})
    assert "at once" not in said(small, "dx", edit).text


@pytest.mark.long
def test_of_the_exercises_own_mistakes_none_is_taken_for_two():
    for id in ("attention", "label_smoothing", "adam"):
        loaded = course.load(id)
        for mistake in loaded.mistakes:
            for part in report(loaded, loaded.mistaken(mistake)).parts:
                assert "at once" not in part.finding.text


def test_a_pair_in_another_style():
    loaded = course.load("attention")
    edits = (" / math.sqrt(q.shape[-1])", ""), ("masked_softmax(scores, mask)", "masked_softmax(scores, mask | True)")
    found = {part.name: part.finding for part in report(loaded, edited(loaded, *edits)).parts}
    assert found["weights"].id == found["y"].id == "not_scaled and mask_forgotten"
    assert found["y"].text.count("y ") > 1
