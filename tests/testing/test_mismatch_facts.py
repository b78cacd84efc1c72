"""Facts about arrays alone, without an exercise: which ones appear, and when none does."""

import numpy as np
import pytest

from npformer.testing.facts import find
from npformer.testing.mismatch import Mismatch, broadcasts

RNG = np.random.default_rng(0)


def wrong(spoil, shapes=((2, 3), (4, 5), (4, 4)), letters="BD", **inputs):
    right = [RNG.normal(size=shape) for shape in shapes]
    sizes = [dict(zip(letters, shape, strict=False)) for shape in shapes]
    given = [{name: x[i] for name, x in inputs.items()} for i in range(len(shapes))]
    return Mismatch([np.array(spoil(e), float) for e in right], right, sizes, given)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda e: e + RNG.normal(size=e.shape),
        lambda e: e[0],
        lambda e: e * np.nan,
        lambda e: np.full_like(e, np.inf),
        lambda e: e**3,
    ],
    ids=["noise", "shape", "nan", "infinite", "cube"],
)
def test_no_fact_is_found(spoil):
    assert find(wrong(spoil)) is None


def test_dimension_letter_is_named_if_unique():
    case = wrong(lambda e: e / len(e))
    assert find(case).id == "factor 1/B" and case.letter(0) == "B"
    same = Mismatch(case.got[2:], case.expected[2:], case.sizes[2:], case.inputs[2:])
    assert same.letter(0) is None


def test_factor_must_fit_every_draw():
    case = wrong(lambda e: e / (2 if len(e) == 2 else 5))
    assert find(case).id == "factor" and "differs from draw to draw" in find(case).text


def test_scalar_input_is_found_as_a_factor():
    rates = [0.2, 0.3, 0.45]
    case = wrong(lambda e: e, p=rates)
    got = [e * (1 - p) for e, p in zip(case.expected, rates, strict=True)]
    assert find(Mismatch(got, case.expected, case.sizes, case.inputs)).id == "factor (1 - p)"


def test_coincidentally_correct_entries_form_no_region():
    right = [np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0]], float)] * 2
    fact = find(Mismatch([np.ones((3, 3))] * 2, right, [{"B": 3, "T": 3}] * 2, [{}] * 2))
    assert fact is None or not fact.id.startswith("only")


def test_first_of_several_regions_of_one_size_is_named():
    def spoil(e):
        return np.append(e[:1], RNG.normal(size=e[1:].shape), axis=0)

    # of two sentences the last is also the one after the first, and number 1
    assert find(wrong(spoil, shapes=((2, 3), (2, 5), (2, 4)))).id == "only at the last sentence"


def test_broadcast_must_fit_every_draw():
    like = [np.ones((3, 2)), np.ones((2, 2))]
    assert [[a.shape for a in way] for way in broadcasts([np.ones(3), np.ones(2)], like)] == [
        [(3, 1), (2, 1)]
    ]
    assert list(broadcasts([np.ones(5), np.ones(5)], like)) == []
