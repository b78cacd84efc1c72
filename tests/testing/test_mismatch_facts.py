"""Facts about arrays alone, without an exercise: which ones appear, and when none does."""

import math

import numpy as np
import pytest

from npformer.testing.facts import find
from npformer.testing.mismatch import Fact, Mismatch, broadcasts, error
from npformer.testing.wrong_region import LARGEST_ID

RNG = np.random.default_rng(0)


def wrong(
    spoil, shapes=((2, 3), (4, 5), (4, 4)), letters="BD", *, padded=True, first_axis=0, **inputs
):
    """Return a mismatch: of each shape random numbers are right, and what `spoil` makes of them
    came; each draw has one of the inputs.
    """
    right = [RNG.normal(size=shape) for shape in shapes]
    sizes = [dict(zip(letters, shape, strict=False)) for shape in shapes]
    given = [{name: x[i] for name, x in inputs.items()} for i in range(len(shapes))]
    got = [np.array(spoil(e, **one), float) for e, one in zip(right, given, strict=True)]
    return Mismatch(got, right, sizes, given, first_axis=first_axis, padded=padded)


def of_two(right, spoil):
    """Return a mismatch of two given arrays."""
    return Mismatch([spoil(e) for e in right], right, [{}, {}], [{}, {}])


def noise_at(index):
    def spoil(e, **inputs):
        got = e.copy()
        got[index] = RNG.normal(size=got[index].shape)
        return got

    return spoil


def noise_where(place):
    return lambda e, **inputs: noise_at(place(**inputs))(e)


def last_of(n):
    return (np.arange(n) == n - 1) * 1.0


def scale_rows(e):
    return e * np.sin(1 + np.arange(len(e)))[:, None]


def row(id, text, spoil, **how):
    return pytest.param(spoil, how, Fact(id, text), id=text)


def factor(name, spoil, **how):
    return row(f"factor {name}", f"is right except for a factor {name}", spoil, **how)


def region(place, spoil, *, id="", **how):
    return row(f"only {id or place}", f"is wrong only {place}", spoil, **how)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda e: e + RNG.normal(size=e.shape),
        lambda e: e[0],
        lambda e: e[:, 1:],
        lambda e: e * np.nan,
        lambda e: np.full_like(e, np.inf),
        lambda e: e**3,
        lambda e: e if len(e) == 2 else e**3,
    ],
    ids=["noise", "shape", "columns", "nan", "infinite", "cube", "right on one draw"],
)
def test_no_fact_is_found(spoil):
    assert find(wrong(spoil)) is None


HEADS = {"letters": "DH", "shapes": ((6, 2), (8, 4))}  # D and H of each draw
NO_HEADS = {"letters": "DH", "shapes": ((8, 2), (9, 4))}
IDS = [np.array([[1, 2, 0], [3, 0, 0]]), np.array([[1, 1, 1, 2], [5, 4, 0, 0]])]
OF_IDS = {"shapes": ((2, 3), (4, 5)), "ids": IDS}
KEPT = [np.array([True, True, True, False]), np.array([True] * 7)]
X = [RNG.normal(size=3), RNG.normal(size=5), RNG.normal(size=4)]
DIFFERS = "is right except for one factor, which differs from draw to draw"
ROWS = "is right except for a factor of its own in each row, along the last axis"
FACTS = [
    row("close", "is right to 15 digits of its largest entry", lambda e: e),
    row("close", "is right to 6 digits of its largest entry", lambda e: e * (1 + 1e-6)),
    row("close", "is right to 4 digits of its largest entry", lambda e: e * (1 + 5e-5)),
    row("factor", "is right except for a factor 1.001", lambda e: e * (1 + 8e-4)),
    row("close", "is right to 6 digits", lambda e: e * (1 + 1e-6), shapes=((), ())),
    row("zeros", "is 0 everywhere", lambda e: 0 * e, shapes=((1,), (3,))),
    row("zeros", "is 0", lambda e: 0 * e, shapes=((), ())),
    row("is x", "is x, unchanged", lambda e, x: x, shapes=((3,), (5,), (4,)), x=X),
    row("sign", "has the wrong sign, and is right otherwise", lambda e: -e),
    factor("B", lambda e: e * len(e)),
    factor("B * D", lambda e: e * e.size),
    factor("1/(B * D)", lambda e: e / e.size),
    factor("1/sqrt(D)", lambda e: e / e.shape[1] ** 0.5),
    factor("(B - 1)", lambda e: e * (len(e) - 1), shapes=((3, 4), (4, 6))),
    factor("sqrt(d_k)", lambda e: e * (e.shape[0] / e.shape[1]) ** 0.5, **HEADS),
    row("factor", f"{DIFFERS} (4, 2)", lambda e: e * (e.shape[0] // e.shape[1]), **NO_HEADS),
    factor("1/the number of real tokens", lambda e, ids: e / (ids != 0).sum(), **OF_IDS),
    factor(
        "1/the number of real tokens",
        lambda e, ids, pad_id: e / (ids != 3).sum(),
        **OF_IDS,
        pad_id=[3, 3],
    ),
    row(
        "factor",
        f"{DIFFERS} (0.3333, 0.1667)",
        lambda e, ids: e / (ids != 0).sum(),
        **OF_IDS,
        padded=False,
    ),
    factor("the number of positions", lambda e, ids: e * ids.size, **OF_IDS),
    factor(
        "the number of True in kept",
        lambda e, kept: e * kept.sum(),
        shapes=((2, 4), (4, 5)),
        kept=KEPT,
    ),
    # the nearest of two names
    factor("n", lambda e, n, kept: e * n, shapes=((2, 4), (4, 5)), n=[3, 7], kept=KEPT),
    factor("(1 - p)", lambda e, p: e * (1 - p), p=[0.2, 0.3, 0.45]),
    row("factor", "is right except for a factor 3.7", lambda e: 3.7 * e, shapes=((1, 1), (1, 2))),
    row(
        "factor",
        f"{DIFFERS} (-1, 4.1, 5.1)",
        lambda e: e * (-1 if len(e) == 2 else len(e) + 0.1),
        shapes=((2, 3), (4, 5), (5, 4), (6, 7)),
    ),
    # where two facts hold, the more useful one
    row(
        "factor",
        "is right except for a factor 3.7",
        lambda e, x: e * x,
        x=[np.full(3, 3.7), np.full(5, 3.7), np.full(4, 3.7)],
    ),
    row(
        "plus x",
        "is the right one plus x",
        lambda e, x: e + x,
        x=[last_of(3), last_of(5), last_of(4)],
    ),
    row("times x", "is the right one times x", lambda e, x: e * x, x=X),
    row("divided by x", "is the right one divided by x", lambda e, x: e / x, x=X),
    row("plus x", "is the right one plus x", lambda e, x: e + x, x=X),
    row("minus x", "is the right one minus x", lambda e, x: e - x, x=X),
    row("row factor", ROWS, scale_rows, shapes=((4, 2), (5, 3))),
    row("row factor", ROWS, lambda e: e * (0 if len(e) == 2 else 2)),
]


@pytest.mark.parametrize(("spoil", "how", "fact"), FACTS)
def test_fact_about_all_entries(spoil, how, fact):
    with np.errstate(all="ignore"):
        assert find(wrong(spoil, **how)) == fact


@pytest.mark.parametrize(("noise", "found"), [(3e-7, True), (3e-6, False)])
def test_factor_holds_to_rounding(noise, found):
    def spoil(e):
        got = 2 * e
        got[0, 0] += noise * np.abs(got).max()
        return got

    fact = find(wrong(spoil))
    assert fact == (Fact("factor 2", "is right except for a factor 2") if found else None)


def test_numbers_that_are_easily_multiples_of_others_have_no_factor():
    assert find(wrong(lambda e: 3.7 * e, shapes=((1,), (1,)))) is None
    assert find(wrong(scale_rows, shapes=((4, 2), (5, 2)))) is None
    whole = [np.array([[1.0, 2, 3], [3, 1, 2], [2, 5, 1], [4, 1, 7]])] * 2
    assert find(of_two(whole, scale_rows)) is None


def test_row_of_zeros_has_any_factor():
    right = [RNG.normal(size=(4, 3)) * [[1], [0], [1], [1]] for _ in range(2)]
    with np.errstate(all="ignore"):
        assert find(of_two(right, scale_rows)) == Fact("row factor", ROWS)


def test_dimension_letter_is_named_if_unique():
    case = wrong(lambda e: e / len(e))
    assert find(case).id == "factor 1/B" and case.letter(0) == "B"
    same = Mismatch(case.got[2:], case.expected[2:], case.sizes[2:], case.inputs[2:])
    assert same.letter(0) is None


def test_factor_must_fit_every_draw():
    case = wrong(lambda e: e / (2 if len(e) == 2 else 5))
    assert find(case).id == "factor" and "differs from draw to draw" in find(case).text


AXES = {"letters": "BHTS", "shapes": ((3, 2, 4, 5), (2, 3, 5, 4))}
PLAIN = {"letters": "VD", "shapes": ((3, 5), (4, 4))}
LINE = {"letters": "N", "shapes": ((12,), (11,))}
OF_TEXTS = {"letters": "BTD", "shapes": ((3, 5, 4), (2, 6, 4))}
OF_TABLE = {"letters": "VD", "shapes": ((14, 3), (14, 4))}
MASKS = [RNG.random((3, 5)) > 0.4, RNG.random((2, 6)) > 0.4]
MASKS[0][1] = MASKS[1][0] = False
# 0 occurs twice, and so does another id
WORDS = [
    np.array([[1, 2, 2, 0, 5], [3, 6, 7, 0, 8], [9, 10, 11, 12, 13]]),
    np.array([[4, 4, 1, 2, 3, 5], [6, 7, 0, 8, 9, 0]]),
]


def count(ids):
    return np.bincount(ids.ravel(), minlength=14)


REGIONS = [
    region("at the last sentence", noise_at(-1), **AXES),
    region("at the first head", noise_at(np.s_[:, 0]), **AXES),
    region("after the first position", noise_at(np.s_[:, :, 1:]), **AXES),
    region("before the last source position", noise_at(np.s_[..., :-1]), **AXES),
    region(
        "at source position 1 (counted from 0)",
        noise_at(np.s_[..., 1]),
        id="at one source position",
        **AXES,
    ),
    region("at the last index along axis 0 (V)", noise_at(-1), **PLAIN),
    region("after the first index along axis 0 (V)", noise_at(np.s_[1:]), **PLAIN),
    region(
        "at index 2 along axis 1 (counted from 0)",
        noise_at(np.s_[:, 2]),
        id="at one index along axis 1",
        shapes=PLAIN["shapes"],
        letters="",
    ),
    region(
        "at index 7 along axis 0 (N) (counted from 0)",
        noise_at(7),
        id="at one index along axis 0 (N)",
        **LINE,
    ),
    region(
        "at the first index along axis 0 (N); 0 came there",
        lambda e: e * (np.arange(len(e)) > 0),
        id="at the first index along axis 0 (N)",
        **LINE,
    ),
    region("where the mask is False", noise_where(lambda mask: ~mask), **OF_TEXTS, mask=MASKS),
    region(
        "where kept is True",
        noise_where(lambda kept: kept),
        id="where the mask is True",
        **OF_TEXTS,
        kept=MASKS,
    ),
    region(
        "in the rows of kept without any True",
        noise_where(lambda kept: ~kept.any(-1)),
        id="in rows without any True",
        **OF_TEXTS,
        kept=MASKS,
    ),
    region(
        "where ids has id 0",
        noise_where(lambda ids: ids == 0),
        id="at padding",
        **OF_TEXTS,
        ids=WORDS,
    ),
    region(
        "where ids has id 0",
        noise_where(lambda ids: ids == 0),
        id="at id 0",
        **OF_TEXTS,
        ids=WORDS,
        padded=False,
    ),
    region(
        "where ids has padding",
        noise_where(lambda ids, pad_id: ids == pad_id),
        id="at padding",
        **OF_TEXTS,
        ids=WORDS,
        pad_id=[0, 3],
    ),
    region(
        "where ids has an id more than once",
        noise_where(lambda ids: count(ids)[ids] > 1),
        id="where ids repeat",
        **OF_TEXTS,
        ids=WORDS,
    ),
    region("in the row of id 0", noise_at(0), id="in the row of padding", **OF_TABLE, ids=WORDS),
    region(
        "in the row of id 5",
        noise_at(5),
        id="in the row of padding",
        **OF_TABLE,
        ids=WORDS,
        pad_id=[5, 5],
    ),
    region(
        "in the rows of ids that ids has more than once",
        noise_where(lambda ids: count(ids) > 1),
        id="at repeated ids",
        **OF_TABLE,
        ids=WORDS,
    ),
    region(
        "in the rows of ids that ids has",
        noise_where(lambda ids: count(ids) > 0),
        id="at present ids",
        **OF_TABLE,
        ids=WORDS,
    ),
    region(
        "in the rows of ids that ids does not have",
        noise_where(lambda ids: count(ids) == 0),
        id="at absent ids",
        **OF_TABLE,
        ids=WORDS,
    ),
]


@pytest.mark.parametrize(("spoil", "how", "fact"), REGIONS)
def test_region_that_is_wrong_is_named(spoil, how, fact):
    assert find(wrong(spoil, **how)) == fact


@pytest.mark.parametrize(
    ("spoil", "how"),
    [
        (noise_at(8), LINE),  # of many indices one may be wrong by chance
        (noise_at(-1), {**AXES, "first_axis": 1}),
        (noise_at(...), {**OF_TEXTS, "no_ids": [ids - 1 for ids in WORDS]}),
        (noise_at(...), {**OF_TEXTS, "no_ids": [ids + LARGEST_ID**3 for ids in WORDS]}),
        (noise_at(...), {**PLAIN, "ids_of_another_table": WORDS}),
    ],
)
def test_no_region_is_found(spoil, how):
    assert find(wrong(spoil, **how)) is None


def test_region_must_be_wrong_on_two_draws():
    last = noise_at(-1)
    once, twice = ([0, 1, 0], [1, 1, 0])
    assert find(wrong(lambda e, n: last(e) if n else e, n=once)) is None
    fact = find(wrong(lambda e, n: last(e) if n else e, n=twice))
    assert fact.id == "only at the last sentence"


def test_region_must_be_a_part_of_the_array_on_most_draws():
    everywhere = np.ones((2, 6), bool)
    shown = noise_where(lambda mask: mask)
    few = wrong(shown, ((3, 5, 4), (2, 6, 4)), "BTD", mask=[MASKS[0], everywhere])
    most = wrong(shown, ((3, 5, 4), (2, 6, 4), (2, 6, 4)), "BTD", mask=[*MASKS, everywhere])
    assert find(few) is None
    assert find(most).id == "only where the mask is True"


def test_region_outside_of_which_all_is_zero_tells_nothing():
    right = [RNG.normal(size=(4, 3)) * [[0], [0], [0], [1]] for _ in range(2)]
    with np.errstate(all="ignore"):
        assert find(of_two(right, noise_at(-1))) is None


def test_coincidentally_correct_entries_form_no_region():
    right = [np.array([[1, 1, 1], [1, 0, 0], [1, 1, 0]], float)] * 2
    fact = find(Mismatch([np.ones((3, 3))] * 2, right, [{"B": 3, "T": 3}] * 2, [{}] * 2))
    assert fact is None or not fact.id.startswith("only")
    # of whole numbers more must be right than wrong
    assert find(of_two(right, noise_at(np.s_[1:]))) is None
    assert find(of_two(right, noise_at(-1))).id == "only at the last index along axis 0"
    mixed = [right[0], RNG.normal(size=(3, 3))]
    fact = find(of_two(mixed, noise_at(np.s_[1:])))
    assert fact.id == "only after the first index along axis 0"


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
    assert len(list(broadcasts([np.ones(1), np.ones(1)], like))) == 2


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([4.0, 1.0], [8.0, 1.0], 0.5),
        ([0.25, 0.0], [0.0, 0.0], 0.25),
        ([], [], 0),
        ([1.0], [1.0, 1.0], math.inf),
        ([math.nan], [1.0], math.inf),
        ([1.0], [math.inf], math.inf),
    ],
)
def test_error_is_a_part_of_the_largest_right_entry(a, b, expected):
    assert error(np.array(a), np.array(b)) == expected
