"""One part of an answer: what came and what was expected, draw by draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature

import numpy as np

from npformer.testing.mismatch import Mismatch

from ..case import N_MORE, Case, Values
from ..definition import Call
from ..execution import Answer, Results
from ..inputs import Draw, letters_in_text, sizes_text
from ..tolerance import same


@dataclass(frozen=True)
class Comparison:
    """A result of a call on some draws: the student's answers and the right values.

    Fields:
        index: which of the call's results it is
        answers: of the call, one per draw
        expected: the right results of the call, one tuple per draw
        further_answers: returns the answers to each wrong call on n further draws
    """

    case: Case
    call: Call
    index: int
    draws: list[Draw]
    answers: list[Answer]
    expected: list[Values]
    further_answers: Callable[[int], dict[str, list[Answer]]]

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
        for answer in self.answers:
            if len(answer.values) != n or isinstance(answer.values[self.index], str):
                return False
        return True

    @cached_property
    def got(self) -> list[np.ndarray]:
        """What came on each draw, where it is `comparable`."""
        return [answer.values[self.index] for answer in self.answers]  # type: ignore[misc]

    @cached_property
    def right(self) -> list[np.ndarray]:
        """What was expected on each draw."""
        return [values[self.index] for values in self.expected]

    @property
    def pairs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """What came and what was expected on each draw."""
        return list(zip(self.got, self.right, strict=True))

    @cached_property
    def agree(self) -> list[bool]:
        """Whether the result is right, for each draw."""
        return [same(got, right) for got, right in self.pairs]

    @cached_property
    def letters(self) -> list[str]:
        """The letters of the sizes, where a student knows them."""
        return letters_in_text(self.case.exercise, self.draws[0])

    def sizes_text(self, index: int) -> str:
        """Return the sizes of a draw in words, empty where a student knows none."""
        return sizes_text(self.case.exercise, self.draws[index])

    def of_result(self, index: int) -> Comparison:
        """Return the same for another result of the call."""
        return replace(self, index=index)

    def fits(self, values: Sequence[np.ndarray]) -> bool:
        """Return whether these are the student's numbers on every draw; NaN equals NaN."""
        if not self.comparable:
            return False
        return all(same(got, value) for got, value in zip(self.got, values, strict=True))

    def wrong(self) -> Mismatch | None:
        """Return the argument of the search for facts.

        None where there are no finite numbers to compare.
        """
        if not self.comparable or not _have_real_numbers([*self.got, *self.right]):
            return None
        got = []
        right = []
        for came, expected in self.pairs:
            got.append(came.astype(np.float64))
            right.append(expected.astype(np.float64))
        for array in [*got, *right]:
            if not np.isfinite(array).all():
                return None

        # facts name the arguments as the student's functions do
        names = self.case.exercise.argument_names(self.call)
        sizes = []
        inputs: list[Mapping[str, object]] = []
        for draw in self.draws:
            sizes.append(draw.sizes)
            named_inputs = {}
            for name, own_name in names.items():
                named_inputs[own_name] = draw.inputs[name]
            inputs.append(named_inputs)
        first_axis = 0
        if self.entries == ():  # a first axis of which nothing should be said
            first_axis = 1
        padded = any(draw.padded for draw in self.draws)
        return Mismatch(got, right, sizes, inputs, self._terms(), first_axis, padded)

    def _terms(self) -> list | None:
        """Return the named terms, whose sum is right, on each draw."""
        function = self.case.exercise.terms.get(self.name)
        if function is None:
            return None
        # the function names as arguments the inputs that it needs
        names = list(signature(function).parameters)
        terms = []
        for draw in self.draws:
            needed = {name: draw.inputs[name] for name in names}
            terms.append(function(**needed))
        return terms

    def with_more(self, n: int = N_MORE) -> Comparison | None:
        """Return the same on `n` further draws as well.

        None where one of them gave no answer.
        """
        answers = self.further_answers(n)[self.call.name]
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
        if n == 0 or not self.comparable:
            return self
        for array in [*self.got, *self.right]:
            if array.shape[:1] != (n,):
                return self

        # so that a mistake in one of the calls is found though the others are right
        draws = []
        answers = []
        expected = []
        for draw, answer, values in zip(self.draws, self.answers, self.expected, strict=True):
            for entry in range(n):
                draws.append(draw)
                answers.append(replace(answer, values=self._with_entry(answer.values, entry)))
                expected.append(self._with_entry(values, entry))
        return replace(self, draws=draws, answers=answers, expected=expected)

    def _with_entry(self, values: Results, entry: int) -> tuple:
        """Return results with one entry in place of the result of this part."""
        changed = list(values)
        changed[self.index] = values[self.index][entry]  # type: ignore[call-overload]
        return tuple(changed)


def _have_real_numbers(arrays: Sequence[np.ndarray]) -> bool:
    return all(array.dtype.kind in "fiub" for array in arrays)
