"""A student's folder with one exercise, as the working folder, and answers to it."""

import pytest

from npformer_course import course
from npformer_course.course import stem
from tests.run_here import key_text

ID = "layer_norm_backward"
FILE = f"{stem('layer_norm_backward')}.py"


@pytest.fixture
def here(tmp_path, monkeypatch, command):
    """A student's folder, as the working folder."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    status, out, err = command("course", "start", "my-course", ID)
    assert (status, err) == (0, "") and f"open {FILE} in an editor" in out
    monkeypatch.chdir(tmp_path / "my-course")
    return tmp_path / "my-course"


@pytest.fixture
def answer(here):
    def answer(right="", wrong=""):
        (here / FILE).write_text(
            key_text(course.load(ID)).replace(right, wrong, 1), encoding="utf-8"
        )

    return answer
