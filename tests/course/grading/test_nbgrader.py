"""The whole way in a real nbgrader: from our source to released, submitted, graded, told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import npformer
from npformer_course import course
from npformer_course.course import stem
from npformer_course.grading.release import release
from npformer_course.percent_format import BEGIN, without_marks
from npformer_course.report import total
from tests.course.grading.submissions import HEADS, RIGHT

pytestmark = pytest.mark.notebooks
(SOLUTION,) = (without_marks(cell.text) for cell in course.load(HEADS).cells if BEGIN in cell.text)


@pytest.fixture(scope="module")
def nbgrader(tmp_path_factory):
    """Run nbgrader in a course of its own: `nbgrader("autograde", "week")`."""
    pytest.importorskip("nbgrader", reason="needs nbgrader: pip install nbgrader")
    folder = tmp_path_factory.mktemp("course")
    (folder / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "course"\n'
    )
    release(folder, [HEADS], "nbgrader", name="week")
    home = str(tmp_path_factory.mktemp("home"))
    path = os.pathsep.join(
        [str(Path(npformer.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    )
    # nbgrader wants alembic there
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    jupyter = str(Path(sys.prefix, "share", "jupyter"))
    own = {"HOME": home, "PYTHONPATH": path, "PATH": programs, "JUPYTER_PATH": jupyter}

    def run(*arguments):
        command = [sys.executable, "-m", "nbgrader", *arguments]
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **own}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return folder

    run("generate_assignment", "week", "--create")
    return run


@pytest.fixture(scope="module")
def released(nbgrader):
    """The notebook that students get."""
    return json.loads(
        (nbgrader("--version") / f"release/week/{stem('heads')}.ipynb").read_text(encoding="utf-8")
    )


@pytest.fixture(scope="module")
def graded(nbgrader, released):
    """Points by student and part, and the folder of the course."""
    folder = nbgrader("--version")
    splits = "return parts.swapaxes(1, 2)"
    assert SOLUTION.count(RIGHT) == SOLUTION.count(splits) == 1
    answers = {
        "right": SOLUTION,
        "blank": None,
        "half": SOLUTION.replace(splits, "raise NotImplementedError"),
        "wrong": SOLUTION.replace(RIGHT, "return heads.sum(1)"),
        "raising": SOLUTION.replace(RIGHT, "[][0]"),
        "cheating": None,
    }
    for student, text in answers.items():
        notebook = filled(released, text, cheats=student == "cheating")
        path = folder / "submitted" / student / "week" / f"{stem('heads')}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
    nbgrader("autograde", "week", "--create")
    nbgrader("generate_feedback", "week")
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        points = {
            submission.student.id: {
                grade.name.removeprefix("heads-"): grade.score
                for own in submission.notebooks
                for grade in own.grades
            }
            for submission in book.assignment_submissions("week")
        }
    return points, folder


def filled(released, text, *, cheats=False):
    """Return a notebook with an answer in its cell; a cheater makes the grading cells empty."""
    notebook = json.loads(json.dumps(released))
    for cell in notebook["cells"]:
        own = cell["metadata"].get("nbgrader", {})
        if own.get("solution"):
            cell["source"] = text or cell["source"]
        elif own.get("grade") and cheats:
            cell["source"] = "pass"
        elif "".join(cell["source"]).startswith("prediction ="):
            cell["source"] = 'prediction = "a"'
    return notebook


def test_released_files_have_no_solutions_or_hidden_tests(released):
    text = json.dumps(released)
    assert (
        RIGHT not in text and "HIDDEN" not in text and "seed" not in text and "SOLUTION" not in text
    )
    assert text.count("YOUR CODE HERE") == 2 and text.count(".require(") == 3


def test_each_part_is_graded_separately(graded):
    points, _ = graded
    all_of_it = {"heads": 4, "merged": 2, "inputs-unchanged": 1}
    assert points == {
        "right": all_of_it,
        "blank": dict.fromkeys(all_of_it, 0),
        "cheating": dict.fromkeys(all_of_it, 0),
        "half": all_of_it | {"heads": 0},
        "wrong": all_of_it | {"merged": 0},
        "raising": all_of_it | {"merged": 0},
    }


def test_feedback_identifies_the_mistake(graded):
    _, folder = graded
    told = {
        name: (folder / f"feedback/{name}/week/{stem('heads')}.html").read_text(encoding="utf-8")
        for name in graded[0]
    }
    (mistake,) = (
        mistake
        for mistake in course.load(HEADS).mistakes
        if "return heads.sum(1)" in course.load(HEADS).mistaken(mistake)
    )
    assert mistake.says in told["wrong"] and mistake.ask in told["wrong"]
    assert "merged: error" in told["raising"] and "IndexError" in told["raising"]
    assert "AssertionError" not in told["right"] and "heads: unattempted" in told["half"]


def test_student_prediction_is_unchanged(graded):
    text = (graded[1] / f"autograded/right/week/{stem('heads')}.ipynb").read_text(encoding="utf-8")
    assert 'prediction = \\"a\\"' in text


def test_npformer_grades_nbgrader_submissions(graded):
    from npformer_course.grading.collect import collect
    from npformer_course.grading.grade_class import grade

    students, problems = collect([graded[1] / "submitted"], graded[1] / "collected")
    assert {*students} == {*graded[0]} and not problems
    ours = {}
    for student, reports in grade(graded[1] / "collected", [HEADS]).items():
        ours[student], _ = total(reports)
    assert ours == {student: sum(points.values()) for student, points in graded[0].items()}
