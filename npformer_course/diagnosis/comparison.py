"""One part of an answer: what came and what was expected, draw by draw."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature

import numpy as np

from npformer.testing.mismatch import Mismatch

from ..case import N_MORE, Case, Values
from ..execution import Answer
from ..exercise import Call
from ..inputs import Sample
from ..tolerance import same


@dataclass(frozen=True)
class Comparison:
    """A result of a call on some draws: the student's answers and the right values."""

    case: Case
    call: Call
    index: int
    draws: list[Sample]
    answers: list[Answer]
    expected: list[Values]
    again: Callable[
        [int], dict[str, list[Answer]]
    ]  # the answers to each wrong call on n further draws

    @property
    def name(self) -> str:
        """The name of the part."""
        return list(self.call.parts)[self.index]

    @property
    def entries(self) -> tuple[str, ...] | None:
        """The names of the entries along a first axis that comes of several calls in `run`.

        None where there is no such axis; empty where nothing should be said about it.
        """
        return self.case.exercise.axes.get(self.name)

    @cached_property
    def comparable(self) -> bool:
        """Whether every draw gave as many results as it should, and this one is an array."""
        n = len(self.call.parts)
        return all(
            len(a.values) == n and not isinstance(a.values[self.index], str) for a in self.answers
        )

    @cached_property
    def got(self) -> list[np.ndarray]:
        """What came on each draw, where it is `comparable`."""
        return [answer.values[self.index] for answer in self.answers]

    @cached_property
    def right(self) -> list[np.ndarray]:
        """What was expected on each draw."""
        return [values[self.index] for values in self.expected]

    def fits(self, values: list[np.ndarray]) -> bool:
        """Tell whether these are the student's numbers on every draw; NaN equals NaN."""
        return self.comparable and all(map(same, self.got, values))

    def wrong(self) -> Mismatch | None:
        """Return the argument of the search for facts, or None where there are no finite numbers to compare."""
        if not self.comparable or not all(x.dtype.kind in "fiub" for x in [*self.got, *self.right]):
            return None
        got, right = ([x.astype(np.float64) for x in arrays] for arrays in (self.got, self.right))
        if not all(np.isfinite(x).all() for x in [*got, *right]):
            return None
        sizes = [one.sizes for one in self.draws]
        names = self.case.exercise.argument_names(self.call)
        inputs = [{own: one.inputs[name] for name, own in names.items()} for one in self.draws]
        if terms := self.case.exercise.terms.get(self.name):  # named ones, whose sum is right
            terms = [
                terms(**{name: one.inputs[name] for name in signature(terms).parameters})
                for one in self.draws
            ]
        first_axis = 1 if self.entries == () else 0
        return Mismatch(
            got, right, sizes, inputs, terms, first_axis, any(one.padded for one in self.draws)
        )

    def with_more(self, n: int = N_MORE) -> Comparison | None:
        """Return the same on `n` further draws as well, or None where one of them gave no answer."""
        answers = self.again(n)[self.call.name]
        if any(answer.state != "done" for answer in answers):
            return None
        return replace(
            self,
            draws=[*self.draws, *self.case.further(n)],
            answers=[*self.answers, *answers],
            expected=[*self.expected, *self.case.expected_further(self.call, n)],
        )

    def apart(self) -> Comparison:
        """Return the same with each of `entries` as a draw of its own."""
        n = len(self.entries or ())
        if (
            not n
            or not self.comparable
            or any(x.shape[:1] != (n,) for x in [*self.got, *self.right])
        ):
            return self
        draws = [one for one in self.draws for _ in range(n)]
        answers = [
            replace(one, values=self._with_entry(one.values, k))
            for one in self.answers
            for k in range(n)
        ]
        expected = [self._with_entry(right, k) for right in self.expected for k in range(n)]
        return replace(self, draws=draws, answers=answers, expected=expected)

    def _with_entry(self, values: Values, k: int) -> Values:
        """Return results with one entry in place of the result of this part."""
        return tuple(value[k] if i == self.index else value for i, value in enumerate(values))
