"""Rules that hold for every exercise; `pytest -m long` tries a hundred seeds of each."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import Case, case_at
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from npformer_course.execution import make_call
from npformer_course.files import student_notebook, student_text
from npformer_course.lint import FEWEST_MISTAKES, problems, solution_lines
from npformer_course.percent_format import BEGIN
from npformer_course.student.solve import calls_with_arguments, solve
from tests.run_here import key_text, run_here

each = pytest.mark.parametrize("id", course.EXERCISES)
SEEDS = 100


def test_course_is_complete():
    folders = {path.name for path in course.FOLDER.iterdir() if (path / "exercise.py").exists()}
    assert folders == set(course.EXERCISES) and len(course.EXERCISES) == len(folders)
    exercises = [course.load(id) for id in course.EXERCISES]
    assert 900 <= sum(exercise.minutes for exercise in exercises) <= 2000  # about 30 hours
    for exercise in exercises:
        assert 1 <= exercise.difficulty <= 5 and 1 <= exercise.importance <= 5, exercise.id


@pytest.mark.long
@each
def test_exercise_passes_lint(id):
    assert len(course.load(id).mistakes) >= FEWEST_MISTAKES
    assert [*problems(course.load(id))] == []


@each
def test_key_gets_all_points_in_sandbox_and_stub_gets_none(id, sandbox):
    exercise = course.load(id)
    case = case_at(id, 0)
    key = check(case, key_text(exercise), sandbox.run)
    assert (key.points, key.passed, key.out_of) == (exercise.points, True, exercise.points)
    stub = check(case, student_text(exercise), run_here)
    assert stub.points == 0 and {part.outcome for part in stub.parts} == {"unattempted"}


def rounded(value, dtype):
    """Whole numbers of a type in the place of floats."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f" and np.isfinite(value).all():
        return np.rint(3 * value).astype(dtype)
    return value


@pytest.mark.parametrize("id", [id for id in course.EXERCISES if id != "numeric_gradient"])
def test_solution_takes_whole_numbers_for_floats(id):
    """In a notebook the inputs may be an example by hand. numeric_gradient asks for floats."""
    exercise = course.load(id)
    inputs = case_at(id, 0).draws[0].inputs
    for call, arguments in calls_with_arguments(exercise):
        of_call = {name: inputs[name] for name in arguments.values() if name in inputs}
        found = []
        for dtype in (int, float):
            values = {name: rounded(value, dtype) for name, value in of_call.items()}
            with np.errstate(all="ignore"):
                found.append(solve(exercise, call, values).results)
        for name, result in found[0].items():
            np.testing.assert_allclose(result, found[1][name], err_msg=f"{call.name} {name}")


def test_dropout_scales_whole_numbers():
    layer = module_of(course.load("dropout").key).Dropout(0.1, np.random.default_rng(0))
    assert set(layer.forward(np.full(40, 9))) == {0, 10}


@each
def test_student_files_contain_no_solution(id):
    exercise = course.load(id)
    for given in (student_text(exercise), student_notebook(exercise)):
        assert (
            BEGIN not in given
            and "MISTAKES" not in given
            and "# %% " not in given.replace("# %% [markdown]", "")
        )
        told = [line for line in solution_lines(exercise) if len(line) >= 12 and line in given]
        assert told == []


def as_bytes(x):
    """Return an array as bytes, also in lists: bytes can be compared."""
    if isinstance(x, list):
        return [as_bytes(one) for one in x]
    return x.tobytes() if isinstance(x, np.ndarray) else x


@each
def test_inputs_depend_only_on_the_seed(id):
    def numbers(case):
        inputs = [x for one in case.draws for x in one.inputs.values()]
        return [as_bytes(x) for x in inputs if isinstance(x, np.ndarray | list)]

    assert (
        numbers(case_at(id, 0))
        == numbers(Case(course.load(id), 0))
        != numbers(Case(course.load(id), 1))
    )


def cache_calls(module):
    """Return a function that makes calls, but none twice on the same integers: they come again."""
    known = {}

    def ask(call, inputs):
        wanted = call.run.__code__.co_varnames[1 : call.run.__code__.co_argcount]
        given = [inputs[name] for name in wanted]
        if not all(
            isinstance(x, np.ndarray | int) and np.asarray(x).dtype.kind == "i" for x in given
        ):
            return make_call(module, call, inputs)
        key = call.name, *((type(x), np.shape(x), np.asarray(x).tobytes()) for x in given)
        if key not in known:
            known[key] = make_call(module, call, inputs)
        return known[key]

    return ask


@pytest.mark.long
@each
def test_correct_answer_passes_on_a_hundred_seeds(id):
    exercise = course.load(id)
    ask, ask_other = map(
        cache_calls, map(module_of, (exercise.key, f"{exercise.stub}\n{exercise.alternatives[0]}"))
    )
    for seed in range(SEEDS):
        case = Case(exercise, seed)
        assert len(case.mistaken) == len(exercise.mistakes)  # none ends in an error
        for call in exercise.calls:
            answers = [ask(call, one.inputs) for one in case.draws]
            assert all(
                answer.state == "done" and answer.repeats and not answer.changed
                for answer in answers
            ), seed
            assert all(np.isfinite(value).all() for answer in answers for value in answer.values), (
                seed
            )
        if seed % 10 == 0:
            ran = (
                [
                    ask_other(exercise.call(call), inputs)
                    for call, inputs in case.jobs(draws=[*case.draws, case.smallest])
                ],
                "",
            )
            report = check(case, "", lambda *asked, ran=ran: ran, explained=False)
            assert report.passed, (seed, [(part.name, part.outcome) for part in report.parts])
