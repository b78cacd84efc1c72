"""`npformer course`: a saved file is checked, a pass leads to the next exercise."""

import os
from types import SimpleNamespace

import pytest

from npformer_course import course
from npformer_course.cli import student, terminal
from npformer_course.course import stem
from npformer_course.format_report import Line
from npformer_course.order import place_of
from npformer_course.student.student_layers import MODEL_PARTS
from tests.run_here import key_text

pytestmark = pytest.mark.usefixtures("without_sandbox")
ID, FILE = "layer_norm_backward", f"{stem('layer_norm_backward')}.py"
FIRST = "positions"


@pytest.fixture
def watch(command, monkeypatch):
    """Run `npformer course`; do one thing between two looks at the files, and then press Ctrl-C."""

    def run(*actions):
        # saved: the same at two looks
        steps = iter([step for action in actions for step in (action, lambda: None)])

        def sleep(seconds):
            step = next(steps, None)
            if step is None:
                raise KeyboardInterrupt
            step()

        monkeypatch.setattr(student, "time", SimpleNamespace(sleep=sleep))
        return command("course")

    return run


def test_each_save_is_checked_until_last_exercise_passes(watch, answer):
    status, out, err = watch(lambda: answer("- along_ones", ""), answer)
    assert (status, err) == (0, "")
    wrong, right = out.index("✗ dx: wrong"), out.index("8 of 8 points")
    assert (
        out.index(f"Open {FILE}")
        < wrong
        < right
        < out.index("All checks passed, in every exercise.")
    )
    assert f"npformer course solution {ID}" in out
    assert out.startswith(f"0 of {len(MODEL_PARTS)} parts of your Transformer are yours.\n\n")
    part, notebook = place_of(ID)
    exercise = course.load(ID)
    heading = f"{exercise.number:02} {exercise.title} (1 of 1)"
    place = f"{part.title}, notebook {exercise.number:02}: {notebook.title}"
    worth = f"{exercise.points} points, about {exercise.minutes} minutes."
    assert f"\n\n{place}\n{heading}\nOpen {FILE}: {worth}\n" in out
    # a blank line before each check, and before what follows the last
    for beginning in (f"{exercise.number:02} {exercise.title}: ", "All checks passed, in every"):
        assert out.count(f"\n{beginning}") == out.count(f"\n\n{beginning}") > 0
    assert "It is a part of your Transformer. To run it: npformer course train\n" in out


def test_only_first_pass_advances_to_next_exercise(watch, here, monkeypatch, command):
    command("course", "start", "two", FIRST, "warmup")
    monkeypatch.chdir("two")
    exercise = course.load(FIRST)

    def save():
        (here / "two" / f"{stem(FIRST)}.py").write_text(key_text(exercise), encoding="utf-8")

    status, out, _ = watch(save, save)
    assert status == 130
    assert (out.count(f"Open {stem(FIRST)}.py"), out.count(f"Open {stem('warmup')}.py")) == (1, 1)
    assert "(1 of 2)" in out and "(2 of 2)" in out
    assert out.count(f"{exercise.points} of {exercise.points} points") == 2
    assert out.count("It is a part of your Transformer. To run it: npformer course translate") == 1


def test_exercise_that_is_no_part_of_the_model_is_not_called_one(watch, here, monkeypatch, command):
    command("course", "start", "one", "numpy")
    monkeypatch.chdir("one")
    path = here / "one" / f"{stem('numpy')}.py"
    status, out, _ = watch(lambda: path.write_text(key_text(course.load("numpy")), "utf-8"))
    assert status == 0 and "npformer course solution numpy\n" in out
    assert "It is a part of your Transformer" not in out


def test_unreadable_or_missing_file_does_not_stop_watching(watch, here):
    status, out, err = watch(lambda: (here / FILE).write_bytes(b"\xff"), (here / FILE).unlink)
    assert (status, err) == (130, "") and "is not UTF-8" in out


def test_file_replaced_by_one_of_the_same_size_and_time_is_checked(watch, answer, here):
    def replace():
        before = (here / FILE).rename(here / "before").stat()
        answer()
        os.utime(here / FILE, ns=(before.st_atime_ns, before.st_mtime_ns))

    status, out, err = watch(lambda: answer("- along_ones", "+ along_ones"), replace)
    assert (status, err) == (0, "")
    assert out.index("✗ dx: wrong") < out.index("8 of 8 points")


@pytest.mark.parametrize(
    ("is_terminal", "environment", "colored"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_terminal_uses_colors_only_if_supported(
    capsys, monkeypatch, is_terminal, environment, colored
):
    monkeypatch.setenv("COLUMNS", "30")
    for name, value in ({"TERM": "xterm", "NO_COLOR": ""} | environment).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    terminal.say("what is wrong, in more than one line", "wrong")
    text = "what is wrong, in more than\none line"
    assert capsys.readouterr().out == (f"\033[31m{text}\033[0m\n" if colored else f"{text}\n")


@pytest.mark.parametrize(("columns", "width"), [(10, 24), (30, 29), (101, 100), (200, 100)])
def test_lines_are_as_wide_as_the_terminal_within_limits(capsys, monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", str(columns))
    terminal.show([Line("plain", 2, "x" * 150)])
    lines = capsys.readouterr().out.splitlines()
    assert {len(line) for line in lines[:-1]} == {width}
    assert all(line.startswith("    x") for line in lines)
