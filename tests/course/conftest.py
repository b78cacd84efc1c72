"""A student's folder with one exercise, and answers to it."""

import pytest

from npformer_course import course
from npformer_course.percent_format import TODO
from npformer_course.sandbox.runner import Sandbox
from npformer_course.student import folder
from npformer_course.student.folder import Folder
from tests.run_here import key_text

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
