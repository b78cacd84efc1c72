"""One part of an answer as the doctor sees it: what came and what was expected, draw by draw."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature

import numpy as np

from ...testing.mismatch import Wrong
from ..argument_names import shown
from ..cells import as_text
from ..execution import Answer, Job
from ..exercise import Call
from ..exercise_at_seed import Case, Values
from ..input_sampler import PADDING
from ..inputs import Drawn, draw
from ..tolerance import same

N_MORE = 5  # further draws on which a fact must hold, which tell one name of a factor from another
N_MANY = 20  # further draws for what may well hold by luck on a few; ids and masks fall loosely


@dataclass(frozen=True)
class View:
    """A result of a call on some draws: the student's answers and the right values."""

    case: Case
    call: Call
    index: int
    drawn: list[Drawn]
    answers: list[Answer]
    expected: list[Values]
    again: Callable[[list[Job]], list[Answer]]

    @property
    def name(self) -> str:
        """The name of the part."""
        return list(self.call.parts)[self.index]

    @property
    def entries(self) -> tuple[str, ...] | None:
        """The names of the entries along a first axis that is not the student's, but came of several calls in `run`.

        None where there is no such axis; empty where nothing should be said about it.
        """
        return self.case.exercise.axes.get(self.name)

    @cached_property
    def comparable(self) -> bool:
        """Whether every draw gave as many results as it should, and this one is an array."""
        n = len(self.call.parts)
        return all(len(a.values) == n and not isinstance(a.values[self.index], str) for a in self.answers)

    @cached_property
    def got(self) -> list[np.ndarray]:
        """What came, a draw each, where it is `comparable`."""
        return [answer.values[self.index] for answer in self.answers]

    @cached_property
    def right(self) -> list[np.ndarray]:
        """What was expected, a draw each."""
        return [values[self.index] for values in self.expected]

    @property
    def agrees(self) -> bool:
        """Whether this result is right on every draw."""
        return self.comparable and all(map(same, self.got, self.right))

    def fits(self, values: list[np.ndarray]) -> bool:
        """Tell whether these are the student's numbers on every draw; NaN agrees with NaN."""
        return self.comparable and all(map(same, self.got, values))

    def on(self, drawn: list[Drawn], answers: list[Answer]) -> View:
        """Return the same part on other draws."""
        right = self.case.values_of(self.case.exercise.key, drawn, [self.call])[self.call.name]
        return replace(self, drawn=drawn, answers=answers, expected=right)

    def jobs(self, drawn: list[Drawn]) -> list[Job]:
        """Return this call on other draws."""
        return [Job(self.call.name, one.inputs) for one in drawn]

    def wrong(self) -> Wrong | None:
        """Return what the search for facts takes, or None where there are no finite floats to compare."""
        if not self.comparable or not all(x.dtype.kind in "fiub" for x in [*self.got, *self.right]):
            return None
        arrays = [x.astype(np.float64) for x in self.got], [x.astype(np.float64) for x in self.right]
        if not all(np.isfinite(x).all() for side in arrays for x in side):
            return None
        sizes, inputs = [one.sizes for one in self.drawn], [self.shown_inputs_of(one) for one in self.drawn]
        first_axis = 1 if self.entries == () else 0
        return Wrong(*arrays, sizes, inputs, self.terms(), first_axis, self.padded)

    @property
    def padded(self) -> bool:
        """Whether some ids of the exercise are padding."""
        return any(PADDING in one.used for one in self.drawn)

    @property
    def is_gradient(self) -> bool:
        """Whether this result is a gradient of a loss: by its name, dx or the like."""
        return bool(re.search(r"(^|: )d[a-z]|\bgradient\b", self.name))

    def inputs_of(self, drawn: Drawn) -> Mapping[str, object]:
        """Return those of the drawn inputs that the call takes."""
        return {name: drawn.inputs[name] for name in list(signature(self.call.run).parameters)[1:]}

    def shown_inputs_of(self, drawn: Drawn) -> dict[str, object]:
        """Return those of them that the student knows, by the names of the student's own arguments."""
        return {own: drawn.inputs[name] for name, own in self.shown_names.items()}

    @cached_property
    def shown_names(self) -> dict[str, str]:
        """The student's names of the inputs that the student knows."""
        text = as_text(list(self.case.exercise.cells))
        return shown(self.inputs_of(self.drawn[0]), self.case.arguments(self.call), text)

    def terms(self) -> list[dict[str, np.ndarray]] | None:
        """Return the named terms whose sum is right, where the exercise tells them."""
        terms = self.case.exercise.terms.get(self.name)
        if terms is None:
            return None
        return [terms(**{name: one.inputs[name] for name in signature(terms).parameters}) for one in self.drawn]

    def with_more(self, n: int = N_MORE) -> View | None:
        """Return the same on `n` further draws as well, or None where one of them gave no answer."""
        case, known = self.case, len(self.drawn)
        drawn = [draw(case.exercise, case.seed, i, loose=n == N_MANY) for i in range(known, known + n)]
        further = self.on(drawn, self.again(self.jobs(drawn)))
        if any(answer.state != "done" for answer in further.answers):
            return None
        both = {name: [*getattr(self, name), *getattr(further, name)] for name in ("drawn", "answers", "expected")}
        return replace(self, **both)

    def apart(self, which: Collection[int] | None = None) -> View:
        """Return the same with each entry along an axis of `entries`, or some of them, as a draw of its own."""
        n = len(self.entries or ())
        if not n or not self.comparable or any(x.shape[:1] != (n,) for x in [*self.got, *self.right]):
            return self
        drawn, answers, expected = [], [], []
        for one, answer, right in zip(self.drawn, self.answers, self.expected, strict=True):
            for k in range(n) if which is None else which:
                drawn.append(one)
                answers.append(replace(answer, values=self.with_entry(answer.values, k)))
                expected.append(self.with_entry(right, k))
        return replace(self, drawn=drawn, answers=answers, expected=expected)

    def with_entry(self, values: Values, k: int) -> Values:
        """Return results with one entry in place of the result of this part."""
        return tuple(value[k] if i == self.index else value for i, value in enumerate(values))


def seen(
    case: Case, call: Call, index: int, answers: list[Answer], again: Callable[[list[Job]], list[Answer]] | None = None
) -> View:
    """Return a part as the check saw it."""
    return View(case, call, index, case.drawn, answers, case.expected[call.name], again or (lambda jobs: []))
