"""The page for teachers: its commands work as written, and its tables are true."""

import re
import shlex
from pathlib import Path

import pytest

import npformer_course
from npformer_course import course
from npformer_course.files import student_notebook
from npformer_course.grading.exercise_selection import WEEKS, exercise_ids
from tests.run_here import key_text

PAGE = (Path(npformer_course.__file__).parent / "README.md").read_text(encoding="utf-8")
BLOCKS = "\n".join(re.findall(r"^```\w*\n(.*?)^```", PAGE, re.S | re.M)).replace("\\\n", " ")
COMMANDS = [line for line in BLOCKS.split("\n") if line.startswith("npformer ")]
MARK = next(line for line in re.findall(r"`([^`\n]*)`", PAGE) if line.startswith("First Last"))


@pytest.fixture
def submissions_folder(tmp_path, monkeypatch):
    """A folder with what two students handed in, as the working folder holds it."""
    monkeypatch.chdir(tmp_path)
    for student in ("ada", "bob"):
        folder = tmp_path / "handed-in" / student
        folder.mkdir(parents=True)
        for id in exercise_ids("week2"):
            path = folder / f"{course.stem(id)}.py"
            path.write_text(key_text(course.load(id)), encoding="utf-8")
    return tmp_path


@pytest.mark.long
def test_page_commands_work_in_sequence(submissions_folder, command):
    assert len(COMMANDS) == 7
    for line in COMMANDS:
        status, _, err = command(*shlex.split(line)[1:])
        assert (status, err) == (0, ""), line
    total = sum(course.load(id).points for id in exercise_ids("week2"))
    assert (
        (submissions_folder / "results/class.csv")
        .read_text(encoding="utf-8")
        .endswith(f",0,{total},{total}\n")
    )
    told = re.findall(r"`((?:class|marks|result|gradescope|feedback|autograder)\.\w+)`", PAGE)
    written = {path.name for path in submissions_folder.rglob("*")}
    assert {*told} - written == set() and len({*told}) == 6
    marks = submissions_folder / "results/marks.csv"
    marks.write_text(marks.read_text() + MARK.replace("First Last,softmax", "ada,heads") + "\n")
    command(*shlex.split(COMMANDS[2])[1:])
    assert (
        f"\nada,{','.join(str(course.load(id).points) for id in exercise_ids('week2'))},2,{total + 2},"
        in (submissions_folder / "results/class.csv").read_text(encoding="utf-8")
    )


@pytest.mark.long
def test_container_command_exists_and_runs(submissions_folder, command):
    (line,) = (line for line in BLOCKS.split("\n") if line.startswith("docker run"))
    arguments = shlex.split(line.rpartition("npformer npformer ")[2])
    command("course", "collect", "handed-in", "--out", "submissions")
    there = [
        word.replace("/submissions", "submissions").replace("/results", "results")
        for word in arguments
    ]
    assert command(*there).status == 0
    for option in (
        "--network none",
        "--read-only",
        "--tmpfs /tmp",
        ":/submissions:ro",
        "--pids-limit",
        "--memory",
    ):
        assert option in line


def test_solution_that_was_passed_on_is_found(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    [copied] = [line for line in BLOCKS.split("\n") if line.startswith("cp ")]
    _, source, target = shlex.split(copied)
    id = Path(source).parent.name
    solution = Path(npformer_course.__file__).parents[1] / source
    for path in (Path(target), Path("submissions/ada", Path(target).name)):
        path.parent.mkdir(parents=True)
        path.write_text(key_text(course.load(id)) if "ada" in path.parts else solution.read_text())
    assert command("course", "grade", "submissions", "--set", id, "--out", "results").status == 0
    page = Path("results/class.html").read_text(encoding="utf-8")
    assert f"{Path(target).stem}, alike: ada, solution" in page


def test_file_with_all_exercises_is_graded_for_one_week(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "submissions" / "ada"
    folder.mkdir(parents=True)
    for id in course.EXERCISES:
        (folder / f"{course.stem(id)}.ipynb").write_text(student_notebook(course.load(id)))
    assert command("course", "grade", "submissions", "--set", "week2").status == 0
    total = sum(course.load(id).points for id in exercise_ids("week2"))
    [_, row] = Path("results/class.csv").read_text(encoding="utf-8").splitlines()
    assert row.startswith("ada,0,") and row.endswith(f",0,{total}")


def test_page_lists_existing_weeks():
    rows = re.findall(r"(week\d+) \| (\d\d(?:-\d\d)?) ", PAGE)
    assert dict(rows) == WEEKS


@pytest.mark.parametrize(
    "words", re.findall(r"`([^`]*)`", PAGE.partition("commas between: ")[2].partition("\n")[0])
)
def test_page_sets_are_valid(words):
    assert exercise_ids(words)


def test_page_options_exist(command):
    options = {*re.findall(r"`(--[a-z]+)`", PAGE)}
    shown = "".join(
        command("course", verb, "--help").out for verb in ("release", "collect", "grade")
    )
    assert options and all(option in shown for option in options)
