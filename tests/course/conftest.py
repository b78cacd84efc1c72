"""A student's folder with one exercise, and answers to it."""

import pytest
from run_here import key_text

from npformer_course import index as course
from npformer_course.percent_format import TODO
from npformer_course.sandbox.runner import Sandbox
from npformer_course.step import answer_step
from npformer_course.student import folder
from npformer_course.student.folder import Folder

ID = "layer_norm_backward"


@pytest.fixture(scope="session")
def sandbox():
    box = Sandbox()
    yield box


@pytest.fixture
def lesson(tmp_path):
    """A folder with one exercise."""
    folder.start(tmp_path / "course", [ID])
    return Folder(tmp_path / "course")


@pytest.fixture
def write(lesson):
    """Write an answer: the key, or the key with a change in it, or the function's lines."""

    def write(right="", wrong="", *, lines=None, prediction=""):
        exercise = course.load(ID)
        text = (
            key_text(exercise)
            if lines is None
            else lesson.files[ID].read_text().replace(TODO, lines)
        )
        assert right in text
        text = text.replace(right, wrong, 1).replace(
            'prediction = ""', f'prediction = "{prediction}"'
        )
        lesson.files[ID].write_text(text, encoding="utf-8")

    return write


@pytest.fixture(scope="module")
def right_solutions_once():
    """Record the right solutions of a draw once: it takes half a second."""
    made, make = {}, answer_step.RightArrays

    def right_arrays(exercise, call, one):
        if id(one) not in made:
            made[id(one)] = one, make(exercise, call, one)
        return made[id(one)][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(answer_step, "RightArrays", right_arrays)
        yield
