"""A class that has handed in."""

import pytest

from npformer_course.course import stem
from npformer_course.grading.grade_class import grade
from tests.course.grading.submissions import ANSWERS, FILES, HEADS


@pytest.fixture
def hand_in(tmp_path):
    """Write a student's answers: `hand_in("ada", heads=text)`; return the folder of the class."""

    def write(student, suffix=".py", **texts):
        folder = tmp_path / "class" / student
        folder.mkdir(parents=True, exist_ok=True)
        for id, text in texts.items():
            content = text if isinstance(text, bytes) else text.encode()
            (folder / f"{FILES[id]}{suffix}").write_bytes(content)
        return tmp_path / "class"

    return write


@pytest.fixture(scope="session")
def graded(tmp_path_factory):
    """A class of one of each, graded."""
    folder = tmp_path_factory.mktemp("graded")
    for name, text in ANSWERS.items():
        (folder / name).mkdir()
        (folder / name / f"{stem('heads')}.py").write_text(text, encoding="utf-8")
    (folder / "nothing").mkdir()
    return grade(folder, [HEADS], seconds=1, workers=2)
