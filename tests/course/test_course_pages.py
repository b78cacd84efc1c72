"""README's pages on the course, and the exercises that each notebook names."""

import re
from pathlib import Path

import pytest

from npformer_course import course
from tests.run_here import key_text

ROOT = Path(__file__).parents[2]
README = (
    (ROOT / "README.md").read_text(encoding="utf-8").split("## The course")[1].split("\n## ")[0]
)


def test_readme_message_equals_printed_message(lesson, command, monkeypatch):
    shown = re.search(r"```\n(15 .*?)```", README, re.DOTALL)[1]
    wrong = (
        key_text(course.load("15"))
        .replace("dxhat = dy * gain", "dxhat = dy")
        .replace("rstd * (", "gain * rstd * (")
    )
    lesson.files["layer_norm_backward"].write_text(wrong, encoding="utf-8")
    monkeypatch.chdir(lesson.path)
    monkeypatch.setenv("COLUMNS", "100")
    assert command("course", "check").out == shown


def test_readme_verbs_exist(command):
    verbs = re.findall(r"^    (\w+)", command("course", "--help").out, re.MULTILINE)
    assert {*re.findall(r"npformer course (\w+)", README)} <= {*verbs}


def test_readme_exercise_count_is_correct():
    assert f"The {len(course.EXERCISES)} exercises" in README


@pytest.mark.parametrize("ending", [".py", ".ipynb"])
def test_each_notebook_lists_its_exercises(ending):
    for path in sorted((ROOT / "notebooks").glob(f"[0-9][0-9]*_*{ending}")):
        text = " ".join(re.sub(r"\\n|[#\n\"\\,]", " ", path.read_text(encoding="utf-8")).split())
        said = re.findall(r"(\d\d) ([a-z_]+)", text.partition("Write it yourself:")[2])
        of_notebook = {
            (f"{one.number:02}", one.id): one.notebook for one in map(course.load, course.EXERCISES)
        }
        assert {*said} <= {*of_notebook}
        number = path.stem.split("_")[0]
        explained = [
            exercise for exercise in said if of_notebook[exercise] == number
        ]  # others are only related
        assert explained == [
            exercise for exercise in of_notebook if of_notebook[exercise] == number
        ]
