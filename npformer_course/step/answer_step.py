"""An answer line by line, on the smallest draw on which it is wrong, and the expected results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from npformer.utils import InputError
from npformer.visualization.stepper.array_store import content_of
from npformer.visualization.stepper.page import page_of
from npformer.visualization.stepper.recorder import Call, MadeArray, Step
from npformer.visualization.stepper.step_through import StepThrough

from ..case import Case, Values
from ..check_answer import Runner, check
from ..definition import Call as ExerciseCall
from ..definition import Code
from ..execution import Results
from ..inputs import Draw, sizes_text
from ..report import Report
from ..tolerance import TOLERANCE, errors, right
from .recording import Recording, Source


class AnswerStep(StepThrough):
    """A recording with the results that were expected.

    Arguments:
        recording: the lines of the answer that ran, and what they made
        expected: the right result of each part
        note: says in words what the page shows
    """

    def __init__(self, recording: Recording, expected: Mapping[str, np.ndarray], note: str):
        # a recording of an answer has no loss and no texts
        super().__init__(recording, np.nan, {})  # type: ignore[arg-type]
        self.start = 0
        self.remarks: list[list] = []  # function, line and text of each
        self.expected: dict[int, int] = {}  # the number of the expected array by that of the own
        self.differing: dict[int, list[int]] = {}  # the places where these two differ
        self.notes = [note]
        if recording.ending and self.steps:
            # the page opens at the line that ended the call, with the reason next to it
            last = self.steps[-1]
            names = [function.name for function in recording.functions.values()]
            function = names.index(recording.calls[last.call].function.name)
            self.start = len(self.steps) - 1
            self.remarks.append([function, last.line, recording.ending])
            self.notes.append(recording.ending)
        if recording.results and self.steps:
            self._add_results(recording, expected)

    def _add_results(self, recording: Recording, expected: Mapping[str, np.ndarray]) -> None:
        """Add a call at the end whose lines are the results, each next to the one expected."""
        lines: list[str] = []
        place = len(recording.calls)
        first = len(self.steps)
        # not strict: an answer may have returned too few results, or too many
        for (part, array), got in zip(expected.items(), recording.results, strict=False):
            number = recording.arrays.add(content_of(array))
            made = [MadeArray("expected", "local", number)]
            if isinstance(got, str):
                outcome = got
            else:
                outcome = "right" if right(got, array) else "wrong"
                own = recording.arrays.add(content_of(got))
                made.append(MadeArray("yours", "local", own))
                self.expected[own] = number
                if got.shape == array.shape:
                    places = np.flatnonzero(errors(got, array) > TOLERANCE)
                    self.differing[own] = places.tolist()
            if outcome != "right" and not self.start:
                # the page opens at the first wrong result
                self.start = len(self.steps)
            lines.append(f"{part}  # {outcome}")
            self.steps.append(Step(place, len(lines), len(self.steps), made))

        function: Any = Source("results", "", 1, lines)
        function.computing = set(range(1, len(lines) + 1))
        recording.functions["results"] = function
        name = recording.calls[0].module
        last = len(self.steps) - 1
        recording.calls.append(Call(name, function, None, "forward", first, last))

    def html(self) -> str:
        """Return the page. It has nothing of the key except its results."""
        return page_of(
            self.recorder,
            {},
            self.notes[0],
            self.notes,
            start=self.start,
            remarks=self.remarks,
            expected=self.expected,
            differing=self.differing,
        )

    def __repr__(self) -> str:
        return "\n".join(self.notes)


def step_answer(case: Case, code: Code, file: str, run: Runner, run_recorded: Runner) -> AnswerStep:
    """Check an answer and record its first wrong call; of a right answer the first call.

    Arguments:
        case: the exercise at a seed
        code: that of the answer
        file: the name of its file
        run: as in `check`
        run_recorded: as `run`, with recordings in place of results

    Raises `InputError` when there is nothing to see: nothing is written, or the recording came to
    no end.
    """
    report = check(case, code, run, explained=False)
    if not report.attempted:
        raise InputError(f"there is nothing to step through yet: write something into {file} first")
    call = _call_to_show(case, report)
    draws = [*case.draws, case.smallest]
    answers, _ = run_recorded(case.exercise, code, case.jobs([call], draws))
    if answers[0].state != "done":
        where = f"{answers[0].place}: " if answers[0].place else ""
        raise InputError(f"{file} cannot be recorded: {where}{answers[0].error}")

    recordings = []
    for answer in answers:
        if answer.state == "done":
            recordings.append(Recording(str(answer.values[0]), file))
    expected = [*case.expected[call.name], case.expected_of_smallest[call.name]]
    wrong = []
    for index, recording in enumerate(recordings):
        if _is_wrong(recording.results, expected[index]):
            wrong.append(index)

    # a small draw is the easiest to follow by hand, but axes of length one say little
    last = len(draws) - 1
    usual = [index for index in wrong if index != last]
    if usual:
        which = "wrong; this is the smallest draw on which it is"
        candidates = usual
    elif wrong:
        which = "wrong where every size is 1"
        candidates = wrong
    else:
        which = "right; this is the smallest draw"
        candidates = list(range(min(len(recordings), len(case.draws))))
    shown = min(candidates, key=lambda index: _size(draws[index], call))
    sizes = sizes_text(case.exercise, draws[shown])
    right_results = dict(zip(call.parts, expected[shown], strict=True))
    names = _wrong_names(recordings[shown].results, right_results) if wrong else list(call.parts)
    note = f"{', '.join(names)}: {which}"
    if sizes:
        note += f" ({sizes})"
    return AnswerStep(recordings[shown], right_results, note)


def _call_to_show(case: Case, report: Report) -> ExerciseCall:
    """Return the first call with a part that is not right, else the first call."""
    for part in report.parts:
        if part.call and part.outcome not in ("right", "unattempted"):
            return case.exercise.call(part.call)
    return case.exercise.calls[0]


def _size(draw: Draw, call: ExerciseCall) -> int:
    """Return how many numbers go into a call on a draw."""
    return sum(_numbers_in(draw.inputs[name]) for name in call.inputs)


def _numbers_in(value: Any) -> int:
    """Return how many numbers an input has, which may be a list of arrays."""
    if isinstance(value, (list, tuple)):
        return sum(map(_numbers_in, value))
    return np.size(value)


def _wrong_names(got: Sequence | Results, expected: Mapping[str, np.ndarray]) -> list[str]:
    """Return the results that are wrong; all of them where the call gave too few or too many."""
    if len(got) != len(expected):
        return list(expected)
    names = []
    for value, (name, one) in zip(got, expected.items(), strict=True):
        if not right(value, one):
            names.append(name)
    return names


def _is_wrong(got: Sequence | Results, expected: Values) -> bool:
    if len(got) != len(expected):
        return True
    for value, one in zip(got, expected, strict=True):
        if not right(value, one):
            return True
    return False
