"""The reason why a part is wrong: the first step that finds one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.testing import facts

from ..case import N_MANY
from ..report import Finding
from ..tolerance import same
from ..words import listed
from .comparison import Comparison
from .crashes_and_types import not_an_answer, not_repeated
from .mistake_pairs import two_mistakes
from .mistakes import known_mistake, swapped
from .questions import question
from .shapes import wrong_shape
from .worst_entry import UNSAID, numbers

OF_LENGTH_ONE = "What do your lines do to an axis of length one?"
FEW_ENTRIES = 4  # as many names are read at once


def explain(comparison: Comparison) -> Finding:
    """Return what is found out about a part that is not right.

    Known mistakes come before the shape, since a mistake may change the shape. Two of them come
    last of these, because the search for them takes longest.
    """
    steps = (
        not_an_answer,
        swapped,
        known_mistake,
        not_repeated,  # what is drawn at random has no mistake's numbers
        two_mistakes,
        wrong_shape,
        fact,
    )
    with np.errstate(all="ignore"):
        try:
            for step in steps:
                finding = step(comparison)
                if finding:
                    return finding
            return numbers(comparison)
        except Exception:  # a student's arrays must never stop a grading
            return Finding("numbers", "", UNSAID)


def explain_smallest(comparison: Comparison) -> Finding:
    """Return what is wrong where every size is 1 with a part that is right on all other draws."""
    finding = not_an_answer(comparison) or wrong_shape(comparison) or numbers(comparison)
    sizes = comparison.sizes_text(0)
    where = f"where {sizes}" if sizes else "where there is one of everything"
    text = f"{comparison.name} is right on larger inputs, but {where}: {finding.text}"
    return Finding("fact", "sizes of 1", text, finding.question or OF_LENGTH_ONE)


def fact(comparison: Comparison) -> Finding | None:
    """Return how the numbers of this part are related to the right ones, on further draws too.

    Few wrong entries are easily at one place by chance, and a single number has a factor by chance:
    such a fact must hold on many draws.
    """
    if comparison.entries:
        return _wrong_entries(comparison, comparison.entries)
    # further draws cost a process: first see whether there is anything that they could confirm
    if _fact(comparison) is None:
        return None
    more = comparison.with_more()
    relation = _fact(more)
    if more is None or relation is None:
        return None

    # these hold easily by chance
    are_single_numbers = all(expected.size == 1 for expected in more.right)
    if relation.id.startswith("only") or are_single_numbers:
        relation = _fact(more.with_more(N_MANY))
        if relation is None:
            return None
    text = f"{comparison.name} {relation.text}"
    return Finding("fact", relation.id, text, question(comparison, relation))


def _fact(comparison: Comparison | None) -> facts.Fact | None:
    """Return the first fact that holds on every draw."""
    if comparison is None:
        return None
    wrong = comparison.wrong()
    if wrong is None:
        return None
    return facts.find(wrong)


def _wrong_entries(comparison: Comparison, entries: Sequence[str]) -> Finding | None:
    """Return which of the named entries of a result are wrong, if others are right."""
    more = comparison.with_more()
    if more is None:
        return None
    apart = more.apart()
    if apart is more:
        return None

    good: list[str] = []
    bad: list[str] = []
    for index, name in enumerate(entries):
        # `apart` has all entries of the first draw, then all of the second, and so on
        on_each_draw = apart.agree[index :: len(entries)]
        if all(on_each_draw):
            good.append(name)
        else:
            bad.append(name)
    if not good or not bad:
        return None

    expected = _expected_where_wrong(apart)
    if expected is not None:
        where = f"is wrong wherever {expected} is expected, and right wherever {not expected} is"
    elif len(entries) <= FEW_ENTRIES:
        where = f"is right {listed(good)}, and wrong {listed(bad)}"
    elif len(bad) <= len(good):
        where = f"is wrong only {listed(bad)}"
    else:
        where = f"is right only {listed(good)}"
    asked = "Which of your lines have a part in what is wrong, and only there?"
    return Finding("fact", f"only {listed(bad)}", f"{comparison.name} {where}", asked)


def _expected_where_wrong(apart: Comparison) -> bool | None:
    """Return the answer, yes or no, that is wrong wherever it is expected, and nowhere else."""
    expected_where_wrong: set[bool] = set()
    expected_where_right: set[bool] = set()
    for got, right in apart.pairs:
        if right.dtype.kind != "b" or right.ndim:
            return None
        where = expected_where_right if same(got, right) else expected_where_wrong
        where.add(bool(right))
    if len(expected_where_wrong) == 1 and not expected_where_wrong & expected_where_right:
        return expected_where_wrong.pop()
    return None
