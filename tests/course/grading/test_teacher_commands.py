"""`npformer course release`, `collect` and `grade`: every option, and every error."""

import json
import os
import zipfile
from pathlib import Path

import pytest

from npformer_course.course import stem
from tests.course.grading.submissions import ANSWERS, HEADS, WARMUP, blank, key

pytestmark = pytest.mark.usefixtures("without_sandbox")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path


@pytest.fixture
def class_folder(hand_in):
    hand_in("ada", heads=key(), warmup=key(WARMUP))
    return hand_in("bob", heads=ANSWERS["wrong"])


def test_release_prints_written_files(command, place):
    status, out, err = command("course", "release", "--set", "heads,warmup", "--out", "a")
    assert (status, err) == (0, "")
    files = [os.path.join("a", name) for name in (f"{stem('heads')}.py", f"{stem('warmup')}.py")]
    assert out == "\n".join([*files, "2 files in a\n"])
    assert (place / "a" / f"{stem('heads')}.py").read_text(encoding="utf-8") == blank()


def test_release_options_kind_name_seed_and_install(command, place):
    settings = ["--set", "heads", "--seed", "99", "--out", "a"]
    assert command("course", "release", "--as", "nbgrader", "--name", "ps1", *settings).status == 0
    assert "seed=99" in (place / f"a/source/ps1/{stem('heads')}.ipynb").read_text(encoding="utf-8")
    assert command("course", "release", "--as", "nbgrader", *settings).status == 0
    assert (place / f"a/source/heads/{stem('heads')}.ipynb").exists()
    scope = ["release", "--as", "gradescope", "--install", "npformer-x", *settings]
    assert command("course", *scope).status == 0
    with zipfile.ZipFile(place / "a/autograder.zip") as archive:
        assert b"pip install npformer-x" in archive.read("setup.sh")
        assert b"--seed 99" in archive.read("run_autograder")


def test_options_of_a_site(command, place, monkeypatch):
    given = []

    def write(out, ids, **settings):
        given.append((out, ids, settings))
        return [out / "index.html"]

    monkeypatch.setattr("npformer_course.grading.release.write_class_site", write)
    line = "course release --as site --set heads --name Week --offline pyodide --out site"
    out = command(*line.split()).out
    assert out == f"{Path('site', 'index.html')}\n1 file in site\n"
    command(*"course release --as site --set heads,warmup --out site".split())
    assert given == [
        (Path("site"), [HEADS], {"title": "Week", "offline": Path("pyodide")}),
        (Path("site"), [HEADS, WARMUP], {"title": "heads_warmup", "offline": None}),
    ]


def test_collect_prints_students_and_counts(command, class_folder, place):
    (class_folder / "eve").mkdir()
    status, out, err = command("course", "collect", "class", "--out", "in")
    assert (status, err) == (0, "")
    assert out == "ada: 2 exercises\nbob: 1 exercise\neve: no exercise found\n3 students in in\n"
    assert (place / f"in/ada/{stem('heads')}.py").read_text(encoding="utf-8") == key()


def test_collect_for_one_student(command, class_folder, place):
    status, out, _ = command("course", "collect", "class/ada", "--student", "Ada L", "--out", "in")
    assert status == 0 and out == "Ada L: 2 exercises\n1 student in in\n"


def test_collect_failure_is_reported_and_sets_exit_status(command, class_folder):
    (class_folder / "eve.zip").write_bytes(b"no")
    status, out, err = command("course", "collect", "class", "--out", "in")
    assert status == 1 and "bob: 1 exercise\n" in out
    assert (
        err.startswith("npformer: eve: eve.zip is not a whole zip file (") and err.count("\n") == 1
    )


def test_collect_names_a_misnamed_answer_and_sets_exit_status(command, class_folder):
    name = f"{stem('warmup')}.py"
    (class_folder / "ada" / name).rename(class_folder / "ada" / f"{name}.txt")
    status, out, err = command("course", "collect", "class", "--out", "in")
    assert status == 1 and "ada: 1 exercise\nbob: 1 exercise\n" in out
    assert err == (
        f"npformer: ada: {name}.txt is not taken: "
        f"if it is the answer to {stem('warmup')}, call it {name}\n"
    )


def test_grade_prints_one_line_per_student_and_writes_results(command, class_folder, place):
    (class_folder / "eve").mkdir()
    status, out, err = command("course", "grade", "class", "--set", "heads,warmup")
    assert (status, err) == (0, "")
    first, second, third, last = out.splitlines()
    assert first == "1/3 ada: 14 of 14" and second == "2/3 bob: 5 of 14; not handed in: warmup"
    assert third == "3/3 eve: 0 of 14; nothing handed in"
    assert last.startswith("3 students in ") and last.endswith(
        f"The class: {os.path.join('results', 'class.html')}"
    )
    assert sorted(os.listdir(place / "results")) == [
        "class.csv",
        "class.html",
        "marks.csv",
        "students",
    ]
    files = ["feedback.txt", "gradescope.json", "result.json"]
    assert sorted(os.listdir(place / "results/students/bob")) == files


def test_places_of_ten_students_are_below_each_other(command, hand_in):
    for number in range(10):
        folder = hand_in(f"s{number}", heads=blank())
    lines = command("course", "grade", folder, "--set", "heads").out.splitlines()
    assert (lines[0], lines[9]) == (" 1/10 s0: 0 of 7", "10/10 s9: 0 of 7")


def test_grade_options_set_seed_and_out(command, class_folder, place):
    command("course", "grade", "class", "--set", "heads", "--seed", "0", "--out", "elsewhere")
    result = json.loads((place / "elsewhere/students/ada/result.json").read_text())
    assert (result["seed"], [one["exercise"] for one in result["exercises"]]) == (0, [HEADS])
    assert not (place / "results").exists()


def test_grade_options_seconds_and_workers(command, hand_in, monkeypatch):
    from npformer_course.cli import teacher as verb

    given = {}
    grade = verb.grade_class
    monkeypatch.setattr(
        verb, "grade_class", lambda *a, **settings: given.update(settings) or grade(*a, **settings)
    )
    hand_in("ada", heads=key())
    command(
        "course",
        "grade",
        "class",
        "--set",
        "heads",
        "--seconds",
        "7",
        "--workers",
        "1",
        "--seed",
        "0",
    )
    assert (given["seconds"], given["workers"], given["seed"]) == (7, 1, 0)


def test_a_folder_that_is_not_there_leaves_no_results(refused, place):
    assert "nowhere is not a folder" in refused("course", "grade", "nowhere", "--out", "results")
    assert not (place / "results").exists()


def test_damaged_marks_are_reported_before_grading(refused, class_folder, place, monkeypatch):
    from npformer_course.cli import teacher as verb

    monkeypatch.setattr(verb, "grade_class", lambda *a, **settings: pytest.fail("graded first"))
    (place / "results").mkdir()
    (place / "results/marks.csv").write_text("student,exercise,points,comment\nada,,many,\n")
    assert "line 2: points must be a number, got 'many'" in refused("course", "grade", "class")


def test_marks_for_unknown_students_are_reported(command, class_folder, place):
    (place / "results").mkdir()
    (place / "results/marks.csv").write_text(
        "student,exercise,points,comment\naad,,1,\nada,heads,1,\n,,1,\n"
    )
    status, _, err = command("course", "grade", "class", "--set", "heads")
    assert status == 0
    table = os.path.join("results", "marks.csv")
    assert err.splitlines() == [
        f"npformer: {table} has marks for {who}, whose answers are not in class"
        for who in ("nobody", "aad")
    ]


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("release --out a --seed -1", "--seed"),
        ("grade class --seed -1", "--seed"),
        ("grade class --seconds 0", "--seconds"),
        ("grade class --seconds 86401", "--seconds"),
        ("grade class --workers 0", "--workers"),
        ("check --seed -1", "--seed"),
        ("check --seconds 0", "--seconds"),
        ("check --seconds 86401", "--seconds"),
        ("train --epochs 0", "--epochs"),
        ("write --temperature 0", "--temperature"),
        ("write --top-p 0", "--top-p"),
        ("write --top-p 1.1", "--top-p"),
        ("write --seed -1", "--seed"),
        ("score class --seconds 0", "--seconds"),
        ("score class --seconds 86401", "--seconds"),
        ("score class --workers 0", "--workers"),
        ("lint heads --seed -1", "--seed"),
    ],
)
def test_number_out_of_its_range_is_refused(refused, line, option):
    assert f"argument {option}: expected " in refused("course", *line.split())
