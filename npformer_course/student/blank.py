"""Blanks: single arrays of a notebook, compared with what an exercise's solution gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from npformer.testing import facts
from npformer.utils.errors import InputError, one_line

from ..case import case_at
from ..definition import PART, Call, Exercise, Mistake
from ..diagnosis.comparison import Comparison
from ..diagnosis.crashes_and_types import not_an_answer
from ..diagnosis.questions import question
from ..diagnosis.shapes import wrong_shape
from ..diagnosis.worst_entry import UNSAID, numbers
from ..execution import Answer, as_array, copied
from ..inputs import Draw
from ..report import Finding
from ..tolerance import TOLERANCE, error, same_kind
from ..words import listed
from .folder import SEED
from .short_message import RIGHT, UNWRITTEN, WRONG, headline, one_line_errors
from .solve import Solved, calls_with_arguments, solve
from .stand_ins import Verdict, earlier_verdict, stand_in_array

SINGLE_TOLERANCE = 1e-4  # where the arrays have float32, whose rounding adds up in a few lines
A_CONSTANT = (
    "Does the formula take a mean or a sum along the last axis there, and do your lines take the "
    "same one?"
)


class Blank:
    """A blank of a notebook: arrays that a student computes from these inputs.

    Raises `InputError` for inputs that no function of the exercise takes.
    """

    def __init__(self, exercise: Exercise, inputs: Mapping[str, Any]):
        self.exercise = exercise
        # copies: what the notebook does to its arrays later does not matter
        self.inputs = {name: copied(value) for name, value in inputs.items()}
        self.solved: list[Solved] = []
        errors = []
        for call, arguments in calls_with_arguments(exercise):
            if set(arguments) != set(inputs):
                continue
            of_call = {own: self.inputs[name] for name, own in arguments.items()}
            try:
                self.solved.append(solve(exercise, call, of_call))
            except Exception as error:  # of shapes that do not go together
                errors.append(one_line(f"{type(error).__name__}: {error}").strip())
        if not self.solved:
            raise self._unusable(errors)

    def _unusable(self, errors: Sequence[str]) -> InputError:
        """Return the error for these inputs: their names, or what went wrong with them."""
        start = f"exercise {self.exercise.id}"
        if errors:
            shapes = [f"{name} {np.shape(value)}" for name, value in self.inputs.items()]
            return InputError(f"{start} cannot use the inputs {listed(shapes)}: {errors[0]}")
        known = []
        for _, arguments in calls_with_arguments(self.exercise):
            known.append(listed(list(arguments)))
        if not known:
            return InputError(
                f"{start} has no blanks: expected an exercise whose functions take arrays"
            )
        got = listed(list(self.inputs) or ["nothing"])
        expected = "; or ".join(dict.fromkeys(known))  # each once
        return InputError(f"{start} got the inputs {got}: expected {expected}")

    @one_line_errors()
    def check(self, **arrays: Any) -> Any:
        """Compare arrays, print a short message, and return those to continue with.

        Each is the one that was passed where that is right. Where it is wrong, or not written yet
        (it is None or ...), npformer's is returned, and the message says so. If npformer's is then
        passed again, the message is repeated. Of several arrays the result is a tuple.
        """
        solved = self._solved_with(arrays)
        states = {}
        lines: tuple[str, ...] = ()
        returned = []
        for name, array in arrays.items():
            verdict = self._verdict(solved, name, arrays)
            states[name] = verdict.state
            # those of the first: the others often follow from it
            lines = lines or verdict.lines
            if verdict.state == RIGHT:
                returned.append(np.asarray(array))
            else:
                returned.append(stand_in_array(name, solved.known[name], verdict))

        print(headline(states))
        for line in lines:
            print(f"  {line}")
        return returned[0] if len(returned) == 1 else tuple(returned)

    def _verdict(self, solved: Solved, name: str, arrays: Mapping[str, Any]) -> Verdict:
        """Return the verdict on an array."""
        array = arrays[name]
        earlier = earlier_verdict(name, array)
        if earlier is not None:  # the cell runs again, and this is npformer's array
            return earlier
        if array is None or array is ...:
            return Verdict(UNWRITTEN)
        if _agrees(as_array(array), solved.known[name]):
            return Verdict(RIGHT)
        finding = self._explain(solved, name, arrays)
        return Verdict(WRONG, tuple(filter(None, (finding.text, finding.question))))

    def _solved_with(self, names: Mapping[str, Any]) -> Solved:
        """Return the call with all of these results. Raises `InputError` where there is none."""
        results: list[str] = []
        for solved in self.solved:
            if names and names.keys() <= solved.known.keys():
                return solved
            results += solved.results
        results = list(dict.fromkeys(results))  # each once
        got = listed(list(names) or ["nothing"])
        # not the steps, whose names would give the way away
        raise InputError(
            f"exercise {self.exercise.id} got {got} to check: "
            f"expected {listed(results, 'or')}, as in check({results[0]}={results[0]})"
        )

    def _explain(self, solved: Solved, name: str, arrays: Mapping[str, Any]) -> Finding:
        """Return what is true of a wrong array on these inputs."""
        comparison = self._comparison(solved, name, as_array(arrays[name]))
        with np.errstate(all="ignore"):
            try:
                return (
                    not_an_answer(comparison)
                    or self._known_mistake(solved, name, arrays)
                    or wrong_shape(comparison)
                    or _fact(comparison)
                    or _constant_in_rows(comparison)
                    or numbers(comparison)
                )
            except Exception:  # a student's array must never stop a notebook
                return Finding("numbers", "", UNSAID)

    def _comparison(self, solved: Solved, name: str, got: np.ndarray | str) -> Comparison:
        """Return the comparison of one array, on the one draw that the notebook made."""
        part = solved.parts.get(name, name)
        return Comparison(
            case_at(self.exercise.id, SEED),
            Call(solved.call.run, {part: 1}),
            0,
            [Draw({}, solved.inputs, padded=False)],
            [Answer("done", (got,))],
            [(solved.known[name],)],
            lambda n: {},  # there are no further draws
        )

    def _known_mistake(
        self, solved: Solved, name: str, arrays: Mapping[str, Any]
    ) -> Finding | None:
        """Return the mistake that gives this array, if exactly one does."""
        found = []
        for mistake in self.exercise.mistakes:
            if name in solved.results and self._fits(mistake, solved, name, arrays):
                text, asked = mistake.describe(solved.parts[name])
                found.append(Finding("mistake", mistake.id, text, asked))
        return found[0] if len(found) == 1 else None

    def _fits(self, mistake: Mistake, solved: Solved, name: str, arrays: Mapping[str, Any]) -> bool:
        """Return whether a mistake gives this array, and all else that its text is about."""
        text = self.exercise.mistaken(mistake)
        try:
            wrong = solve(self.exercise, solved.call, solved.inputs, text)
        except Exception:  # a mistake need not work on inputs of any shape
            return False
        # its text is about all results that it spoils, or has a placeholder for the only one
        for other, value in wrong.results.items():
            is_concerned = other == name or PART not in mistake.says
            spoiled = not _agrees(value, solved.results[other])
            if other == name and not spoiled:
                return False
            if is_concerned and spoiled and not _agrees(as_array(arrays.get(other)), value):
                return False
        return True


def _tolerance(got: np.ndarray, expected: np.ndarray) -> float:
    is_single = np.float32 in (got.dtype, expected.dtype)
    return SINGLE_TOLERANCE if is_single else TOLERANCE


def _agrees(got: np.ndarray | str, expected: np.ndarray) -> bool:
    if isinstance(got, str) or not same_kind(got, expected):
        return False
    return error(got, expected) <= _tolerance(got, expected)


def _fact(comparison: Comparison) -> Finding | None:
    """Return how an array is related to the right one, as in a check, but on one draw."""
    wrong = comparison.wrong()
    fact = facts.find(wrong) if wrong else None
    if fact is None:
        return None
    text = f"{comparison.name} {fact.text}"
    return Finding("fact", fact.id, text, question(comparison, fact))


def _constant_in_rows(comparison: Comparison) -> Finding | None:
    """Say that all entries of a row differ by the same from the right ones."""
    [(got, right)] = comparison.pairs
    if right.dtype.kind != "f" or right.ndim == 0 or right.shape[-1] < 2:
        return None
    difference = got.astype(np.float64) - right
    rest = difference - difference.mean(-1, keepdims=True)
    # not <=, so that NaN is no constant
    if not np.abs(rest).max(initial=0) < _tolerance(got, right) * np.abs(right).max(initial=0):
        return None
    which = "each row of " if right.ndim > 1 else ""
    text = f"{which}{comparison.name} differs from the right one by a constant"
    return Finding("fact", "constant in rows", text, A_CONSTANT)
