"""What hands things on: options that must arrive, limits that must hold, and the order in which a student reads."""

import sys

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.cells import BEGIN
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.render import cells_of
from npformer.classroom.sandbox.limits import FILE_SIZE, MEMORY
from npformer.classroom.tolerance import right, same


def test_dev_check_tries_as_many_seeds_as_it_is_told(command, monkeypatch):
    tried = []
    monkeypatch.setattr("npformer.cli.classroom.dev.complaints", lambda exercise, seed: tried.append(seed) or [])
    for number in (1, 4):
        tried.clear()
        assert command("class", "dev", "check", "softmax", "--seeds", number).status == 0
        assert tried == list(range(number))


def test_train_takes_the_epochs_that_it_is_told(command, lesson, monkeypatch):
    class Begun(Exception):
        pass

    def begin(*arguments, epochs, **settings):
        raise Begun(epochs)

    monkeypatch.chdir(lesson.path)
    monkeypatch.setattr("npformer.cli.classroom.train.begin", begin)
    for options, epochs in (([], 10), (["--epochs", 3], 3)):
        with pytest.raises(Begun, match=f"^{epochs}$"):
            command("class", "train", *options)


@pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's")
def test_the_child_has_limits_of_memory_files_and_time_and_one_arena(sandbox):
    case = Case(course.load("softmax"), 0)
    asks = (
        "import os, resource as r\nprint(*(r.getrlimit(w)[0] for w in (r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_CPU)))\n"
    )
    text = f"{asks}print(os.environ['MALLOC_ARENA_MAX'])\n{case.exercise.key}"
    memory, size, seconds, arenas = map(int, sandbox.run(case.exercise, text, case.jobs[:1]).printed.split())
    assert MEMORY < memory < MEMORY + (4 << 30)
    assert (size, arenas) == (FILE_SIZE, 1)
    assert sandbox.seconds <= seconds <= 3 * sandbox.seconds + 1


def test_what_is_only_rounding_is_compared_as_zero():
    assert same(np.array([4e-17, 0.0]), np.array([1e-17, -3e-17]))
    assert not same(np.array([4e-7]), np.array([1e-7]))


def test_ones_and_zeros_are_no_truths_but_truths_are_ones_and_zeros():
    truths = np.array([True, False])
    assert not right(truths.astype(float), truths)
    assert right(truths, truths) and right(truths, truths.astype(float))


@pytest.mark.parametrize("id", course.ids())
def test_the_prediction_is_asked_before_the_task(id):
    cells = cells_of(course.load(id))
    to_write = next(i for i, cell in enumerate(cells) if BEGIN in cell.text)
    asked = next(i for i, cell in enumerate(cells) if cell.text.startswith("prediction ="))
    assert asked < to_write and cells[asked - 1].text.startswith("# ## Predict first")
    assert all(cell.markdown for cell in cells[asked + 1 : to_write])
    if course.load(id).cells[len(cells[:to_write]) - 3].markdown:
        assert asked + 1 < to_write  # the task's own prose stands between
