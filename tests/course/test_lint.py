"""What lint says of an exercise with a defect, and of a mistake."""

from dataclasses import replace

import numpy as np
import pytest

from npformer.utils import InputError
from npformer_course import course
from npformer_course.cli import lint as verb
from npformer_course.course import stem
from npformer_course.definition import Call, Edit, Mistake
from npformer_course.lint import change_of, find_mistake, problems, report_of
from npformer_course.percent_format import Cell
from npformer_course.report import Report

ID = "layer_norm_backward"
EXERCISE = course.load(ID)
MISTAKE = find_mistake(EXERCISE, "gain_missing")
REPORT = Report(ID, ())
TELLING = Mistake("telling", "dx is odd", *MISTAKE.edits, ask="Is it dxhat = dy * gain?")


def test_an_exercise_without_a_defect_has_no_problem():
    assert list(problems(EXERCISE)) == []


def test_mistakes_that_no_longer_apply_are_named_and_nothing_else_is_tried():
    stale = Mistake("stale", "dx is wrong", Edit("no such line", ""), ask="Why?")
    changed = replace(EXERCISE, mistakes=[*EXERCISE.mistakes, stale], hints=[])
    assert list(problems(changed)) == [
        "exercise layer_norm_backward, mistake stale: 'no such line' stands 0 times in the source, "
        "expected once"
    ]


def constant_gradient(draw, B, T, D):
    return {**EXERCISE.inputs(draw, B, T, D), "dy": np.ones((B, T, D))}


def zeros(student, dy):
    return 0 * dy


def drawn(student, dy):
    return dy + np.random.default_rng().normal()


def failing(student, dy):
    raise ValueError(1)


def infinite(student, dy):
    return np.where(dy > 0, np.inf, dy)


def same(student, dy):
    return dy


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hints": EXERCISE.hints[:2]}, "expected 3 hints, there are 2"),
        ({"alternatives": []}, "alternatives/ is empty"),
        ({"mistakes": EXERCISE.mistakes[:2]}, "expected 3 mistakes or more"),
        ({"mistakes": [MISTAKE] * 4}, "each with an id of its own"),
        ({"difficulty": 6}, "difficulty is 6, expected 1 to 5"),
        ({"importance": 0}, "importance is 0, expected 1 to 5"),
        ({"needs": ("bleu",)}, "it needs bleu, which does not come before it"),
        ({"axes": {"dz": ()}}, "axes names 'dz', which is no part"),
        ({"axes": {"dx": ()}}, "dx: its index says nothing"),
        ({"axes": {"dx": ()}, "where": {"dx": lambda dy: ["here"]}}, "not one place for each"),
        ({"slow": {}}, "slow is empty"),
        ({"slow": {"backward": lambda dy: dy}}, "the slow loops and the solution disagree"),
        ({"inputs": constant_gradient}, "dy is constant"),
        ({"hints": [*EXERCISE.hints[:2], "dxhat = dy * gain"]}, "a line of the solution is in"),
        ({"alternatives": ["def layer_norm_backward(dy, xhat, rstd, gain):\n    return dy, dy, dy"]},
         "alternatives/1.py: dx is wrong"),
        ({"alternatives": ["def ("]}, "alternatives/1.py is not Python: invalid syntax"),
        ({"calls": [Call(failing, {"y": 1})]}, "the solution cannot be run: our own code of layer"),
        ({"prediction": replace(EXERCISE.prediction, answer="z")}, "not among its choices"),
        ({"hints": [*EXERCISE.hints[:2], *["Add 1."] * 2]}, "expected 3 hints, there are 4"),
        ({"mistakes": [*EXERCISE.mistakes, TELLING]}, "a line of the solution is in"),
        ({"sizes": {"B": (3, 3), "T": (3, 3)}}, "draw 0: two sizes are equal, {"),
        ({"cells": [EXERCISE.cells[0], Cell(EXERCISE.key)]},
         "the file as handed out is not unattempted"),
        ({"calls": [Call(drawn, {"y": 1})]}, "the solution has 0 of 2 points"),
        ({"calls": [Call(infinite, {"y": 1})], "slow": {"infinite": infinite}},
         "y: the right result is not finite"),
        ({"calls": [Call(zeros, {"y": 1})], "slow": {"zeros": lambda dy: 0 * dy}},
         "y: the right result is constant in every draw"),
        ({"calls": [Call(same, {"y": 1})], "slow": {"same": lambda dy: dy}, "axes": {}},
         "y: an input would be right"),
    ],
)  # fmt: skip
def test_defect_is_said(change, said):
    found = list(problems(replace(EXERCISE, **change)))
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([Edit("dy.sum((0, 1))", "dy.sum((0, 1), keepdims=False)")], "harmless passes"),
        ([Edit("dxhat = dy * gain", "dxhat = 2 * dy")], "harmless: dx is wrong, named"),
    ],
)
def test_mistake_that_passes_or_looks_like_another_is_said(edits, said):
    # the same change as another mistake, or none at all
    known = Mistake("twice", "dx is odd", Edit("dxhat = dy * gain", "dxhat = 2 * dy"), ask="Why?")
    mistake = Mistake("harmless", "dx is strange", *edits, ask="Why?")
    changed = replace(EXERCISE, mistakes=[*EXERCISE.mistakes, known, mistake])
    assert any(said in problem for problem in problems(changed))


def test_brace_in_a_text_is_said():
    braced = Mistake("braced", "{parts} is wrong", *MISTAKE.edits, ask="Why?")
    changed = replace(EXERCISE, mistakes=[*EXERCISE.mistakes[2:], braced])
    assert "braced: a brace is left in its text" in list(problems(changed))


def test_change_of_a_mistake_is_a_diff_of_the_solution():
    assert change_of(EXERCISE, MISTAKE) == [
        "     dbias = dy.sum((0, 1))",
        "-    dxhat = dy * gain",
        "+    dxhat = dy",
        "     along_ones = dxhat.mean(-1, keepdims=True)",
    ]


def test_report_of_a_mistake_is_what_a_student_is_told():
    [dx] = [part for part in report_of(EXERCISE, MISTAKE).parts if part.name == "dx"]
    assert (dx.outcome, dx.finding.text) == ("wrong", "dx does not depend on the gain")


def test_verb_says_what_is_wrong_and_shows_a_mistake(command, monkeypatch):
    status, out, _ = command("course", "lint", "layer_norm")
    assert status == 0 and out.startswith(f"{stem('layer_norm')}: ") and "0 problems" in out

    status, out, _ = command("course", "lint", "layer_norm_backward", "--show", "gain_missing")
    assert status == 0
    assert "+    dxhat = dy\n" in out and "dx does not depend on the gain" in out

    status, out, err = command("course", "lint", "layer_norm_backward", "--show", "gain_misssing")
    assert status == 2 and "did you mean gain_missing?" in err

    exercise = replace(EXERCISE, hints=[])
    monkeypatch.setattr(course, "load", lambda name: exercise)
    status, out, _ = command("course", "lint", "layer_norm_backward")
    assert status == 1 and out.startswith("expected 3 hints, there are 0\n")


def test_verb_counts_what_there_is_at_a_seed(command, monkeypatch):
    seeds = []
    monkeypatch.setattr(verb, "problems", lambda exercise, seed: [f"problem of seed {seed}"])
    monkeypatch.setattr(verb, "report_of", lambda *asked: seeds.append(asked[2]) or REPORT)
    exercise = replace(EXERCISE, mistakes=EXERCISE.mistakes[:1])
    monkeypatch.setattr(course, "load", lambda name: exercise)
    out = command("course", "lint", ID, "--seed", "3").out
    others = f"{len(EXERCISE.alternatives)} other solutions"
    assert out == f"problem of seed 3\n{stem(ID)}: 1 mistake, {others}, 1 problem\n"
    command("course", "lint", ID, "--seed", "3", "--show", EXERCISE.mistakes[0].id)
    assert seeds == [3]


def test_mistake_with_another_name_than_all_others_is_refused():
    with pytest.raises(InputError, match=r"layer_norm_backward has no mistake 'zz'$"):
        find_mistake(EXERCISE, "zz")
