"""An exercise at one seed: its draws, the right results, and those of each known mistake."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from inspect import signature
from typing import cast

import numpy as np

from . import course
from .definition import Call, Exercise, Mistake, module_of
from .execution import Job, make_call
from .inputs import N_DRAWS, Draw, make_draw, make_smallest_draw

Values = tuple[np.ndarray, ...]
N_MORE = 5  # further draws on which a fact must hold
# further draws where a few agree easily by chance: a single entry that is wrong on every draw may
# well be at the same place on eight; ids and masks are drawn freely
N_MANY = 20


class Case:
    """An exercise with its draws at a seed; only our own code runs here."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        self.seed = seed
        self.draws: list[Draw] = [make_draw(exercise, seed, index) for index in range(N_DRAWS)]
        self.smallest = make_smallest_draw(exercise, seed)
        self._further: dict[int, list[Draw]] = {}
        self._expected_further: dict[tuple[str, int], list[Values]] = {}
        self._mistaken_further: dict[tuple[str, str], list[Values] | None] = {}

    def jobs(
        self, calls: Iterable[Call] | None = None, draws: list[Draw] | None = None
    ) -> list[Job]:
        """Return every call on every draw, call by call."""
        jobs = []
        for call in calls or self.exercise.calls:
            for draw in draws or self.draws:
                jobs.append((call.name, draw.inputs))
        return jobs

    @cached_property
    def expected(self) -> dict[str, list[Values]]:
        """The right results of each call, on each draw."""
        return self.values_of(self.exercise.key, self.exercise.calls)

    @cached_property
    def expected_of_smallest(self) -> dict[str, Values]:
        """The right results of each call on the smallest draw."""
        values = self.values_of(self.exercise.key, self.exercise.calls, [self.smallest])
        return {name: results[0] for name, results in values.items()}

    def further(self, n: int) -> list[Draw]:
        """Return `n` further draws, N_MORE or N_MANY."""
        if n not in self._further:
            # no draw twice: N_DRAWS are of the check itself, and N_MORE follow them
            first = N_DRAWS
            is_loose = n == N_MANY
            if is_loose:
                first += N_MORE
            draws = []
            for index in range(first, first + n):
                draws.append(make_draw(self.exercise, self.seed, index, loose=is_loose))
            self._further[n] = draws
        return self._further[n]

    def expected_further(self, call: Call, n: int) -> list[Values]:
        """Return the right results of a call on `n` further draws."""
        name = call.name
        if (name, n) not in self._expected_further:
            values = self.values_of(self.exercise.key, [call], self.further(n))
            self._expected_further[name, n] = values[name]
        return self._expected_further[name, n]

    @cached_property
    def mistaken(self) -> dict[str, dict[str, list[Values]]]:
        """The results of each mistake, by its id."""
        # the diagnosis compares with these: they are computed once per seed, not per answer
        exercise = self.exercise
        results = {}
        for mistake in exercise.mistakes:
            try:
                results[mistake.id] = self.values_of(exercise.mistaken(mistake), exercise.calls)
            except Exception:  # it fails to run at this seed: its name is lost, and not the check
                # with the right results it spoils nothing, and the diagnosis passes it over
                results[mistake.id] = self.expected
        return results

    def mistaken_further(self, mistake: Mistake, call: Call) -> list[Values] | None:
        """Return the results of a mistake on N_MORE further draws, None where it fails there."""
        # a class makes the same mistakes: the results are computed once
        key = (mistake.id, call.name)
        if key not in self._mistaken_further:
            text = self.exercise.mistaken(mistake)
            try:
                results = self.values_of(text, [call], self.further(N_MORE))[call.name]
            except RuntimeError:
                results = None
            self._mistaken_further[key] = results
        return self._mistaken_further[key]

    def places(self, part: str, draw: Draw) -> list[str]:
        """Return where each entry of a part is, in the exercise's own words."""
        where = self.exercise.where[part]
        # an exercise's function names as arguments the inputs that it needs
        needed = {name: draw.inputs[name] for name in signature(where).parameters}
        return where(**needed)

    def values_of(
        self, text: str, calls: Iterable[Call], draws: list[Draw] | None = None
    ) -> dict[str, list[Values]]:
        """Run our own code: for each call, its results on each draw."""
        module = module_of(text)
        values = {}
        for call in calls:
            results = []
            for draw in draws or self.draws:
                answer = make_call(module, call, draw.inputs)
                if answer.state != "done":
                    raise RuntimeError(
                        f"our own code of {self.exercise.id}, {answer.place}: {answer.error}"
                    )
                results.append(cast(Values, answer.values))
            values[call.name] = results
        return values


@cache
def case_at(id: str, seed: int) -> Case:
    """Return an exercise at a seed, the same object each time: a student saves often."""
    return Case(course.load(id), seed)
