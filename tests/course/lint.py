"""What must hold of an exercise before students see it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check, check_part
from npformer_course.definition import Exercise
from npformer_course.execution import Answer
from npformer_course.inputs import N_DRAWS
from npformer_course.percent_format import BEGIN, END, as_text, without_solution
from npformer_course.tolerance import same
from tests.run_here import run_here

FEWEST_MISTAKES, N_HINTS = 3, 3
REVEALING = 12  # characters of a solution's line that must not be in what a student gets
NONSENSE = (
    "None",
    "zeros",
    "ones",
    "the inputs",
    "random numbers",
    "NaN",
    "the result upside down",
)


def problems(exercise: Exercise, seed: int = 0) -> Iterator[str]:
    """Yield what is wrong with an exercise, one line each."""
    case = Case(exercise, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield from _problems_of_text(exercise)
        report = check(case, exercise.key, run_here)
        if not report.passed:
            yield f"the key has {report.points} of {report.out_of} points"
            return
        stub = check(case, exercise.stub, run_here)
        if stub.points or stub.attempted:
            yield "the untouched stub is not unattempted"
        yield from _problems_of_draws(case)
        yield from _problems_of_slow(case)
        yield from _problems_of_nonsense(case)
        yield from _problems_of_mistakes(case)
        for i, text in enumerate(exercise.alternatives):
            for part in check(case, f"{exercise.stub}\n{text}", run_here).parts:
                if part.outcome != "right":
                    yield f"alternative {i}: {part.name} is {part.outcome}, {part.finding}"


def _problems_of_text(exercise: Exercise) -> Iterator[str]:
    """Yield what the text lacks, and where it gives the solution away."""
    if len(exercise.mistakes) < FEWEST_MISTAKES or len({m.id for m in exercise.mistakes}) < len(
        exercise.mistakes
    ):
        yield f"expected {FEWEST_MISTAKES} mistakes or more, each with an id of its own"
    if len(exercise.hints) != N_HINTS:
        yield f"expected {N_HINTS} hints, there are {len(exercise.hints)}"
    if not exercise.alternatives:
        yield "there is no alternative: write the solution in another style"
    if exercise.prediction.answer not in exercise.prediction.choices:
        yield "the prediction's answer is not among its choices"
    earlier = course.EXERCISES[: course.EXERCISES.index(exercise.id)]
    yield from (
        f"needs {other}, which does not come before it"
        for other in exercise.needs
        if other not in earlier
    )
    given = without_solution(as_text(list(exercise.cells)))
    shown = "\n".join([given, *exercise.hints, *(m.says + m.ask for m in exercise.mistakes)])
    for mistake in exercise.mistakes:
        texts = (
            text
            for call in exercise.calls
            for part in call.parts
            for text in mistake.describe(part)
        )
        if any({*"{}"} & {*text} for text in texts):
            yield f"{mistake.id}: a brace is left in its text"
    parts = {part for call in exercise.calls for part in call.parts}
    yield from (
        f"AXES names {part}, which is no part" for part in exercise.axes if part not in parts
    )
    for line in solution_lines(exercise):
        if len(line) >= REVEALING and line in shown:
            yield f"a line of the solution is in what the student gets: {line}"


def solution_lines(exercise: Exercise) -> list[str]:
    """Return the lines of the solution, without their indents."""
    lines, inside = [], False
    for line in as_text(list(exercise.cells)).split("\n"):
        if line.strip() in (BEGIN, END):
            inside = line.strip() == BEGIN
        elif inside:
            lines.append(line.strip())
    return lines


def _problems_of_draws(case: Case) -> Iterator[str]:
    """Yield where the draws would let a wrong answer pass."""
    for i, drawn in enumerate(case.draws):
        distinct = len({*drawn.sizes.values()}) == len(drawn.sizes)
        if i % N_DRAWS != N_DRAWS - 1 and not distinct:
            yield f"draw {i}: two sizes are equal, {dict(drawn.sizes)}"
        for name, x in drawn.inputs.items():
            if (
                name.startswith("dy")
                and isinstance(x, np.ndarray)
                and x.size > 1
                and np.ptp(1.0 * x) == 0
            ):
                yield f"draw {i}: {name} is constant"
    exercise = case.exercise
    for call in exercise.calls:
        for index, part in enumerate(call.parts):
            results = [values[index] for values in case.expected[call.name]]
            if not all(np.isfinite(result).all() for result in results):
                yield f"{part}: the right result is not finite"
            if all(np.ptp(1.0 * result) == 0 for result in results if result.size) and all(
                r.size > 1 for r in results
            ):
                yield f"{part}: the right result is constant in every draw"
            if exercise.axes.get(part) == () and results[0].ndim:
                if part not in exercise.where:
                    yield f"{part}: its index says nothing, and WHERE does not say where its entries are"
                elif any(
                    len(case.places(part, one)) != r.size
                    for one, r in zip(case.draws, results, strict=True)
                ):
                    yield f"{part}: WHERE has not one place for each entry"


def _problems_of_slow(case: Case) -> Iterator[str]:
    """Yield where the slow loops of the text and the key disagree."""
    if not case.exercise.slow:
        yield "SLOW is empty: which call do the loops of the text specify?"
    for name, slow in case.exercise.slow.items():
        wanted = slow.__code__.co_varnames[: slow.__code__.co_argcount]
        for drawn, right in zip(case.draws, case.expected[name], strict=True):
            returned = slow(**{key: drawn.inputs[key] for key in wanted})
            returned = returned if isinstance(returned, tuple) else (returned,)
            if len(returned) != len(right) or not all(
                same(np.asarray(a), b) for a, b in zip(returned, right, strict=True)
            ):
                yield f"{name}: the slow loops and the key disagree"
                break


def _nonsense(case: Case, kind: str, call, index: int) -> list[Answer]:
    """Return answers to a call with nonsense at `index`, in the right shape if it has one."""
    rng = np.random.default_rng(1)
    answers = []
    for drawn, right in zip(case.draws, case.expected[call.name], strict=True):
        shape = right[index].shape
        fitting = [
            x for x in drawn.inputs.values() if isinstance(x, np.ndarray) and x.shape == shape
        ]
        value = {
            "None": lambda: "None",
            "zeros": lambda shape=shape: np.zeros(shape),
            "ones": lambda shape=shape: np.ones(shape),
            "the inputs": lambda shape=shape, fitting=fitting: (
                fitting[0] if fitting else np.zeros(shape)
            ),
            "random numbers": lambda shape=shape: rng.normal(size=shape),
            "NaN": lambda shape=shape: np.full(shape, np.nan),
            "the result upside down": lambda right=right: -1.0 * right[index] + (right[index] == 0),
        }[kind]()
        values = tuple(value if i == index else expected for i, expected in enumerate(right))
        answers.append(Answer("done", values, is_single=len(values) == 1))
    return answers


def _problems_of_nonsense(case: Case) -> Iterator[str]:
    """Yield which nonsense would have points."""
    for call in case.exercise.calls:
        for index, part in enumerate(call.parts):
            for kind in NONSENSE:
                if (
                    check_part(case, call, index, _nonsense(case, kind, call, index), None).outcome
                    == "right"
                ):
                    yield f"{part}: {kind} would be right"


def _problems_of_mistakes(case: Case) -> Iterator[str]:
    """Yield which mistakes would pass, look like another, or cost other points at the next seed."""
    next_case = Case(case.exercise, case.seed + 1)
    for mistake in case.exercise.mistakes:
        report = check(case, case.exercise.mistaken(mistake), run_here)
        wrong = [part for part in report.parts if part.outcome != "right" and part.call]
        if not wrong:
            yield f"{mistake.id} passes"
        if (
            report.points
            != check(next_case, case.exercise.mistaken(mistake), run_here, explained=False).points
        ):
            yield f"{mistake.id} costs other points at the next seed"
        for part in wrong:
            if (part.finding.kind, part.finding.id) != ("mistake", mistake.id):
                yield f"{mistake.id}: {part.name} is {part.outcome}, named {part.finding.kind} {part.finding.id}"
