"""An exercise at one seed: its draws, the right results on them, and the results of each known mistake."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from inspect import signature

import numpy as np

from . import course
from .execution import Job, make_call
from .exercise import Call, Exercise, module_of
from .inputs import N_DRAWS, Sample, draw

Values = tuple[np.ndarray, ...]
N_MORE = 5  # further draws on which a fact must hold
N_MANY = 20  # further draws where a few may agree by chance; ids and masks are drawn freely


class Case:
    """An exercise with its draws at a seed; only our own code runs here."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        self.seed = seed
        self.draws: list[Sample] = [draw(exercise, seed, index) for index in range(N_DRAWS)]
        self._further: dict[int | tuple[str, int], list] = {}

    def jobs(
        self, calls: Iterable[Call] | None = None, draws: list[Sample] | None = None
    ) -> list[Job]:
        """Return every call on every draw, call by call."""
        return [
            (call.name, one.inputs)
            for call in calls or self.exercise.calls
            for one in draws or self.draws
        ]

    @cached_property
    def expected(self) -> dict[str, list[Values]]:
        """The right results of each call, on each draw."""
        return self.values_of(self.exercise.key, self.exercise.calls)

    def further(self, n: int) -> list[Sample]:
        """Return `n` further draws, N_MORE or N_MANY."""
        if n not in self._further:
            first, loose = (N_DRAWS, False) if n == N_MORE else (N_DRAWS + N_MORE, True)
            self._further[n] = [
                draw(self.exercise, self.seed, first + i, loose=loose) for i in range(n)
            ]
        return self._further[n]

    def expected_further(self, call: Call, n: int) -> list[Values]:
        """Return the right results of a call on `n` further draws."""
        if (call.name, n) not in self._further:
            self._further[call.name, n] = self.values_of(
                self.exercise.key, [call], self.further(n)
            )[call.name]
        return self._further[call.name, n]

    @cached_property
    def mistaken(self) -> dict[str, dict[str, list[Values]]]:
        """The results of each mistake, by its id."""
        exercise = self.exercise
        return {
            one.id: self.values_of(exercise.mistaken(one), exercise.calls)
            for one in exercise.mistakes
        }

    def places(self, part: str, one: Sample) -> list[str]:
        """Return where each entry of a part is, in the exercise's own words."""
        where = self.exercise.where[part]
        return where(**{name: one.inputs[name] for name in signature(where).parameters})

    def values_of(
        self, text: str, calls: Iterable[Call], draws: list[Sample] | None = None
    ) -> dict[str, list[Values]]:
        """Run our own code: for each call, its results on each draw."""
        module, values = module_of(text), {}
        for call in calls:
            answers = [make_call(module, call, one.inputs) for one in draws or self.draws]
            for answer in answers:
                if answer.state != "done":
                    raise RuntimeError(
                        f"our own code of {self.exercise.id}, line {answer.line}: {answer.error}"
                    )
            values[call.name] = [answer.values for answer in answers]
        return values


@cache
def case_at(id: str, seed: int) -> Case:
    """Return an exercise at a seed, the same object each time: a student saves often."""
    return Case(course.load(id), seed)
