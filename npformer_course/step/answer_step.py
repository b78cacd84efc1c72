"""An answer line by line, on the smallest draw on which it is wrong, next to the results that were expected."""

from __future__ import annotations

import numpy as np

from npformer.utils import InputError
from npformer.visualization.stepper.array_store import content_of
from npformer.visualization.stepper.page import page_of
from npformer.visualization.stepper.recorder import Call, MadeArray, Step
from npformer.visualization.stepper.step_through import StepThrough

from ..case import Case, Values
from ..check_answer import Runner, check
from ..tolerance import right
from .recording import Recording, Source


class AnswerStep(StepThrough):
    """A recording with the results that were expected; `notes` say in words what its page shows."""

    def __init__(
        self,
        recording: Recording,
        expected: dict[str, np.ndarray],
        note: str,
    ):
        super().__init__(recording, np.nan, {})
        self.start, self.remarks, self.expected = 0, [], {}
        names = [function.name for function in recording.functions.values()]
        if recording.ending and self.steps:
            self.start = len(self.steps) - 1
            place = names.index(recording.calls[self.steps[-1].call].function.name)
            self.remarks.append([place, self.steps[-1].line, recording.ending])
        self.notes = [note, *(text for *_, text in self.remarks)]
        if recording.results and self.steps:
            self._add_results(expected)

    def _add_results(self, expected: dict[str, np.ndarray]) -> None:
        """Add a call at the end whose lines are the results, each next to the one that was expected."""
        recording, lines, first = self.recorder, [], len(self.steps)
        for (part, array), got in zip(expected.items(), recording.results, strict=False):
            both = {"expected": array} | ({} if isinstance(got, str) else {"yours": got})
            numbers = [recording.arrays.add(content_of(array)) for array in both.values()]
            outputs = [
                MadeArray(name, "local", number) for name, number in zip(both, numbers, strict=True)
            ]
            if len(numbers) == 2:
                self.expected[numbers[1]] = numbers[0]
            lines.append(
                f"{part}  # {got if isinstance(got, str) else 'right' if right(got, array) else 'wrong'}"
            )
            self.steps.append(Step(len(recording.calls), len(lines), len(self.steps), outputs))
        function = recording.functions["results"] = Source("results", "", 1, lines)
        name = recording.calls[0].module
        recording.calls.append(Call(name, function, None, "forward", first, len(self.steps) - 1))

    def html(self) -> str:
        """Return the page. It has nothing of the key except its results."""
        more = {"start": self.start, "remarks": self.remarks, "expected": self.expected}
        return page_of(self.recorder, {}, self.notes[0], self.notes, **more)

    def __repr__(self) -> str:
        return "\n".join(self.notes)


def step_answer(case: Case, text: str, file: str, run: Runner, run_recorded: Runner) -> AnswerStep:
    """Check an answer, the code of a file, and record its first wrong call on all draws; a right answer's first call.

    Raises `InputError` when there is nothing to see: nothing is written, or the recording came to no end.
    """
    report = check(case, text, run, explained=False)
    if not report.attempted:
        raise InputError(f"there is nothing to step through yet: write something into {file} first")
    bad = [
        part.call
        for part in report.parts
        if part.call and part.outcome not in ("right", "unattempted")
    ]
    call = case.exercise.call(bad[0]) if bad else case.exercise.calls[0]
    answers, _ = run_recorded(case.exercise, text, case.jobs([call]))
    if answers[0].state != "done":
        where = f"line {answers[0].line}: " if answers[0].line else ""
        raise InputError(f"{file} cannot be recorded: {where}{answers[0].error}")
    recordings = [Recording(answer.values[0], file) for answer in answers if answer.state == "done"]
    expected = case.expected[call.name]
    wrong = [i for i, recording in enumerate(recordings) if _is_wrong(recording, expected[i])]
    sizes = [
        sum(np.array(one.inputs[name], object).size for name in call.inputs) for one in case.draws
    ]
    chosen = min(wrong or range(len(recordings)), key=sizes.__getitem__)
    which = "wrong; the smallest draw of those" if wrong else "right; the smallest draw"
    size_text = ", ".join(f"{letter} = {size}" for letter, size in case.draws[chosen].sizes.items())
    note = f"{', '.join(call.parts)}: {which} has {size_text or 'no sizes'}"
    return AnswerStep(
        recordings[chosen], dict(zip(call.parts, expected[chosen], strict=True)), note
    )


def _is_wrong(recording: Recording, expected: Values) -> bool:
    got = recording.results
    pairs = zip(got, expected, strict=False)
    return len(got) != len(expected) or any(
        isinstance(value, str) or not right(value, one) for value, one in pairs
    )
