"""Options that must arrive, limits that must hold, and the order in which a student reads."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.course import stem
from npformer_course.files import cells_of
from npformer_course.percent_format import BEGIN
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
