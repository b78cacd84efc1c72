"""The results of an exercise's solution for inputs of a notebook, and the steps to them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..definition import Call, Exercise
from ..execution import as_array, copies_for, results
from .stand_ins import SOURCE, names_called, run_hidden


@dataclass(frozen=True)
class Solved:
    """What the solution gives for the inputs of a blank.

    Fields:
        call: of the function whose inputs these are
        inputs: by the names of the call
        results: by the names that a notebook uses
        parts: by the same names, the exercise's own names
        steps: the arrays that the function makes on the way
    """

    call: Call
    inputs: Mapping[str, object]
    results: Mapping[str, np.ndarray]
    parts: Mapping[str, str]
    steps: Mapping[str, np.ndarray]

    @property
    def known(self) -> dict[str, np.ndarray]:
        """All that can be compared; a result counts before a step of the same name."""
        return {**self.steps, **self.results}


def calls_with_arguments(exercise: Exercise) -> Iterator[tuple[Call, dict[str, str]]]:
    """Yield each call whose inputs are all arguments of a function.

    With it come the names of its inputs by those of the arguments: the input x_heads is the
    argument x.
    """
    for call in exercise.calls:
        arguments = {own: name for name, own in exercise.argument_names(call).items()}
        if len(arguments) == len(call.inputs):
            yield call, arguments


def solve(exercise: Exercise, call: Call, inputs: Mapping[str, object], text: str = "") -> Solved:
    """Make a call of our own code, by default the solution."""
    student = SimpleNamespace(**run_hidden(text or exercise.key))
    called = names_called(exercise, call)
    steps: dict[str, np.ndarray] = {}

    def watch(frame, event: str, argument: Any) -> None:
        code = frame.f_code
        # what a function of the exercise has made, at the moment at which it returns
        if event == "return" and code.co_filename == SOURCE and code.co_name in called:
            n_arguments = code.co_argcount
            for name in code.co_varnames[n_arguments:]:
                value = as_array(frame.f_locals.get(name))
                if isinstance(value, np.ndarray):
                    steps[name] = value

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        with np.errstate(all="ignore"):
            returned = call.run(student, **copies_for(call, inputs))
    finally:
        sys.setprofile(before)

    names = {}
    values: dict[str, np.ndarray] = {}
    arrays, _ = results(returned, len(call.parts))
    for part, array in zip(call.parts, arrays, strict=True):
        assert isinstance(array, np.ndarray)  # our own code returns no text
        # "output: dw_output" and "relative error" are not names in Python
        name = re.sub(r"\W+", "_", part.split(": ")[-1])
        names[name] = part
        values[name] = array
    return Solved(call, inputs, values, names, steps)
