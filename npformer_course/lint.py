"""What must hold of an exercise before students see it, and what they would see of a mistake."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from npformer.utils import InputError

from . import course
from .case import Case
from .check_answer import check, check_part
from .definition import Call, Code, Exercise, Mistake, module_of
from .execution import Answer, Job, make_call
from .inputs import N_DRAWS, Draw
from .percent_format import BEGIN, END, as_text, without_solution
from .report import Report
from .tolerance import same

FEWEST_MISTAKES = 3
N_HINTS = 3
REVEALING = 12  # characters of a solution's line that must not be in what a student gets


def run_here(exercise: Exercise, code: Code, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
    """Run our own code in this process, without the limits of the sandbox."""
    module = module_of(code)
    answers = []
    for call, inputs in jobs:
        answers.append(make_call(module, exercise.call(call), inputs))
    return answers, ""


def find_mistake(exercise: Exercise, id: str) -> Mistake:
    """Return a known mistake by its id. Raises `InputError` for another one."""
    for mistake in exercise.mistakes:
        if mistake.id == id:
            return mistake
    near = difflib.get_close_matches(id, [mistake.id for mistake in exercise.mistakes], n=1)
    hint = f": did you mean {near[0]}?" if near else ""
    raise InputError(f"exercise {exercise.id} has no mistake {id!r}{hint}")


def change_of(exercise: Exercise, mistake: Mistake) -> list[str]:
    """Return the lines of the solution that a mistake changes, as a diff."""
    lines = difflib.unified_diff(
        exercise.key.split("\n"), exercise.mistaken(mistake).split("\n"), n=1, lineterm=""
    )
    # without the names of the two files, and without line numbers
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def report_of(exercise: Exercise, mistake: Mistake, seed: int = 0) -> Report:
    """Return what a student with this mistake is told."""
    return check(Case(exercise, seed), exercise.mistaken(mistake), run_here)


def problems(exercise: Exercise, seed: int = 0) -> Iterator[str]:
    """Yield what is wrong with an exercise, one line each."""
    stale = list(_problems_of_edits(exercise))
    yield from stale
    if stale:  # every check below plants the mistakes
        return

    case = Case(exercise, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield from _problems_of_counts(exercise)
        yield from _problems_of_declaration(exercise)
        yield from _problems_of_texts(exercise)
        try:
            report = check(case, exercise.key, run_here)
        except Exception as error:  # whatever its author wrote may raise
            yield "the solution cannot be run: " + " ".join(str(error).split())
            return
        if not report.passed:
            yield f"the solution has {report.points} of {report.out_of} points"
            return

        stub = check(case, exercise.stub, run_here)
        if stub.points or stub.attempted:
            yield "the file as handed out is not unattempted"
        yield from _problems_of_draws(case)
        unclear = list(_problems_of_results(case))
        yield from unclear
        if unclear:  # what is said of wrong answers below needs the places of their entries
            return

        yield from _problems_of_slow(case)
        yield from _problems_of_nonsense(case)
        yield from _problems_of_mistakes(case)
        yield from _problems_of_alternatives(case)


def _problems_of_edits(exercise: Exercise) -> Iterator[str]:
    """Yield which mistakes no longer apply to the solution."""
    for mistake in exercise.mistakes:
        try:
            exercise.mistaken(mistake)
        except InputError as error:
            yield str(error)


def _problems_of_counts(exercise: Exercise) -> Iterator[str]:
    """Yield of what the exercise has too few."""
    ids = {mistake.id for mistake in exercise.mistakes}
    if len(ids) < FEWEST_MISTAKES or len(ids) < len(exercise.mistakes):
        yield f"expected {FEWEST_MISTAKES} mistakes or more, each with an id of its own"
    if len(exercise.hints) != N_HINTS:
        yield f"expected {N_HINTS} hints, there are {len(exercise.hints)}"
    if not exercise.alternatives:
        yield "alternatives/ is empty: write the solution in another style"


def _problems_of_declaration(exercise: Exercise) -> Iterator[str]:
    """Yield where teacher.py contradicts itself or the course."""
    if exercise.prediction.answer not in exercise.prediction.choices:
        yield "the prediction's answer is not among its choices"
    for name in ("difficulty", "importance"):
        if not 1 <= getattr(exercise, name) <= 5:
            yield f"{name} is {getattr(exercise, name)}, expected 1 to 5"

    earlier = course.EXERCISES[: course.EXERCISES.index(exercise.id)]
    for other in exercise.needs:
        if other not in earlier:
            yield f"it needs {other}, which does not come before it"

    for part in exercise.axes:
        if part not in exercise.worth:
            yield f"axes names {part!r}, which is no part"


def _problems_of_texts(exercise: Exercise) -> Iterator[str]:
    """Yield where a text says what no student should read."""
    for mistake in exercise.mistakes:
        said = "".join(mistake.describe("y"))
        if "{" in said or "}" in said:
            yield f"{mistake.id}: a brace is left in its text"

    shown = [without_solution(as_text(list(exercise.cells))), *exercise.hints]
    for mistake in exercise.mistakes:
        shown += [mistake.says, mistake.ask]
    for line in solution_lines(exercise):
        if len(line) >= REVEALING and line in "\n".join(shown):
            yield f"a line of the solution is in what the student gets: {line}"


def solution_lines(exercise: Exercise) -> list[str]:
    """Return the lines of the solution, without their indents."""
    lines = []
    inside = False
    for line in as_text(list(exercise.cells)).split("\n"):
        mark = line.strip()
        if mark in (BEGIN, END):
            inside = mark == BEGIN
        elif inside:
            lines.append(mark)
    return lines


def _problems_of_draws(case: Case) -> Iterator[str]:
    """Yield where the inputs would let a wrong answer pass."""
    for index, draw in enumerate(case.draws):
        has_equal = len(set(draw.sizes.values())) < len(draw.sizes)
        may_be_equal = index % N_DRAWS == N_DRAWS - 1
        if has_equal and not may_be_equal:
            yield f"draw {index}: two sizes are equal, {dict(draw.sizes)}"
        for name, x in draw.inputs.items():
            if name.startswith("dy") and isinstance(x, np.ndarray) and _is_constant(x):
                yield f"draw {index}: {name} is constant"


def _is_constant(x: np.ndarray) -> bool:
    return x.size > 1 and bool(np.ptp(1.0 * x) == 0)


def _problems_of_results(case: Case) -> Iterator[str]:
    """Yield where the right results would let a wrong answer pass, or have no places in words."""
    exercise = case.exercise
    for call in exercise.calls:
        for index, part in enumerate(call.parts):
            results = [values[index] for values in case.expected[call.name]]
            if not all(np.isfinite(result).all() for result in results):
                yield f"{part}: the right result is not finite"
            if all(_is_constant(result) for result in results):
                yield f"{part}: the right result is constant in every draw"

            # axes () says that an index means nothing to the student
            if exercise.axes.get(part) != () or not results[0].ndim:
                continue
            if part not in exercise.where:
                yield f"{part}: its index says nothing, and where does not name its entries"
                continue
            for draw, result in zip(case.draws, results, strict=True):
                if len(case.places(part, draw)) != result.size:
                    yield f"{part}: where has not one place for each entry"
                    break


def _problems_of_slow(case: Case) -> Iterator[str]:
    """Yield where the slow loops of the text and the solution disagree."""
    exercise = case.exercise
    if not exercise.slow:
        yield "slow is empty: which call do the loops of the text specify?"
    for name, slow in exercise.slow.items():
        wanted = slow.__code__.co_varnames[: slow.__code__.co_argcount]
        for draw, right in zip(case.draws, case.expected[name], strict=True):
            arguments = {}
            for key in wanted:
                arguments[key] = draw.inputs[key]
            returned = slow(**arguments)
            if not isinstance(returned, tuple):
                returned = (returned,)
            if not _agree(returned, right):
                yield f"{name}: the slow loops and the solution disagree"
                break


def _agree(returned: Sequence, right: Sequence) -> bool:
    if len(returned) != len(right):
        return False
    for a, b in zip(returned, right, strict=True):
        if not same(np.asarray(a), b):
            return False
    return True


def _problems_of_nonsense(case: Case) -> Iterator[str]:
    """Yield which nonsense would have points."""
    for call in case.exercise.calls:
        for index, part in enumerate(call.parts):
            for kind in NONSENSE:
                answers = _nonsense_answers(case, call, index, kind)
                if check_part(case, call, index, answers, None).outcome == "right":
                    yield f"{part}: {kind} would be right"


def _zeros(right: np.ndarray, draw: Draw):
    return np.zeros(right.shape)


def _ones(right: np.ndarray, draw: Draw):
    return np.ones(right.shape)


def _an_input(right: np.ndarray, draw: Draw):
    for x in draw.inputs.values():
        if isinstance(x, np.ndarray) and x.shape == right.shape:
            return x
    return np.zeros(right.shape)


def _random_numbers(right: np.ndarray, draw: Draw):
    return np.random.default_rng(1).normal(size=right.shape)


def _nan(right: np.ndarray, draw: Draw):
    return np.full(right.shape, np.nan)


def _negated(right: np.ndarray, draw: Draw):
    return -1.0 * right + (right == 0)  # and 1 for 0, which has no sign


def _none(right: np.ndarray, draw: Draw):
    return "None"  # as an answer tells of what is no array


NONSENSE = {
    "None": _none,
    "zeros": _zeros,
    "ones": _ones,
    "an input": _an_input,
    "random numbers": _random_numbers,
    "NaN": _nan,
    "the result with the other sign": _negated,
}


def _nonsense_answers(case: Case, call: Call, index: int, kind: str) -> list[Answer]:
    """Return the answers to a call with nonsense at `index`, and right results elsewhere."""
    answers = []
    for draw, right in zip(case.draws, case.expected[call.name], strict=True):
        values = list(right)
        values[index] = NONSENSE[kind](right[index], draw)
        answers.append(Answer("done", tuple(values), is_single=len(values) == 1))
    return answers


def _problems_of_mistakes(case: Case) -> Iterator[str]:
    """Yield which mistakes pass, look like another, or cost other points at the next seed."""
    exercise = case.exercise
    next_case = Case(exercise, case.seed + 1)
    for mistake in exercise.mistakes:
        text = exercise.mistaken(mistake)
        report = check(case, text, run_here)
        wrong = []
        for part in report.parts:
            if part.outcome != "right" and part.call:
                wrong.append(part)
        if not wrong:
            yield f"{mistake.id} passes"
        if report.points != check(next_case, text, run_here, explained=False).points:
            yield f"{mistake.id} costs other points at the next seed"
        for part in wrong:
            finding = part.finding
            if (finding.kind, finding.id) != ("mistake", mistake.id):
                named = f"{finding.kind} {finding.id}".strip()
                yield f"{mistake.id}: {part.name} is {part.outcome}, named {named}"


def _problems_of_alternatives(case: Case) -> Iterator[str]:
    """Yield which other solutions are not right."""
    exercise = case.exercise
    for number, text in enumerate(exercise.alternatives, 1):
        try:
            report = check(case, f"{exercise.stub}\n{text}", run_here)
        except SyntaxError as error:
            yield f"alternatives/{number}.py is not Python: {error.msg}"
            continue
        for part in report.parts:
            if part.outcome != "right":
                what = part.finding.text or part.outcome
                yield f"alternatives/{number}.py: {part.name} is {part.outcome}: {what}"
