"""Options that must arrive, limits that must hold, and the order in which a student reads."""

import json
from dataclasses import replace

import numpy as np
import pytest

from npformer import InputError
from npformer_course import course
from npformer_course.course import stem
from npformer_course.files import (
    cells_of,
    notebook,
    solution_text,
    student_notebook,
    student_text,
)
from npformer_course.percent_format import (
    BEGIN,
    END,
    TODO,
    Cell,
    code,
    read_cells,
    without_solution,
)
from npformer_course.sandbox.runner import Sandbox
from npformer_course.student import folder
from npformer_course.tolerance import right, same


def test_course_train_uses_epochs_option(command, lesson, monkeypatch):
    class Begun(Exception):
        pass

    def begin(*arguments, epochs, **settings):
        raise Begun(epochs)

    monkeypatch.chdir(lesson.path)
    monkeypatch.setattr("npformer.runs.begin", begin)
    for options, epochs in (([], 10), (["--epochs", 3], 3)):
        with pytest.raises(Begun, match=f"^{epochs}$"):
            command("course", "train", *options)


@pytest.mark.usefixtures("without_sandbox")
@pytest.mark.parametrize("what", ["layer_norm_backward", f"{stem('layer_norm_backward')}.py"])
def test_check_uses_seed_and_seconds_for_ids_and_files(command, lesson, monkeypatch, what):
    used = {}
    case_at, run = folder.case_at, Sandbox.run
    monkeypatch.setattr(
        folder, "case_at", lambda id, seed: used.update(seed=seed) or case_at(id, seed)
    )
    monkeypatch.setattr(
        Sandbox, "run", lambda box, *asked: used.update(seconds=box.seconds) or run(box, *asked)
    )
    monkeypatch.chdir(lesson.path)
    for options, expected in ([], (0, 3)), (["--seed", "8", "--seconds", "7"], (8, 7)):
        command("course", "check", what, *options)
        assert (used["seed"], used["seconds"]) == expected


def test_rounding_errors_compare_equal_to_zero():
    assert same(np.array([4e-17, 0.0]), np.array([1e-17, -3e-17]))
    assert not same(np.array([4e-7]), np.array([1e-7]))


def test_booleans_count_as_numbers_but_not_the_reverse():
    truths = np.array([True, False])
    assert not right(truths.astype(float), truths)
    assert right(truths, truths) and right(truths, truths.astype(float))


def test_complex_numbers_are_rejected():
    assert same(np.ones(2) + 0j, np.ones(2)) and not right(np.ones(2) + 0j, np.ones(2))


@pytest.mark.parametrize("id", course.EXERCISES)
def test_prediction_cell_precedes_the_task(id):
    cells = cells_of(course.load(id))
    to_write = next(i for i, cell in enumerate(cells) if BEGIN in cell.text)
    asked = next(i for i, cell in enumerate(cells) if cell.text.startswith("prediction ="))
    assert asked < to_write and cells[asked - 1].text.startswith("# ## Predict first")
    assert all(cell.markdown for cell in cells[asked + 1 : to_write])
    if course.load(id).cells[len(cells[:to_write]) - 3].markdown:
        assert asked + 1 < to_write  # the task's own prose stands between


def test_file_of_a_student_begins_with_the_facts_of_its_exercise():
    exercise = course.load("multi_head")
    heading = f"# %% [markdown]\n# # 04 {exercise.title}\n#\n# *"
    text = student_text(exercise)
    assert text.startswith(heading)
    facts, _, rest = text.removeprefix(heading).partition("*\n#\n")
    assert facts.replace("\n# ", " ") == (
        f"{exercise.points} points, about {exercise.minutes} minutes, difficulty "
        f"{exercise.difficulty} of 5, importance {exercise.importance} of 5. "
        f"Before this one: {', '.join(exercise.needs)}. Notebook 04 explains it."
    )
    choices = "\n".join(f"# - {key}: {text}" for key, text in exercise.prediction.choices.items())
    letters = " or ".join(f'"{key}"' for key in exercise.prediction.choices)
    assert f'\n#\n{choices}\n\n# %%\nprediction = ""  # {letters}; it costs no points\n' in rest


def test_notebook_is_written_as_jupyter_writes_it():
    cells = [Cell("# # A title\n#\n#   and text", markdown=True), Cell("x = 'ä'\n\ny = x")]
    text = notebook(cells, metadata=lambda index, cell: {"place": [index, cell.markdown]})
    assert "ä" in text
    assert json.loads(text) == {
        "cells": [
            {
                "cell_type": "markdown",
                "id": "cell-00",
                "metadata": {"place": [0, True]},
                "source": ["# A title\n", "\n", "  and text"],
            },
            {
                "cell_type": "code",
                "id": "cell-01",
                "metadata": {"place": [1, False]},
                "execution_count": None,
                "outputs": [],
                "source": ["x = 'ä'\n", "\n", "y = x"],
            },
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def test_notebook_of_a_student_checks_below_each_cell_to_write_in():
    exercise = course.load("heads")
    sources = ["".join(cell["source"]) for cell in json.loads(student_notebook(exercise))["cells"]]
    [to_write] = [index for index, text in enumerate(sources) if TODO in text]
    check = 'from npformer_course import exercise\n\nexercise("heads").check()\n'
    checks = [index for index, text in enumerate(sources) if text.startswith(check)]
    assert checks == [to_write + 1]


def test_solution_is_the_cells_to_write_in():
    cells = [
        Cell("import numpy"),
        Cell(f"x = 1\n{BEGIN}\ny = 2\n{END}"),
        Cell(f"{BEGIN}\nz\n{END}"),
    ]
    exercise = replace(course.load("heads"), cells=cells)
    assert solution_text(exercise) == "x = 1\ny = 2\n\n\nz\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{BEGIN}\nx", "'# BEGIN SOLUTION' has no '# END SOLUTION'"),
        (f"{BEGIN}\n{BEGIN}\n{END}", "'# BEGIN SOLUTION' has no partner"),
        (f"x\n{END}", "'# END SOLUTION' has no partner"),
    ],
)
def test_marks_of_a_solution_come_in_pairs(text, said):
    with pytest.raises(InputError, match=said):
        without_solution(text)


def test_code_of_an_exercise_keeps_its_indents_lines_and_cells():
    text = f"\n# %% [markdown]\n# A\n\n# %%\ndef f():\n    {BEGIN}\n    return 1\n    {END}\n"
    cells = read_cells(text)
    assert cells == [
        Cell("# A", markdown=True),
        Cell(f"def f():\n    {BEGIN}\n    return 1\n    {END}"),
    ]
    assert code(cells) == f"\n\n\n# %%\ndef f():\n    {BEGIN}\n    return 1\n    {END}\n"
    assert without_solution(text).endswith(f"\ndef f():\n    {TODO}\n")
    with pytest.raises(
        InputError, match="'x = 1' stands above the first cell: expected # %% before"
    ):
        read_cells("x = 1\n# %%\n")
