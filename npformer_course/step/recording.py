"""A recording of a student's functions: the lines that ran, and the arrays that they made."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from npformer.module import Module
from npformer.utils import InputError
from npformer.visualization.stepper.array_store import ArrayStore, content_of
from npformer.visualization.stepper.recorder import Call, MadeArray, Recorder, Step
from npformer.visualization.stepper.source_analysis import computing_lines

from .. import definition
from ..execution import Answer, Results, copies_for, ended_by, files_of, results, undefined
from ..sandbox.protocol import pack_request, unpack_request

MOST_STEPS = 3000
MOST_BYTES = 8_000_000
LIMITS = f"{MOST_STEPS:,} steps or {MOST_BYTES / 1e6:.0f} MB are its limit"


# not an Exception, which a student's own `except Exception` would catch
class RecordingFull(BaseException):
    """Ends a call that makes too many steps or arrays."""


class AnswerRecorder(Recorder):
    """Records the functions of a student's files.

    `ending` says what ended the recording before the call was over.
    """

    def __init__(self, files: Collection[str], most_steps: int = MOST_STEPS):
        super().__init__(Module(), max_bytes=MOST_BYTES)
        self.files = files
        self.most_steps = most_steps
        self.ending = ""

    def _owner_of(self, frame: FrameType, code: CodeType):
        # the recorder follows methods of layers: the root stands in for the owner of a function
        return self.root if code.co_filename in self.files else None

    def __exit__(self, *error) -> None:
        # from Python 3.12 on the lines are reported by sys.monitoring, which this does not end
        uses_settrace = sys.version_info < (3, 12)
        # in an endless recursion Python turns it off, when the recorder itself has no room left
        is_recursion = isinstance(error[1], RecursionError)
        was_turned_off = sys.gettrace() != self._enter and not is_recursion
        if uses_settrace and was_turned_off and not self.ending:
            self.ending = "the recording ends here: the answer turned it off (sys.settrace)"
        super().__exit__(*error)
        # calls and lines that the recording has cut off last until its end; 0 means that a line is
        # not over, except at the very first step
        for call in self.open_calls:
            self.calls[call].last = len(self.steps) - 1
        for step in self.steps[1:]:
            step.done = step.done or len(self.steps)

    def _enter(self, frame: FrameType, event: str, value):
        tracer = self._note(super()._enter, frame, event, value)
        unwinds = False

        # a return right after an exception is the exception leaving the function: one that is
        # caught is followed by a line
        def note(frame, event, value):
            nonlocal unwinds
            if event == "return" and unwinds:  # a step that an exception leaves makes nothing
                self.calls[self.open_calls.pop()].last = len(self.steps) - 1
            elif event != "exception":
                self._note(tracer, frame, event, value)
            unwinds = event == "exception"
            return note

        return tracer and note

    def _note(self, tracer, *event):
        """Return what a tracer makes of an event, if there is room for it."""
        try:
            if len(self.steps) < self.most_steps:
                return tracer(*event)
        except InputError:  # of the store
            pass
        self.ending = f"the recording ends here: {LIMITS}"
        raise RecordingFull


def record(student: Any, call: definition.Call, inputs: Mapping[str, object]) -> Answer:
    """Call the student's function once, and return its recording.

    It is the value of the answer, a text for `Recording`.
    """
    files = files_of(student)
    recorder = AnswerRecorder(files)
    values: Results = ()
    with np.errstate(all="ignore"):
        try:
            with recorder:
                returned = call.run(student, **copies_for(call, inputs))
            values, _ = results(returned, len(call.parts))
        except BaseException as error:  # as in make_call
            missing = undefined(error, student)
            if missing:
                return missing
            recorder.ending = recorder.ending or ended_by(error, files).error
    return Answer("done", (_packed(recorder, values),), error=recorder.ending)


def _packed(recorder: AnswerRecorder, values: Results) -> str:
    """Return a recording as a text."""
    sources = []
    places = {}
    for place, function in enumerate(recorder.functions.values()):
        sources.append([function.name, function.first, function.lines])
        places[function] = place

    # objects refer to each other by place, as JSON can hold it
    calls = []
    for call in recorder.calls:
        place = places[call.function]
        calls.append([place, call.parent, call.direction, call.first, call.last])
    steps = []
    for step in recorder.steps:
        steps.append([step.call, step.line, step.done, step.made, step.products])
    arrays = []
    for n in range(len(recorder.arrays.views)):
        arrays.append(_plain(recorder.arrays[n]))
    own_results = [_plain(value) for value in values]
    return pack_request(sources, calls, steps, arrays, own_results, recorder.ending).decode()


def _plain(value: np.ndarray | str) -> np.ndarray | str:
    """Return an array of a kind that JSON has, and the description of another."""
    if isinstance(value, str):
        return value
    if value.dtype.kind not in "fiub":
        return f"an array of {value.dtype}"
    if value.dtype.char == "g":  # long double
        return value.astype(np.float64)
    return value


@dataclass(eq=False)
class Source:
    """The lines of a student's function, as the page takes them."""

    name: str
    file: str
    first: int
    lines: list[str]

    def __post_init__(self):
        self.computing = computing_lines(self.lines, self.first)

    def axes_in(self, line: int, name: str) -> list[str]:
        """Return nothing: what a student's comments say of axes is not read."""
        return []


class Recording:
    """A recording as the page of the step debugger takes it.

    Arguments:
        text: what `record` returned
        file: the name of the student's file
    """

    def __init__(self, text: str, file: str):
        functions, calls, steps, arrays, self.results, self.ending = unpack_request(text.encode())
        self.modules: dict = {}
        self.arrays = ArrayStore(4 * MOST_BYTES)
        self.functions: dict[int | str, Any] = {}
        for place, (name, first, lines) in enumerate(functions):
            self.functions[place] = Source(name, file, first, lines)
        self.calls = []
        for place, *others in calls:
            self.calls.append(Call(Path(file).stem, self.functions[place], *others))

        # equal arrays are stored once, so that they may have another number here
        numbers = [self.arrays.add(content_of(array)) for array in arrays]
        self.steps = []
        for call, line, done, outputs, products in steps:
            made = []
            for name, kind, n in outputs:
                made.append(MadeArray(name, kind, numbers[n]))
            factors = []
            for left, right, n_left, n_right in products:
                factors.append((left, right, numbers[n_left], numbers[n_right]))
            self.steps.append(Step(call, line, done, made, factors))
