"""The lines of code that differ between two recordings."""

import difflib
from collections import defaultdict

from ..stepper.recorder import Recorder
from ..stepper.source_analysis import Function
from .alignment import paired_calls

REMOVED = "-"
ADDED = "+"


class ChangedLines:
    """Which lines of the functions of two recordings differ.

    `rows` has for each function of the first recording that differs its lines and those of the
    second, in the order in which they are shown: a sign (removed, added, or none), the number of
    the line in its file, the number of the line of the first recording in whose place it is, 0 if
    it is in the place of none, and the text.

    Arguments:
        a: The first recording.
        b: The second recording.
    """

    def __init__(self, a: Recorder, b: Recorder):
        self.a = a
        self.b = b
        self.rows: dict[Function, list[list]] = {}
        self.calls_in_a: dict[int, int] = {}  # by the call in b
        self._added: dict[Function, set[int]] = defaultdict(set)  # lines of a function of b
        self._lines_in_a: dict[Function, dict[int, int]] = {}  # by the line in b
        for in_a, in_b in paired_calls(a, b):
            self.calls_in_a[in_b] = in_a
            function_a = a.calls[in_a].function
            function_b = b.calls[in_b].function
            if function_b not in self._lines_in_a:
                self._compare(function_a, function_b)

    def added_line(self, step_in_b: int) -> int | None:
        """Return the line of a step of the second recording if the first has no such line."""
        step = self.b.steps[step_in_b]
        function = self.b.calls[step.call].function
        return step.line if step.line in self._added[function] else None

    def step_in_a(self, step_in_b: int, kind: str) -> int | None:
        """Return the step of the first recording at the place of one of the second.

        Returns None where the first recording has no such call.

        Arguments:
            step_in_b: The number of a step of the second recording.
            kind: The kind of the array that is made there.
        """
        step = self.b.steps[step_in_b]
        call_number = self.calls_in_a.get(step.call)
        if call_number is None:
            return None
        call = self.a.calls[call_number]
        if kind == "returned":
            return call.last

        line = self._lines_in_a[self.b.calls[step.call].function].get(step.line, step.line)
        same_line = _steps_of_line(self.a, call_number, line)
        if not same_line:
            return call.first
        visit = _steps_of_line(self.b, step.call, step.line).index(step_in_b)
        return same_line[min(visit, len(same_line) - 1)]

    def _compare(self, a: Function, b: Function) -> None:
        """Compare the lines of a function."""
        lines_in_a = {}
        rows = []
        matcher = difflib.SequenceMatcher(None, a.lines, b.lines, autojunk=False)
        for tag, start_a, end_a, start_b, end_b in matcher.get_opcodes():
            sign = "" if tag == "equal" else REMOVED
            for i in range(start_a, end_a):
                rows.append([sign, a.first + i, a.first + i, a.lines[i]])
            # an inserted line is shown below the line before it
            at = start_a if end_a > start_a else max(start_a - 1, 0)
            for j in range(start_b, end_b):
                if tag == "equal":
                    lines_in_a[b.first + j] = a.first + start_a + j - start_b
                    continue
                lines_in_a[b.first + j] = a.first + at
                self._added[b].add(b.first + j)
                if b.lines[j].strip():
                    place = a.first + at if end_a > start_a else 0
                    rows.append([ADDED, b.first + j, place, b.lines[j]])
        self._lines_in_a[b] = lines_in_a
        if a.lines != b.lines:
            self.rows[a] = rows


def _steps_of_line(recorder: Recorder, call_number: int, line: int) -> list[int]:
    """Return the numbers of the steps in which a line of a call runs."""
    call = recorder.calls[call_number]
    found = []
    for number in range(call.first, call.last + 1):
        step = recorder.steps[number]
        if step.call == call_number and step.line == line:
            found.append(number)
    return found
