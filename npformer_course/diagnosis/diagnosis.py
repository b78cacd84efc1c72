"""The reason why a part is wrong: the first step that finds one."""

from __future__ import annotations

import numpy as np

from npformer.testing import facts

from ..case import N_MANY
from ..report import Finding
from ..tolerance import same
from .comparison import Comparison
from .crashes_and_types import not_an_answer, not_repeated
from .mistakes import known_mistake, swapped
from .questions import question
from .shapes import wrong_shape
from .worst_entry import UNSAID, numbers


def explain(part: Comparison) -> Finding:
    """Return what is found out about a part that is not right.

    A known mistake comes before the shape, since a mistake may change the shape.
    """
    steps = (not_an_answer, swapped, known_mistake, wrong_shape, not_repeated, fact, numbers)
    with np.errstate(all="ignore"):
        try:
            return next(filter(None, (step(part) for step in steps)))
        except Exception:  # a student's arrays must never stop a grading
            return Finding("numbers", "", UNSAID)


def fact(part: Comparison) -> Finding | None:
    """Return how the numbers of this part are related to the right ones, the same on all draws and further ones.

    Few wrong entries are easily at one place by chance, and a single number has a factor by chance: such a fact must
    hold on many draws.
    """
    if part.entries:
        return _wrong_entries(part)
    more = part.with_more() if _fact(part) else None
    relation = _fact(more)
    if relation and (relation.id.startswith("only") or all(e.size == 1 for e in more.right)):
        relation = _fact(more.with_more(N_MANY))
    return (
        Finding("fact", relation.id, f"{part.name} {relation.text}", question(part, relation))
        if relation
        else None
    )


def _fact(part: Comparison | None) -> facts.Fact | None:
    """Return the first fact that holds on every draw."""
    wrong = part.wrong() if part else None
    return facts.find(wrong) if wrong else None


def _wrong_entries(part: Comparison) -> Finding | None:
    """Return which of the named entries of a result are wrong, if others are right."""
    more, n = part.with_more(), len(part.entries)
    if more is None or (apart := more.apart()) is more:
        return None
    agree = list(map(same, apart.got, apart.right))
    good = [name for k, name in enumerate(part.entries) if all(agree[k::n])]
    bad = [name for name in part.entries if name not in good]
    if not good or not bad:
        return None
    wrong = _listed(bad)
    text = f"{part.name} is right {_listed(good)}, and wrong {wrong}"
    return Finding(
        "fact",
        f"only {wrong}",
        text,
        "Which of your lines have a part in what is wrong, and only there?",
    )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
