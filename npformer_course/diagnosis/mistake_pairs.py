"""Two known mistakes in one answer, where no single one gives the student's numbers."""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import combinations
from types import FrameType
from typing import Any, cast

from npformer.utils import InputError

from ..case import Case, Values
from ..definition import PART, Exercise, Mistake, module_of
from ..execution import make_call
from ..report import Finding
from ..tolerance import error, same
from .comparison import Comparison
from .mistakes import all_results, gives_numbers, spoils, values_of

# The search for one part may run this many lines of our own code: about two seconds. Lines and not
# seconds, so that the same answer gets the same report on every machine.
MAX_LINES = 100_000
MAX_LINES_OF_RUN = 50_000  # no exercise needs as many; two mistakes may make an endless loop
LINES_OF_LOADING = 300  # loading a file takes as long as so many lines
N_KEPT = 5000  # results of pairs, which other answers of a class need too
FARTHEST = 10.0  # an error of this size or more says that nothing is alike


def two_mistakes(comparison: Comparison) -> Finding | None:
    """Return two mistakes of the exercise that together give the student's numbers.

    They edit different places of the solution, and give these numbers on further draws too.
    """
    if not comparison.comparable:
        return None
    if all(comparison.agree):
        return None

    index = comparison.agree.index(False)  # the first that is wrong
    n_lines = 0
    for first, second in _likely_pairs(comparison):
        results, n_of_run = _run_once(comparison.case, first, second, comparison.call.name, index)
        n_lines += n_of_run
        if n_lines > MAX_LINES:
            return None
        # one draw first: nearly all pairs give other numbers already there
        if not results or not same(comparison.got[index], results[comparison.index]):
            continue
        if _explain(first, second, comparison):
            return _finding(first, second, comparison.name)
    return None


def _likely_pairs(comparison: Comparison) -> list[tuple[Mistake, Mistake]]:
    """Return the pairs of mistakes that may be in an answer, the most likely first."""
    # an answer with two mistakes is closer to those with one of them than to others
    distances = {}
    for mistake in comparison.case.exercise.mistakes:
        if any(spoils(mistake, result) for result in all_results(comparison)):
            distances[mistake] = _distance(mistake, comparison)
    ranked = sorted(distances, key=lambda mistake: distances[mistake])
    pairs = []
    for i, j in sorted(combinations(range(len(ranked)), 2), key=sum):
        pairs.append((ranked[i], ranked[j]))
    return pairs


def _distance(mistake: Mistake, comparison: Comparison) -> float:
    """Return how far the student's numbers are from those of a mistake, over all draws."""
    distance = 0.0
    for got, value in zip(comparison.got, values_of(mistake, comparison), strict=True):
        distance += min(error(got, value), FARTHEST)
    return distance


@lru_cache(N_KEPT)
def _run_once(
    case: Case, first: Mistake, second: Mistake, call: str, index: int
) -> tuple[Values, int]:
    """Return the results of a call with two mistakes on one draw, and the lines that it took.

    There are no results where the mistakes overlap, the call fails, or it gives no arrays.
    """
    text = with_both(case.exercise, first, second)
    if not text:
        return (), 0
    with _LineCounter() as counter:
        try:
            module = module_of(text)
            answer = make_call(module, case.exercise.call(call), case.draws[index].inputs)
            results = answer.values
        except Exception:  # the file cannot be loaded
            results = ()
    if any(isinstance(result, str) for result in results):  # no array
        results = ()
    return cast(Values, results), LINES_OF_LOADING + counter.n


def with_both(exercise: Exercise, first: Mistake, second: Mistake) -> str:
    """Return the solution with two mistakes, empty where they edit the same place."""
    texts = []
    for edits in (first.edits + second.edits, second.edits + first.edits):
        text = exercise.key
        try:
            for edit in edits:
                text = edit.apply(text)
        except InputError:
            return ""
        texts.append(text)
    # edits of different places give the same in either order
    return texts[0] if texts[0] == texts[1] else ""


class _LineCounter:
    """Counts the lines of our own code that run, and ends a run that has too many."""

    def __init__(self) -> None:
        self.n = 0

    def __enter__(self) -> _LineCounter:
        self.before = sys.gettrace()  # of a debugger, or a measurement of coverage
        sys.settrace(self._trace)
        return self

    def __exit__(self, *error: object) -> None:
        sys.settrace(self.before)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != "answer.py":  # the name that `module_of` gives
            return None
        if event == "line":
            self.n += 1
            if self.n > MAX_LINES_OF_RUN:
                raise RuntimeError("our own code, with two mistakes, comes to no end")
        return self._trace


def _explain(first: Mistake, second: Mistake, comparison: Comparison) -> bool:
    """Return whether two mistakes give the student's numbers on all draws, further ones too."""
    text = with_both(comparison.case.exercise, first, second)
    concerned = [comparison]
    # a text that names no part is about all results
    if not (PART in first.says and PART in second.says):
        concerned = all_results(comparison)
    with _LineCounter():
        return gives_numbers(text, comparison.with_more() or comparison, concerned)


def _finding(first: Mistake, second: Mistake, part: str) -> Finding:
    """Return what both mistakes say and ask.

    Each fact is true of an answer with that mistake alone, and the finding says so. They are lines
    of one text.
    """
    fact, question = first.describe(part)
    other_fact, other_question = second.describe(part)
    lines = [
        "two mistakes together give these numbers; what comes of each by itself:",
        f"1. {fact}",
        f"2. {other_fact}",
    ]
    questions = f"1. {question}\n2. {other_question}"
    return Finding("mistake", f"{first.id} + {second.id}", "\n".join(lines), questions)
