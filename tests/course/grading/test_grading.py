"""What an answer is worth, whatever is wrong with it, and that grading it again changes nothing."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from npformer.utils.errors import InputError
from npformer_course import course
from npformer_course.case import Case
from npformer_course.course import stem
from npformer_course.definition import Edit, Mistake
from npformer_course.execution import Answer
from npformer_course.grading import grade_class
from npformer_course.grading.collect import LARGEST
from npformer_course.grading.grade_class import grade, students_in
from npformer_course.report import total
from npformer_course.sandbox.runner import Sandbox
from npformer_course.student.folder import SEED as OF_STUDENTS
from tests.course.grading.submissions import ANSWERS, HEADS, RIGHT, WARMUP, as_notebook, blank, key

PARTS = ["heads", "merged", "inputs unchanged"]
POINTS = [4, 2, 1]


def outcomes(reports):
    return [part.outcome for part in reports[0].parts]


@pytest.mark.long
@pytest.mark.parametrize(
    ("student", "expected", "points"),
    [
        ("full", ["right"] * 3, 7),
        ("blank", ["unattempted"] * 3, 0),
        ("nothing", ["unattempted"] * 3, 0),
        ("half", ["unattempted", "right", "right"], 3),
        ("wrong", ["right", "wrong", "right"], 5),
        ("crashing", ["right", "error", "right"], 5),
        ("raising", ["right", "error", "right"], 5),
        ("looping", ["right", "timeout", "right"], 5),
        ("not_python", ["error", "error", "unattempted"], 0),
    ],
)
def test_each_part_has_its_own_points(graded, student, expected, points):
    report = graded[student][0]
    assert [part.name for part in report.parts] == PARTS and [
        part.out_of for part in report.parts
    ] == POINTS
    assert outcomes(graded[student]) == expected
    assert total(graded[student]) == (points, 7)
    assert all(type(part.points) is int for part in report.parts)


@pytest.mark.usefixtures("without_sandbox")
def test_missing_submission_is_reported(hand_in):
    hand_in("ada", heads=blank())
    [report] = grade(hand_in("nobody"), [HEADS])["nobody"]
    assert {part.finding.text for part in report.parts} == {"nothing was handed in"}
    assert not report.attempted


@pytest.mark.parametrize(
    ("content", "suffix", "told"),
    [
        (
            b"\xff\xfe\x00",
            ".py",
            f"{stem('heads')}.py is not UTF-8 at byte 0: save it as UTF-8 text",
        ),
        (
            b"[]",
            ".ipynb",
            f"{stem('heads')}.ipynb is damaged: expected a JSON object, it holds a list",
        ),
        (
            b'{"cells": 3}',
            ".ipynb",
            f"{stem('heads')}.ipynb is no notebook: expected an object with cells",
        ),
        (
            b"#" * (LARGEST + 1),
            ".py",
            f"{stem('heads')}.py is larger than 4 MiB: leave out what is not code, "
            "such as the outputs of a notebook",
        ),
    ],
    ids=str.__class__,
)
def test_unreadable_file_is_reported_without_teacher_paths(hand_in, content, suffix, told):
    (result,) = grade(hand_in("ada", suffix, heads=content), [HEADS]).values()
    assert outcomes(result) == ["error"] * 3 and total(result)[0] == 0
    finding = result[0].parts[0].finding
    assert (finding.kind, finding.id, finding.text) == ("guard", "unreadable", told)


@pytest.mark.usefixtures("without_sandbox")
def test_file_of_the_largest_size_is_graded(hand_in, monkeypatch):
    monkeypatch.setattr(grade_class, "LARGEST", len(key().encode()))
    assert total(grade(hand_in("ada", heads=key()), [HEADS])["ada"]) == (7, 7)


@pytest.mark.usefixtures("without_sandbox")
def test_exception_in_check_affects_only_that_answer(hand_in, monkeypatch):
    def check(case, code, run):
        if code == blank():
            raise OverflowError("too\nlarge")
        return grade_check(case, code, run)

    grade_check = grade_class.check
    monkeypatch.setattr(grade_class, "check", check)
    hand_in("ada", heads=blank())
    ada, bob = grade(hand_in("bob", heads=key()), [HEADS]).values()
    assert outcomes(ada) == ["error"] * 3 and total(bob) == (7, 7)
    assert ada[0].parts[0].finding.text == "the answer cannot be checked: OverflowError: too large"


@pytest.mark.usefixtures("without_sandbox")
@pytest.mark.parametrize(
    "edit",
    [
        Edit(RIGHT, "return [][0]"),  # raises when it is called
        Edit("import numpy as np", "import numpy as np\n\n1 / 0"),  # when it is loaded
        Edit("a line that the solution does not have", ""),
    ],
    ids=str.__class__,
)
def test_known_mistake_that_fails_to_run_costs_its_own_name_alone(hand_in, monkeypatch, edit):
    exercise = course.load(HEADS)
    mistakes = (Mistake("failing", "{part} is failing", edit, ask="Why?"), *exercise.mistakes)
    changed = replace(exercise, mistakes=mistakes)
    monkeypatch.setattr(course, "load", lambda id: changed)
    [report] = grade(hand_in("ada", heads=ANSWERS["wrong"]), [HEADS])["ada"]
    assert report.points == 5
    [wrong] = [part.finding for part in report.parts if part.outcome == "wrong"]
    assert wrong.kind == "mistake" and wrong.id != "failing"


HOSTILE = """
import os, struct
from npformer_course.execution import Answer
from npformer_course.sandbox.protocol import pack_answer
_forged = pack_answer(1, Answer("done", frames=((1, 2, 3),)), "")

def _attack(call=lambda: None):
    def attack(*args, **kwargs):
        for n in range(3, 99):
            try:
                os.write(n, {written})
            except OSError:
                pass
        return call(*args, **kwargs)
    return attack

_attack()()
for _name, _f in list(globals().items()):
    if hasattr(_f, "__code__") and _name[0] != "_":
        globals()[_name] = _attack(_f)
"""


@pytest.mark.long
def test_answers_that_write_to_open_files_change_no_points_of_the_class(tmp_path):
    written = {"bob": "struct.pack('<Q', 2**64 - 1) * 3", "eve": "bytes(64)", "mallory": "_forged"}
    ids = course.EXERCISES[1:10]
    for student in ("ada", *written, "zoe"):
        (tmp_path / student).mkdir()
        for id in ids:
            text = key(id) + (
                HOSTILE.format(written=written[student]) if student in written else ""
            )
            (tmp_path / student / f"{course.stem(id)}.py").write_text(text)
    points = {student: total(reports) for student, reports in grade(tmp_path, ids).items()}
    all_points = sum(course.load(id).points for id in ids)
    full, none = (all_points, all_points), (0, all_points)
    assert points == {"ada": full, **dict.fromkeys(written, none), "zoe": full}


@pytest.mark.usefixtures("without_sandbox")
def test_notebooks_are_graded_like_files(hand_in):
    hand_in("ada", ".ipynb", heads=as_notebook(ANSWERS["wrong"]))
    folder = hand_in("bob", heads=ANSWERS["wrong"])
    ada, bob = grade(folder, [HEADS]).values()
    assert total(ada)[0] == 5 and repr(ada[0].parts) == repr(bob[0].parts)


def test_cell_that_fails_costs_nothing_and_is_told_alike_each_time(hand_in):
    cells = json.loads(as_notebook(key()))
    failing = "import os\nos.listdir(os.path.abspath('data'))"
    for source in (failing, "raise ValueError(object())"):
        cells["cells"].append({"cell_type": "code", "source": source})
    folder = hand_in("ada", ".ipynb", heads=json.dumps(cells))
    first, second = grade(folder, [HEADS])["ada"], grade(folder, [HEADS])["ada"]
    assert total(first)[0] == 7
    assert first[0].failed_cells == second[0].failed_cells and len(first[0].failed_cells) == 2
    assert first[0].failed_cells[0].endswith("No such file or directory: '.../data'")


@pytest.mark.usefixtures("without_sandbox")
def test_python_file_takes_precedence_over_notebook(hand_in):
    hand_in("ada", ".ipynb", heads=as_notebook(blank()))
    text = key().replace('prediction = ""', 'prediction = "b"')
    [report] = grade(hand_in("ada", heads=text), [HEADS])["ada"]
    assert (report.points, report.predicted, report.code) == (7, "b", text)


@pytest.mark.usefixtures("without_sandbox")
def test_exercises_keep_order_and_missing_one_gets_zero(hand_in):
    (result,) = grade(hand_in("ada", heads=key()), [WARMUP, HEADS]).values()
    assert [report.exercise for report in result] == [WARMUP, HEADS]
    assert total(result) == (7, 14)


@pytest.mark.usefixtures("without_sandbox")
def test_memorized_student_draws_earn_no_points(hand_in):
    case = Case(course.load(HEADS), OF_STUDENTS)
    known = {drawn.inputs["heads"].tobytes(): None for drawn in case.draws}
    text = ANSWERS["wrong"] + (
        f"\n_known = {list(known)!r}\n_wrong = merge_heads\n\ndef merge_heads(heads):\n"
        "    if heads.tobytes() in _known:\n"
        "        return np.concatenate([*heads.swapaxes(0, 1)], -1)\n"
        "    return _wrong(heads)\n"
    )
    folder = hand_in("ada", heads=text)
    assert total(grade(folder, [HEADS], seed=OF_STUDENTS)["ada"])[0] == 7
    assert total(grade(folder, [HEADS])["ada"])[0] == 5


def test_time_limit_is_enforced(hand_in):
    slow = key().replace(RIGHT, f"import time; time.sleep(0.2)\n    {RIGHT}")
    folder = hand_in("ada", heads=slow)
    assert outcomes(grade(folder, [HEADS], seconds=0.1)["ada"])[1] == "timeout"
    assert total(grade(folder, [HEADS], seconds=9)["ada"])[0] == 7


@pytest.mark.usefixtures("without_sandbox")
def test_grading_is_independent_of_worker_count(hand_in):
    for name in ("wrong", "raising"):
        folder = hand_in(name, heads=ANSWERS[name])
    assert repr(grade(folder, [HEADS], workers=1)) == repr(grade(folder, [HEADS], workers=2))


def test_students_in_lists_folders_or_a_single_student(hand_in, monkeypatch):
    hand_in("ada", heads=key())
    folder = hand_in("bob")
    (folder / ".hidden").mkdir()
    (folder / "__MACOSX").mkdir()
    (folder / "results").mkdir()
    (folder / "results" / "marks.csv").touch()
    (folder / "notes.txt").touch()
    assert [*students_in(folder)] == ["ada", "bob"]
    monkeypatch.chdir(folder / "ada")
    assert students_in(Path()) == {"ada": Path()}


def test_answer_next_to_students_does_not_hide_them(hand_in):
    folder = hand_in("ada", heads=key())
    (folder / f"{stem('heads')}.py").write_text(key())
    with pytest.raises(InputError) as error:
        students_in(folder)
    assert str(error.value) == (
        f"{folder} holds an answer, and so does {folder / 'ada'}: "
        "move the one that is not the student's"
    )

    # what a notebook keeps next to it
    (folder / "ada").rename(folder / "my-transformer")
    assert [*students_in(folder)] == ["class"]


def test_students_of_one_name_in_a_table_are_refused(hand_in):
    hand_in("a!", heads=key())
    folder = hand_in("a#", heads=key())
    with pytest.raises(InputError) as error:
        students_in(folder)
    assert str(error.value) == (
        f"{folder / 'a!'} and {folder / 'a#'} are both called 'a_' in a table: rename one of them"
    )


def test_results_next_to_the_submissions_are_no_student(hand_in):
    folder = hand_in("ada", heads=key())
    (folder / "marks.csv").touch()
    (folder / "students").mkdir()
    assert [*students_in(folder)] == ["ada"]


def test_student_is_graded_whatever_else_is_handed_in(hand_in):
    folder = hand_in("ada", heads=key())
    (folder / "ada" / "marks.csv").touch()
    (folder / "marks.csv").touch()
    hand_in("students", heads=key())
    assert [*students_in(folder)] == ["ada", "students"]


def test_folder_without_answers_is_rejected(tmp_path):
    with pytest.raises(InputError, match="is not a folder"):
        students_in(tmp_path / "nowhere")
    for name in ("a/holiday.py", f"b/deeper/{stem('heads')}.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    with pytest.raises(
        InputError, match=r"no folder in .* holds an answer, such as .*npformer course collect"
    ):
        students_in(tmp_path)


def test_part_names_are_unique_within_each_exercise():
    for id in course.EXERCISES:
        names = [part for call in course.load(id).calls for part in call.parts]
        assert len({*names, "inputs unchanged"}) == len(names) + 1


@pytest.mark.usefixtures("without_sandbox")
def test_addresses_in_an_error_are_the_same_in_every_grading(hand_in):
    """Those of Python's objects differ from run to run, and the feedback must not."""
    text = key().replace(RIGHT, f"raise ValueError(object())\n    {RIGHT}")
    [report] = grade(hand_in("ada", heads=text), [HEADS])["ada"]
    texts = [part.finding.text for part in report.parts if part.outcome == "error"]
    assert texts and all("<object object at 0x...>" in text for text in texts)


def test_what_an_answer_sends_is_told_in_utf_8(hand_in, monkeypatch):
    """An answer can write its own messages to the checker."""

    def run(box, exercise, code, jobs):
        return [Answer("raised", error="E: \ud800", place="line 1")] * len(jobs), ""

    monkeypatch.setattr(Sandbox, "run", run)
    [report] = grade(hand_in("ada", heads=key()), [HEADS])["ada"]
    assert report.parts[0].finding.text.startswith("the call ended in line 1 with E: ? (here ")
