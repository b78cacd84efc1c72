"""What a class gets: the right files, no solution in any of them, and nothing written over."""

import ast
import io
import json
import os
import re
import stat
import subprocess
import zipfile

import pytest

from npformer import __version__
from npformer.utils.errors import InputError
from npformer_course import course
from npformer_course.course import stem
from npformer_course.grading.grade_class import SEED
from npformer_course.grading.outputs.gradescope import autograder_zip
from npformer_course.grading.outputs.nbgrader_source import nbgrader_source
from npformer_course.grading.release import KINDS, release
from npformer_course.percent_format import BEGIN, TODO
from tests.course.grading.submissions import HEADS, WARMUP

IDS = [HEADS, WARMUP]
STEMS = stem("heads"), stem("warmup")


def names(folder):
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


OF_STUDENTS = ["README.md", "progress.json"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    {
        "folder": [*(f"{stem}.py" for stem in STEMS), *OF_STUDENTS],
        "notebooks": [*(f"{stem}.ipynb" for stem in STEMS), *OF_STUDENTS],
        "nbgrader": [f"source/week/{stem}.ipynb" for stem in STEMS],
        "gradescope": [
            "autograder.zip",
            *(f"students/{name}" for name in (*(f"{s}.py" for s in STEMS), *OF_STUDENTS)),
        ],
    }.items(),
)
def test_release_returns_and_writes_files_of_each_kind(tmp_path, kind, expected):
    files = release(tmp_path, IDS, kind, name="week")
    assert names(tmp_path) == expected
    assert sorted(path.relative_to(tmp_path).as_posix() for path in files) == [
        name for name in expected if name.rpartition("/")[2] not in OF_STUDENTS
    ]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="exists already"):
        release(tmp_path, IDS, kind, name="week")
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["../x", "a/b", "..", ""])
def test_assignment_cannot_be_outside_of_the_released_folder(tmp_path, name):
    with pytest.raises(InputError, match="is not a name of a folder"):
        release(tmp_path / "out", IDS, "nbgrader", name=name)
    assert not any(tmp_path.iterdir())


def test_unknown_release_kind_is_rejected(tmp_path):
    with pytest.raises(
        InputError, match=f"not a kind of release: expected one of {', '.join(KINDS)}"
    ):
        release(tmp_path, IDS, "moodle")


@pytest.mark.parametrize("kind", ["folder", "notebooks"])
def test_released_files_have_no_solution(tmp_path, kind):
    for path in release(tmp_path, IDS, kind):
        text = path.read_text(encoding="utf-8")
        assert "by_position" not in text and "SOLUTION" not in text
        assert TODO in text


def test_seed_and_pip_target_are_written_into_releases(tmp_path):
    release(tmp_path / "scope", IDS, "gradescope", seed=77, install="a b")
    with zipfile.ZipFile(tmp_path / "scope" / "autograder.zip") as archive:
        assert b"--seed 77 " in archive.read(
            "run_autograder"
        ) and b"pip install 'a b'\n" in archive.read("setup.sh")
    release(tmp_path / "nb", IDS, "nbgrader", seed=77)
    assert "seed=77)" in (tmp_path / f"nb/source/npformer/{stem('heads')}.ipynb").read_text()
    release(tmp_path / "default", IDS, "gradescope")
    with zipfile.ZipFile(tmp_path / "default" / "autograder.zip") as archive:
        assert f"--set {','.join(IDS)} --seed {SEED} " in archive.read("run_autograder").decode()
        assert f"pip install npformer=={__version__}\n" in archive.read("setup.sh").decode()


def test_gradescope_zip_contains_two_executable_scripts():
    content = autograder_zip(IDS, 5, "npformer==1")
    assert content == autograder_zip(IDS, 5, "npformer==1")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["setup.sh", "run_autograder"]
        for entry in archive.infolist():
            assert entry.external_attr >> 16 & stat.S_IXUSR
            assert archive.read(entry).startswith(
                b"#!/usr/bin/env bash\n"
            ) and b"\r" not in archive.read(entry)


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Gradescope runs Linux")
def test_gradescope_script_grades_submission_or_reports_error(tmp_path, command_line):
    from tests.course.grading.submissions import key

    with zipfile.ZipFile(io.BytesIO(autograder_zip([HEADS], 5, "npformer"))) as archive:
        text = archive.read("run_autograder").decode()
    text = re.sub(r"/autograder|/opt/npformer|/tmp\b", lambda place: f"{tmp_path}{place[0]}", text)
    (tmp_path / "run").write_text(text)
    folder, results = tmp_path / "autograder/submission/nested", tmp_path / "autograder/results"
    for path in (folder, results, tmp_path / "tmp"):
        path.mkdir(parents=True)

    def run():
        subprocess.run(
            ["bash", str(tmp_path / "run")], env=command_line, check=True, capture_output=True
        )
        return json.loads((results / "results.json").read_text())

    found = run()
    assert found["score"] == 0 and re.fullmatch(
        "npformer: no answers found in .*\\n", found["output"]
    )
    answer = folder / "10_heads_new.py"
    answer.write_text(key(), encoding="utf-8")
    misnamed = "submission: 10_heads_new.py is not taken: "
    misnamed += f"if it is the answer to {stem('heads')}, call it {stem('heads')}.py\n"
    found = run()
    assert found["score"] == 0 and misnamed in found["output"]
    answer.rename(folder / f"{stem('heads')} (1).py")
    found = run()
    assert found["score"] == 7 and found["output"] == ""
    (folder / "11_multi_head_new.py").write_text("")
    found = run()
    assert found["score"] == 7 and "11_multi_head_new.py is not taken" in found["output"]


@pytest.fixture
def command_line(tmp_path):
    """An environment in which `npformer` is this one."""
    import sys
    from pathlib import Path

    import npformer

    program = tmp_path / "bin" / "npformer"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m npformer "$@"\n')
    program.chmod(0o755)
    root = str(Path(npformer.__file__).parents[1])
    return {
        **os.environ,
        "PYTHONPATH": root,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
    }


def cells(id):
    return json.loads(nbgrader_source(course.load(id), 5))["cells"]


@pytest.mark.parametrize("id", course.EXERCISES)
def test_nbgrader_source_has_a_graded_cell_per_part(id):
    exercise = course.load(id)
    graded = [cell for cell in cells(id) if cell["metadata"].get("nbgrader", {}).get("grade")]
    points = {part: points for call in exercise.calls for part, points in call.parts.items()}
    points |= {"inputs unchanged": exercise.unchanged} if exercise.unchanged else {}
    assert [cell["metadata"]["nbgrader"]["points"] for cell in graded] == [*points.values()]
    assert sum(points.values()) == exercise.points
    for cell, part in zip(graded, points, strict=True):
        text = "".join(cell["source"])
        ast.parse(text)
        open_part, hidden = text.split("### BEGIN HIDDEN TESTS\n")
        assert f'exercise("{id}").require("{part}")\n' in open_part and "seed" not in open_part
        assert hidden == f'exercise("{id}").require("{part}", seed=5)\n### END HIDDEN TESTS'
    own = [cell["metadata"]["nbgrader"] for cell in cells(id) if cell["metadata"]]
    assert len({one["grade_id"] for one in own}) == len(own)
    assert all(re.fullmatch("[A-Za-z0-9_-]+", one["grade_id"]) for one in own)
    # one cell checks, below the last to write in
    texts = ["".join(cell["source"]) for cell in cells(id)]
    to_write = [index for index, text in enumerate(texts) if BEGIN in text]
    check = f'\nexercise("{id}").check()\n'
    checks = [index for index, text in enumerate(texts) if check in text]
    assert checks == [to_write[-1] + 1]


def test_nbgrader_source_leaves_student_cells_editable():
    for cell in cells(HEADS):
        text, own = "".join(cell["source"]), cell["metadata"].get("nbgrader")
        if text.startswith("prediction =") or ".check()" in text:
            assert own is None
        else:
            assert own["solution"] == (BEGIN in text) == (not own["locked"])


def test_cells_have_all_that_nbgrader_reads():
    every = {"schema_version": 3, "task": False}
    locked = {**every, "grade": False, "locked": True, "solution": False}
    own = [cell["metadata"]["nbgrader"] for cell in cells(HEADS) if cell["metadata"]]
    assert own[0] == {**locked, "grade_id": "heads-00"}
    assert own[-1] == {**locked, "grade": True, "grade_id": "heads-inputs-unchanged", "points": 1}
    [written] = [one for one in own if one["solution"]]
    number = written["grade_id"]
    assert written == {**locked, "grade_id": number, "locked": False, "solution": True}
