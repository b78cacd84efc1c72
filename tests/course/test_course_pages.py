"""README's pages on the course, and the exercises that each notebook names."""

import re
from pathlib import Path

import pytest

from npformer_course import course
from npformer_course.order import NOTEBOOKS, labels
from tests.run_here import key_text

ROOT = Path(__file__).parents[2]
README = (
    (ROOT / "README.md").read_text(encoding="utf-8").split("## The course")[1].split("\n## ")[0]
)


def test_readme_message_equals_printed_message(lesson, command, monkeypatch):
    shown = re.search(r"```\n(12 .*?)```", README, re.DOTALL)[1]
    wrong = (
        key_text(course.load("layer_norm_backward"))
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


@pytest.mark.parametrize("id", course.EXERCISES)
def test_each_exercise_is_named_in_its_notebook(id):
    [path] = (ROOT / "notebooks").glob(f"{course.load(id).number:02}_*.py")
    assert re.search(rf"\b{id}\b", path.read_text(encoding="utf-8"))


def test_notebooks_have_the_names_numbers_and_titles_of_the_order():
    numbers = labels()
    expected = {}
    for notebook in NOTEBOOKS:
        for entry in (notebook, *notebook.detours):
            number = numbers[entry.name]
            expected[f"{number}_{entry.name}"] = f"{number} {entry.title}"
    found = {}
    for path in (ROOT / "notebooks").glob("[0-9]*.py"):
        text = path.read_text(encoding="utf-8")
        found[path.stem] = re.search(r"^# # (.*)$", text, re.MULTILINE)[1]
    assert found == expected
