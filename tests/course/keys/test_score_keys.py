"""The keys of the exercises on scores, against what they stand for."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.definition import module_of

BOOTSTRAP = module_of(course.load("bootstrap_interval").key)
CEILING = module_of(course.load("score_ceiling").key)


def test_interval_is_that_of_the_standard_error():
    rng = np.random.default_rng(0)
    # of many draws of many sentences, the means have a normal distribution
    a = rng.normal(60, 10, 400)
    b = a - 1 + rng.normal(0, 6, 400)
    draws = rng.integers(400, size=(4000, 400))
    low, high = BOOTSTRAP.bootstrap_interval(a, b, draws, 0.95)
    differences = a - b
    error = differences.std() / 20
    assert low == pytest.approx(differences.mean() - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(differences.mean() + 1.96 * error, abs=0.1 * error)


def test_no_model_is_above_the_ceiling():
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.ones(6), 20)
    ceiling = CEILING.score_ceiling(q)
    for _ in range(50):
        assert CEILING.expected_match(rng.dirichlet(0.2 * np.ones(6), 20), q) < ceiling
    best = np.eye(6)[q.argmax(-1)]
    assert CEILING.expected_match(best, q) == pytest.approx(ceiling)
    assert CEILING.search_ceiling(q, 20) < ceiling


def test_expected_match_is_how_often_drawn_answers_match():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(4), (2, 1))
    answers = rng.choice(4, 20_000, p=p[0])
    references = rng.choice(4, 20_000, p=q[0])
    assert CEILING.expected_match(p, q) == pytest.approx(np.mean(answers == references), abs=0.02)


def test_ceiling_of_equally_usual_answers_is_one_of_k():
    q = np.zeros((2, 5))
    q[0, :4] = 1 / 4
    q[1, 2:] = 1 / 3
    assert CEILING.score_ceiling(q) == pytest.approx((1 / 4 + 1 / 3) / 2)
