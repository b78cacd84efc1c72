"""Gradings on a machine with a full disk or too little memory: they end without a result."""

import errno
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections import defaultdict

import pytest

from npformer_course.grading import grade_class
from npformer_course.grading.grade_class import ENDED, grade
from npformer_course.grading.outputs.gradescope import autograder_zip
from npformer_course.report import total
from npformer_course.sandbox import runner
from npformer_course.sandbox.runner import SandboxError
from tests.course.grading.submissions import ANSWERS, HEADS, blank, key

FULL_DISK = OSError(errno.ENOSPC, "No space left on device")


def raise_full_disk(*arguments, **settings):
    raise FULL_DISK


@pytest.fixture
def class_of_two(hand_in):
    hand_in("ada", heads=key())
    return hand_in("bob", heads=key())


@pytest.mark.parametrize("workers", [1, 2])
def test_full_temporary_folder_ends_the_grading(class_of_two, monkeypatch, workers):
    monkeypatch.setattr(runner, "TemporaryDirectory", raise_full_disk)
    with pytest.raises(SandboxError, match=r"at ada's answer to 10_heads: .*No space left on dev"):
        grade(class_of_two, [HEADS], workers=workers)


@pytest.mark.parametrize("error", [MemoryError(), FULL_DISK, BrokenPipeError()], ids=repr)
def test_shortage_while_an_answer_is_compared_ends_the_grading(class_of_two, monkeypatch, error):
    def check(case, code, run):
        raise error

    monkeypatch.setattr(grade_class, "check", check)
    with pytest.raises(SandboxError, match="the grading ended at ada's answer to 10_heads: "):
        grade(class_of_two, [HEADS])


def test_file_that_the_disk_does_not_give_ends_the_grading(class_of_two, monkeypatch):
    monkeypatch.setattr("builtins.open", raise_full_disk)
    with pytest.raises(SandboxError, match="the grading ended at ada's answer to 10_heads: "):
        grade(class_of_two, [HEADS])


@pytest.mark.skipif(sys.platform == "win32", reason="limits are Unix's")
def test_too_few_file_handles_end_the_grading(class_of_two, monkeypatch):
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(runner, "_idle", defaultdict(list))  # a new process needs more handles
    first_free = os.dup(0)
    os.close(first_free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (first_free + 3, most))
    try:
        with pytest.raises(SandboxError, match="Too many open files"):
            grade(class_of_two, [HEADS], workers=1)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


def test_earlier_results_stay_and_exit_status_is_2(command, class_of_two, monkeypatch, tmp_path):
    arguments = ["course", "grade", class_of_two, "--set", "10", "--out", tmp_path / "results"]
    assert command(*arguments).status == 0
    files = [path for path in (tmp_path / "results").rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in files}

    monkeypatch.setattr(runner, "TemporaryDirectory", raise_full_disk)
    status, _, err = command(*arguments)
    assert status == 2
    assert "the grading ended at ada's answer to 10_heads" in err and "No result was written" in err
    assert {path: path.read_bytes() for path in files} == before


def test_check_that_fails_is_named_and_sets_exit_status(command, hand_in, monkeypatch, tmp_path):
    def check(case, code, run):
        if code == blank():
            raise OverflowError("too large")
        return whole_check(case, code, run)

    whole_check = grade_class.check
    monkeypatch.setattr(grade_class, "check", check)
    hand_in("ada", heads=blank())
    folder = hand_in("bob", heads=key())
    status, out, err = command(
        "course", "grade", folder, "--set", "10", "--out", tmp_path / "results"
    )
    assert status == 1 and "2/2 bob: 7 of 7" in out
    assert (
        err == "npformer: ada, 10_heads: the answer cannot be checked: OverflowError: too large\n"
    )


def test_wrong_answers_do_not_end_the_grading(hand_in):
    hand_in("ada", heads=ANSWERS["raising"])
    folder = hand_in("bob", heads=f"raise OSError(28, 'No space left on device')\n{key()}")
    ada, bob = grade(folder, [HEADS]).values()
    assert (total(ada)[0], total(bob)[0]) == (6, 0)


@pytest.mark.skipif(os.name == "nt", reason="Gradescope runs Linux")
@pytest.mark.parametrize("machine_fails", [True, False])
def test_gradescope_gives_no_score_where_the_machine_failed(tmp_path, machine_fails):
    with zipfile.ZipFile(io.BytesIO(autograder_zip([HEADS], 5, "npformer"))) as archive:
        text = archive.read("run_autograder").decode()
    text = re.sub(r"/autograder|/opt/npformer|/tmp\b", lambda place: f"{tmp_path}{place[0]}", text)
    for name in ("tmp/collected", "autograder/results", "opt/npformer/bin"):
        (tmp_path / name).mkdir(parents=True)
    message = f"npformer: {ENDED} ada's answer" if machine_fails else "npformer: no answer"
    program = tmp_path / "opt/npformer/bin/npformer"
    program.write_text(f'#!/bin/sh\n[ $2 = collect ] || {{ echo "{message}" >&2; exit 2; }}\n')
    program.chmod(0o755)

    (tmp_path / "run").write_text(text)
    status = subprocess.run(["bash", tmp_path / "run"], capture_output=True).returncode
    results = tmp_path / "autograder/results/results.json"
    assert (status, results.exists()) == ((1, False) if machine_fails else (0, True))
    if not machine_fails:
        assert json.loads(results.read_text()) == {"score": 0, "output": f"{message}\n"}
