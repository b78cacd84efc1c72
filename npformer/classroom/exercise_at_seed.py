"""An exercise at one seed: its draws, what is right on them, and what each known mistake gives, worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from inspect import signature

import numpy as np

from . import index as course
from .argument_names import arguments
from .execution import Answer, Job, make_call
from .exercise import Call, Exercise, module_of
from .inputs import Drawn, draws

Values = tuple[np.ndarray, ...]


class Case:
    """An exercise with its draws at a seed; only code of ours runs here."""

    def __init__(self, exercise: Exercise, seed: int):
        self.exercise = exercise
        self.seed = seed
        self.known_arguments: dict[str, dict[str, str]] = {}

    @cached_property
    def drawn(self) -> list[Drawn]:
        """The draws."""
        return draws(self.exercise, self.seed)

    @cached_property
    def jobs(self) -> list[Job]:
        """Every call on every draw, call by call."""
        return [Job(call.name, drawn.inputs) for call in self.exercise.calls for drawn in self.drawn]

    @cached_property
    def expected(self) -> dict[str, list[Values]]:
        """What is right: for each call the results on each draw."""
        return self.values_of(self.exercise.key)

    @cached_property
    def mistaken(self) -> dict[str, dict[str, list[Values]]]:
        """What each mistake gives instead, by its id."""
        mistakes = self.exercise.mistakes
        return {mistake.id: self.values_of(self.exercise.mistaken(mistake)) for mistake in mistakes}

    def arguments(self, call: Call) -> dict[str, str]:
        """Return what the student's functions call the inputs of a call."""
        if call.name not in self.known_arguments:
            first, *others = (arguments(self.exercise.key, call, drawn.inputs) for drawn in self.drawn)
            same = {name: path for name, path in first.items() if all(o.get(name) == path for o in others)}
            self.known_arguments[call.name] = same
        return self.known_arguments[call.name]

    def words_for(self, part: str, drawn: Drawn) -> list[str]:
        """Return where each entry of a part is, in the exercise's own words."""
        where = self.exercise.where[part]
        return where(**{name: drawn.inputs[name] for name in signature(where).parameters})

    def prepare(self) -> None:
        """Work everything out now, so that threads may share it."""
        _ = self.drawn, self.expected, self.mistaken

    def answers(
        self, text: str, drawn: list[Drawn] | None = None, calls: Iterable[Call] | None = None
    ) -> dict[str, list[Answer]]:
        """Run code of ours in this process: for each call, or some of them, its answers on each draw."""
        module = module_of(text)
        return {
            call.name: [make_call(module, call, one.inputs) for one in drawn or self.drawn]
            for call in calls or self.exercise.calls
        }

    def values_of(
        self, text: str, drawn: list[Drawn] | None = None, calls: Iterable[Call] | None = None
    ) -> dict[str, list[Values]]:
        """Return the values alone."""
        found = self.answers(text, drawn, calls)
        for answer in (answer for answers in found.values() for answer in answers):
            if answer.state != "done":
                raise RuntimeError(
                    f"{self.exercise.id}: code of ours {answer.state}: {answer.error}, line {answer.line}"
                )
        return {name: [answer.values for answer in answers] for name, answers in found.items()}


@cache
def case_at(id: str, seed: int) -> Case:
    """Return an exercise at a seed, the same one each time: a student saves often."""
    return Case(course.load(id), seed)


def by_call(case: Case, answers: list[Answer]) -> Mapping[str, list[Answer]]:
    """Return the answers to `case.jobs` call by call."""
    n = len(case.drawn)
    return {call.name: answers[i * n : (i + 1) * n] for i, call in enumerate(case.exercise.calls)}
