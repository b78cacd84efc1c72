"""A recording of a student's functions: the lines that ran, and the arrays that they made."""

from __future__ import annotations

import sys
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np

from npformer.module import Module
from npformer.utils import InputError
from npformer.visualization.stepper.array_store import ArrayStore, content_of
from npformer.visualization.stepper.recorder import Call, MadeArray, Recorder, Step

from .. import exercise
from ..execution import Answer, copied, ended_by, results
from ..sandbox.protocol import pack_request, unpack_request

MOST_STEPS, MOST_BYTES = 3000, 8_000_000


class RecordingFull(BaseException):
    """Ends a call that makes too many steps or arrays."""


class AnswerRecorder(Recorder):
    """Records the functions of a student's files. `ending` says what ended it before the call was over."""

    def __init__(self, files: Collection[str], most_steps: int = MOST_STEPS):
        super().__init__(Module(), max_bytes=MOST_BYTES)
        self.files, self.most_steps, self.ending = files, most_steps, ""

    def _owner_of(self, frame: FrameType, code: types.CodeType):
        return self.root if code.co_filename in self.files else None

    def __exit__(self, *error) -> None:
        if sys.version_info < (3, 12) and sys.gettrace() != self._enter:
            self.ending = (
                self.ending or "the recording ends here: the answer turned it off (sys.settrace)"
            )
        super().__exit__(*error)
        for call in self.open_calls:
            self.calls[call].last = len(self.steps) - 1
        for step in self.steps[1:]:
            step.done = step.done or len(self.steps)

    def _enter(self, frame: FrameType, event: str, value):
        tracer, unwinds = self._note(super()._enter, frame, event, value), False

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
        self.ending = f"the recording ends here: {MOST_STEPS:,} steps or {MOST_BYTES / 1e6:.0f} MB are its limit"
        raise RecordingFull


def record(student: types.ModuleType, call: exercise.Call, inputs: Mapping[str, object]) -> Answer:
    """Call the student's function once, and return its recording: the value of the answer, a text for `Recording`."""
    files = getattr(student, "__files__", (f"{student.__name__}.py",))
    recorder, values = AnswerRecorder(files), ()
    with np.errstate(all="ignore"):
        try:
            with recorder:
                returned = call.run(student, **{name: copied(inputs[name]) for name in call.inputs})
            values = results(returned, len(call.parts))[0]
        except BaseException as error:  # as in make_call
            recorder.ending = recorder.ending or ended_by(error, files).error
    functions = {function: place for place, function in enumerate(recorder.functions.values())}
    text = pack_request(
        [[f.name, f.first, f.lines] for f in functions],
        [
            [functions[one.function], one.parent, one.direction, one.first, one.last]
            for one in recorder.calls
        ],
        [[one.call, one.line, one.done, one.made, one.products] for one in recorder.steps],
        [_plain(recorder.arrays[number]) for number in range(len(recorder.arrays.views))],
        list(map(_plain, values)),
        recorder.ending,
    )
    return Answer("done", (text.decode(),), error=recorder.ending)


def _plain(value: np.ndarray | str) -> np.ndarray | str:
    """Return an array of a kind that JSON has, and the description of another."""
    if isinstance(value, str) or value.dtype.kind not in "fiub":
        return value if isinstance(value, str) else f"an array of {value.dtype}"
    return value.astype(np.float64) if value.dtype.char == "g" else value


@dataclass(eq=False)
class Source:
    """The lines of a student's function, as the page takes them."""

    name: str
    file: str
    first: int
    lines: list[str]

    def axes_in(self, line: int, name: str) -> list[str]:
        """Return nothing: what a student's comments say of axes is not read."""
        return []


class Recording:
    """A recording as the page of the step debugger takes it, of its text; `file` is the name of the student's file."""

    def __init__(self, text: str, file: str):
        functions, calls, steps, arrays, self.results, self.ending = unpack_request(text.encode())
        self.modules, self.arrays = {}, ArrayStore(4 * MOST_BYTES)
        functions = [Source(name, file, first, lines) for name, first, lines in functions]
        self.functions = dict(enumerate(functions))
        self.calls = [Call(Path(file).stem, functions[place], *others) for place, *others in calls]
        numbers = [self.arrays.add(content_of(array)) for array in arrays]
        self.steps = []
        for *place, outputs, products in steps:
            outputs = [MadeArray(name, kind, numbers[n]) for name, kind, n in outputs]
            factors = [(left, right, numbers[n], numbers[m]) for left, right, n, m in products]
            self.steps.append(Step(*place, outputs, factors))
