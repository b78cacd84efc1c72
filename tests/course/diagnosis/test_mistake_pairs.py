"""Two known mistakes in one answer are named together where no single one explains it."""

import itertools

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.definition import Call, Edit, Mistake
from npformer_course.diagnosis import mistake_pairs
from npformer_course.diagnosis.mistake_pairs import with_both
from tests.course.diagnosis.small_exercises import exercise, said
from tests.run_here import run_here

SCALED_SUM = """
def scaled_sum(x, w):
    scaled = x * w
    return scaled.sum(-1) + 1
"""
NO_WEIGHT = Mistake(
    "no_weight", "{part} does not have the weights", Edit("x * w", "x"), ask="Where is w?"
)
NO_ONE = Mistake("no_one", "{part} lacks 1", Edit(" + 1", ""), ask="What is added last?")
SQUARED = Mistake(
    "squared", "the weights are squared", Edit("x * w", "x * w**2"), ask="How often does w occur?"
)


def scaled_sum(student, x, w):
    return student.scaled_sum(x, w)


def inputs(draw, B, D):
    return {"x": draw.normal(B, D), "w": draw.normal(D)}


def small(*mistakes, body=SCALED_SUM):
    return exercise("scaled_sum", body, inputs, [Call(scaled_sum, {"y": 1})], mistakes=mistakes)


@pytest.mark.parametrize("mistakes", [(NO_WEIGHT, NO_ONE), (NO_ONE, SQUARED)])
def test_both_mistakes_are_named(mistakes):
    one = small(*mistakes)
    for seed in range(3):
        finding = said(one, "y", mistakes[0].edits[0], mistakes[1].edits[0], seed=seed)
        assert finding.kind == "mistake"
        assert set(finding.id.split(" + ")) == {mistake.id for mistake in mistakes}
        for mistake in mistakes:
            fact, question = mistake.describe("y")
            assert fact in finding.text and question in finding.question
        # each fact is true of one mistake alone, and not of the answer
        assert finding.text.startswith(
            "two mistakes together give these numbers; what comes of each"
        )


def test_single_mistake_comes_before_a_pair():
    also_both = Mistake("both", "{part} is", Edit("x * w", "x"), Edit(" + 1", ""), ask="?")
    one = small(NO_WEIGHT, NO_ONE, also_both)
    assert said(one, "y", ("x * w", "x"), (" + 1", "")).id == "both"


@pytest.mark.parametrize("last", ["sum(-1) + 1e-3", "mean(-1)", "sum(-1) + (x.mean() > 0)"])
def test_answer_close_to_a_pair_is_not_identified_as_it(last):
    one = small(NO_WEIGHT, NO_ONE)
    finding = said(one, "y", ("x * w", "x"), ("sum(-1) + 1", last))
    assert finding.kind != "mistake"


def test_mistakes_that_edit_one_place_are_no_pair():
    one = small(NO_WEIGHT, SQUARED)
    assert with_both(one, NO_WEIGHT, SQUARED) == ""
    assert with_both(one, NO_WEIGHT, NO_WEIGHT) == ""


def test_pair_that_gives_no_array_is_passed_over():
    body = """
def scaled_sum(x, w):
    n = 0
    n -= 0
    return (x * w).sum(-1) + n if n < 2 else None
"""
    from_one = Mistake("from_one", "{part} begins at 1", Edit("n = 0", "n = 1"), ask="?")
    one_more = Mistake("one_more", "{part} has 1 more", Edit("n -= 0", "n += 1"), ask="?")
    finding = said(small(from_one, one_more, body=body), "y", ("x * w", "np.sin(x * w)"))
    assert finding.kind == "numbers" and "entries differ" in finding.text


def test_search_ends_after_some_lines(monkeypatch):
    one = small(NO_WEIGHT, NO_ONE)
    edits = NO_WEIGHT.edits[0], NO_ONE.edits[0]
    assert said(one, "y", *edits).kind == "mistake"
    monkeypatch.setattr(mistake_pairs, "MAX_LINES", 1)
    assert said(one, "y", *edits).kind != "mistake"


def test_endless_loop_of_two_mistakes_ends():
    body = """
def scaled_sum(x, w):
    n = 0
    steps = 0
    while n != 6:
        n += 2
        steps += 1
    return (x * w).sum(-1) + steps
"""
    by_three = Mistake("by_three", "{part} has two steps", Edit("n += 2", "n += 3"), ask="?")
    from_two = Mistake("from_two", "{part} begins at 2", Edit("n = 0", "n = 2"), ask="?")
    one = small(by_three, from_two, body=body)
    assert said(one, "y", ("x * w", "x")).kind != "mistake"


@pytest.mark.long
@pytest.mark.parametrize("id", course.EXERCISES)
def test_planted_pairs_of_mistakes_are_named(id):
    one = course.load(id)
    case = case_at(id, 0)
    rng = np.random.default_rng(one.number)
    pairs = rng.permutation(list(itertools.combinations(one.mistakes, 2)))
    named = 0
    tried = 0
    for first, second in pairs[:6]:
        text = with_both(one, first, second)
        if not text:
            continue
        ids = set()
        for part in check(case, text, run_here).parts:
            ids.update(part.finding.id.split(" + "))
        tried += 1
        named += bool(ids & {first.id, second.id})
    # a pair in which one mistake covers the other, or that raises, may have another reason
    assert named >= tried - 1
