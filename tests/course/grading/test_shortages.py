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
from concurrent.futures import ThreadPoolExecutor

import pytest

from npformer.utils import InputError
from npformer_course.course import stem
from npformer_course.grading import grade_class, write_results
from npformer_course.grading.grade_class import ENDED, grade
from npformer_course.grading.outputs.gradescope import autograder_zip
from npformer_course.report import total
from npformer_course.sandbox import runner
from npformer_course.sandbox.runner import Sandbox, SandboxError
from tests.course.grading.submissions import ANSWERS, HEADS, blank, key
from tests.run_here import run_here

FULL_DISK = OSError(errno.ENOSPC, "No space left on device")


def raise_full_disk(*arguments, **settings):
    raise FULL_DISK


def files_below(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def class_of_two(hand_in):
    hand_in("ada", heads=key())
    return hand_in("bob", heads=key())


@pytest.mark.parametrize("workers", [1, 2])
def test_full_temporary_folder_ends_the_grading(class_of_two, monkeypatch, workers):
    monkeypatch.setattr(runner, "TemporaryDirectory", raise_full_disk)
    with pytest.raises(
        SandboxError, match=rf"at ada's answer to {stem('heads')}: .*No space left on dev"
    ):
        grade(class_of_two, [HEADS], workers=workers)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "out of memory"),
        (FULL_DISK, "[Errno 28] No space left on device"),
        (BrokenPipeError(), "out of memory"),
    ],
    ids=repr,
)
def test_shortage_while_an_answer_is_compared_ends_the_grading(
    class_of_two, monkeypatch, error, reason
):
    def check(case, code, run):
        raise error

    monkeypatch.setattr(grade_class, "check", check)
    with pytest.raises(SandboxError) as ended:
        grade(class_of_two, [HEADS])
    assert str(ended.value) == (
        f"the grading ended at ada's answer to {stem('heads')}: {reason}. No result was written: "
        "make room, or choose fewer --workers, and grade again"
    )


def test_file_that_the_disk_does_not_give_ends_the_grading(class_of_two, monkeypatch):
    monkeypatch.setattr("builtins.open", raise_full_disk)
    with pytest.raises(
        SandboxError, match=f"the grading ended at ada's answer to {stem('heads')}: "
    ):
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
    arguments = ["course", "grade", class_of_two, "--set", "heads", "--out", tmp_path / "results"]
    assert command(*arguments).status == 0
    before = files_below(tmp_path / "results")

    monkeypatch.setattr(runner, "TemporaryDirectory", raise_full_disk)
    status, _, err = command(*arguments)
    assert status == 2
    assert (
        f"the grading ended at ada's answer to {stem('heads')}" in err
        and "No result was written" in err
    )
    assert files_below(tmp_path / "results") == before


@pytest.mark.usefixtures("without_sandbox")
@pytest.mark.parametrize("failing", ["feedback.txt", "class.html"])
def test_disk_that_is_full_while_results_are_written_leaves_the_earlier_ones(
    command, class_of_two, monkeypatch, tmp_path, failing
):
    def write(path, content):
        if path.name == failing and "bob" in content:
            raise InputError(f"cannot write {path.name}: No space left on device")
        whole_write(path, content)

    arguments = ["course", "grade", class_of_two, "--set", "heads", "--out", tmp_path / "results"]
    assert command(*arguments).status == 0
    before = files_below(tmp_path / "results")

    whole_write = write_results.write_atomic
    monkeypatch.setattr(write_results, "write_atomic", write)
    status, _, err = command(*arguments, "--seed", "5")
    assert (status, err) == (2, f"npformer: cannot write {failing}: No space left on device\n")
    assert files_below(tmp_path / "results") == before


@pytest.mark.usefixtures("without_sandbox")
def test_results_that_another_program_holds_open_are_named(
    refused, class_of_two, monkeypatch, tmp_path
):
    def replace(path, target):
        raise PermissionError(errno.EACCES, "Access is denied")

    monkeypatch.setattr(write_results.Path, "replace", replace)
    told = refused("course", "grade", class_of_two, "--set", "heads", "--out", tmp_path / "results")
    assert "class.csv: Access is denied. Close it in other programs, and grade again" in told


@pytest.mark.usefixtures("without_sandbox")
def test_folder_that_cannot_be_written_to_is_named(refused, class_of_two, monkeypatch, tmp_path):
    monkeypatch.setattr(write_results, "TemporaryDirectory", raise_full_disk)
    out = tmp_path / "results"
    told = refused("course", "grade", class_of_two, "--set", "heads", "--out", out)
    assert told == f"npformer: cannot write to {out}: No space left on device\n"


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
        "course", "grade", folder, "--set", "heads", "--out", tmp_path / "results"
    )
    assert status == 1 and "2/2 bob: 7 of 7" in out
    assert (
        err
        == f"npformer: ada, {stem('heads')}: the answer cannot be checked: OverflowError: too large\n"
    )


class NeedsRoom(Sandbox):
    """A machine that has room for one answer at a time."""

    def run(self, exercise, text, jobs):
        assert self.seconds == 7
        if not self.alone:
            raise SandboxError("no room")
        return run_here(exercise, text, jobs)


@pytest.mark.parametrize("workers", [1, 2])
def test_answers_that_cannot_be_checked_next_to_others_are_checked_alone(
    class_of_two, monkeypatch, workers
):
    monkeypatch.setattr(grade_class, "Sandbox", NeedsRoom)
    ended = []
    monkeypatch.setattr(grade_class, "end_idle_processes", lambda: ended.append("all"))
    graded = grade(class_of_two, [HEADS], seconds=7, workers=workers)
    assert {student: total(reports) for student, reports in graded.items()} == {
        "ada": (7, 7),
        "bob": (7, 7),
    }
    # before each check that is alone: they hold memory
    assert ended == ["all", "all"]


@pytest.mark.usefixtures("without_sandbox")
def test_class_is_graded_where_no_thread_can_be_started(class_of_two, monkeypatch):
    class NoThreads(ThreadPoolExecutor):
        def __init__(self, workers):
            asked.append(workers)
            super().__init__(workers)

        def submit(self, *arguments, **settings):
            raise RuntimeError("can't start new thread")

    asked = []
    monkeypatch.setattr(grade_class, "ThreadPoolExecutor", NoThreads)
    assert total(grade(class_of_two, [HEADS], workers=3)["bob"]) == (7, 7)
    assert {*asked} == {3}


FILLING = """
from npformer_course.course import stem
import time

try:
    with open("junk", "wb", buffering=0) as junk:
        while True:
            junk.write(bytes(4096))
except OSError:
    time.sleep(0.5)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made with Linux's unshare")
def test_answer_that_fills_the_disk_costs_nobody_else_points(hand_in, tmp_path):
    in_small_disk = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    (tmp_path / "disk").mkdir()
    mount = f"mount -t tmpfs -o size=2m none {tmp_path}/disk"
    try:
        subprocess.run([*in_small_disk, mount], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no disk can be mounted here")

    for student in ("ada", "cleo", "dan"):
        hand_in(student, heads=key())
    folder = hand_in("bob", heads=f"{FILLING}\n{key()}")
    grading = f"exec {sys.executable} -m npformer course grade {folder} --set heads"
    options = f"--out {tmp_path}/results --workers 2"
    done = subprocess.run(
        [*in_small_disk, f"{mount} && TMPDIR={tmp_path}/disk {grading} {options}"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    table = (tmp_path / "results/class.csv").read_text(encoding="utf-8").splitlines()
    points = dict(row.split(",")[:2] for row in table[1:])
    del points["bob"]
    assert points == {"ada": "7", "cleo": "7", "dan": "7"}


def test_wrong_answers_do_not_end_the_grading(hand_in):
    hand_in("ada", heads=ANSWERS["raising"])
    folder = hand_in("bob", heads=f"raise OSError(28, 'No space left on device')\n{key()}")
    ada, bob = grade(folder, [HEADS]).values()
    assert (total(ada)[0], total(bob)[0]) == (5, 0)


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
    calls = tmp_path / "calls"
    beginning = f'#!/bin/sh\necho "$@" >> {calls}\n'
    program.write_text(f'{beginning}[ $2 = collect ] || {{ echo "{message}" >&2; exit 2; }}\n')
    program.chmod(0o755)

    (tmp_path / "run").write_text(text)
    status = subprocess.run(["bash", tmp_path / "run"], capture_output=True).returncode
    results = tmp_path / "autograder/results/results.json"
    assert (status, results.exists()) == ((1, False) if machine_fails else (0, True))
    if not machine_fails:
        assert json.loads(results.read_text()) == {"score": 0, "output": f"{message}\n"}
    collected, graded = tmp_path / "tmp/collected", tmp_path / "tmp/graded"
    assert calls.read_text().splitlines() == [
        f"course collect --student submission --out {collected} {tmp_path}/autograder/submission",
        f"course grade --set {HEADS} --seed 5 --out {graded} {collected}",
    ]
