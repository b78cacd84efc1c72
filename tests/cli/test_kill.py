"""A training that is killed leaves a run that can be resumed, or none; then it ends like one
never killed.
"""

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from npformer.runs.folder import RunFolder
from npformer.runs.training_log import TrainingLog

pytestmark = pytest.mark.usefixtures("without_pictures")
PROGRAM = """
import sys
from npformer.cli import main
from npformer.runs.training_run import Run
Run.draw = lambda run: None
sys.exit(main())
"""
OPTIONS = ["--epochs", "3", "--average", "2", "--save-every", "2", "--dropout", "0.1"]
KINDS = {
    "words": [],
    "subwords": [
        *("--tokenizer", "bpe", "--vocab-size", "270"),
        *("--workers", "2", "--accumulate", "2"),
    ],
    "best": [
        "--average",
        "1",
        "--average-of",
        "best",
    ],  # each epoch is better than the one before, which goes
    "text": ["--workers", "2", "--batch-tokens", "400", "--save-every", "3"],  # a language model's
}
# of each kind, spread over the life of a process; every third is killed again while it is resumed
KILLS = 10


class KilledError(BaseException):
    """Like a kill: nothing catches it, and a file that is being written stays as it is."""


@pytest.fixture(scope="module")
def begin(text_files, small, running_text, single_stack_options):
    def arguments(kind, folder):
        if kind == "text":
            data = ["--text", str(running_text), *single_stack_options, "--n-decoder-layers", "1"]
        else:
            data = ["--src", str(text_files[0]), "--tgt", str(text_files[1]), *small]
        return ["train", *data, *OPTIONS, *KINDS[kind], "--run", str(folder.path)]

    return arguments


def start(arguments):
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", PROGRAM, *arguments], **pipes)


@pytest.fixture(scope="module", params=["words", "subwords", "text"])
def unbroken(request, begin, tmp_path_factory):
    """The kind of a training, its run folder and the seconds that it took."""
    folder, began = RunFolder(tmp_path_factory.mktemp("unbroken") / "run"), time.perf_counter()
    _, err = start(begin(request.param, folder)).communicate()
    assert (err, folder.weights_path.exists()) == ("", True)
    return request.param, folder, time.perf_counter() - began


def kill_after(seconds, arguments):
    process = start(arguments)
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    assert process.communicate()[1] == ""


def rows_but_for_seconds(folder):
    return [{**row, "seconds": None} for row in TrainingLog.parse(folder.log_path.read_text()).rows]


def assert_same_end(folder, unbroken):
    assert folder.weights_path.read_bytes() == unbroken.weights_path.read_bytes()
    assert folder.checkpoint_path.read_bytes() == unbroken.checkpoint_path.read_bytes()
    assert rows_but_for_seconds(folder) == rows_but_for_seconds(unbroken)
    assert not list(folder.path.rglob("*.part"))


@pytest.fixture
def next_arguments(command, begin):
    """Check that a run which is there can be used; return the arguments that continue with it, or
    begin it again.
    """

    def arguments(kind, folder):
        if not folder.config_path.exists():
            return begin(kind, folder)
        verb = "generate" if kind == "text" else "translate"
        status, _, err = command(verb, folder.path, "the dog sleeps .")
        assert (status, err) == (0, "")
        return ["train", "--resume", str(folder.path)]

    return arguments


@pytest.mark.long
@pytest.mark.parametrize("number", range(KILLS))
def test_run_killed_at_any_time_equals_uninterrupted_run(
    command, next_arguments, unbroken, tmp_path, number
):
    kind, whole, seconds = unbroken
    folder, rng = RunFolder(tmp_path / "run"), random.Random(f"{kind} {number}")
    kill_after((number + rng.random()) / KILLS * seconds, next_arguments(kind, folder))
    if number % 3 == 0:
        kill_after(rng.random() * seconds, next_arguments(kind, folder))
    status, _, err = command(*next_arguments(kind, folder))
    assert (status, err) == (0, "")
    assert_same_end(folder, whole)


@pytest.mark.parametrize(
    ("kind", "step"),
    [("words", 5), *(pytest.param(kind, 1, marks=pytest.mark.long) for kind in KINDS)],
)
def test_run_killed_during_any_write_equals_uninterrupted_run(
    command, next_arguments, tmp_path, monkeypatch, kind, step
):
    replace, unlink, whole = os.replace, Path.unlink, RunFolder(tmp_path / "whole")
    assert command(*next_arguments(kind, whole)).status == 0

    def replace_or_die(source, target):
        if next(changes) == last:
            replace(source, Path(source).with_name(f".{Path(target).name}.gone_now.part"))
            raise KilledError
        replace(source, target)

    def unlink_or_die(path, **how):
        if path.exists() and next(changes) == last:
            raise KilledError
        unlink(path, **how)

    for last in count(1, step):
        folder, changes = RunFolder(tmp_path / str(last)), count(1)
        with monkeypatch.context() as patch, suppress(KilledError):
            patch.setattr(os, "replace", replace_or_die)
            patch.setattr(Path, "unlink", unlink_or_die)
            command(*next_arguments(kind, folder))
            break
        assert len(list(folder.path.rglob("*.part"))) <= 1
        assert command(*next_arguments(kind, folder)).status == 0
        assert_same_end(folder, whole)
    assert last > 20


def test_resume_deletes_only_leftover_temporary_files(command, begin, tmp_path):
    folder = RunFolder(tmp_path / "run")
    assert command(*begin("words", folder)).status == 0
    left = [
        folder.path / ".log.csv.abc_1234.part",
        folder.epochs_path / ".0003.safetensors.k2j1h0g9.part",
    ]
    others = [
        folder.path / name
        for name in ("my.part", ".part", ".notes.part", "notes.abc_1234.part", ".log.csv")
    ]
    for path in (*left, *others):
        path.touch()
    assert command("translate", folder.path, "a dog").status == 0
    assert all(path.exists() for path in (*left, *others))
    assert command("train", "--resume", folder.path).status == 0
    assert [path.exists() for path in left] == [False, False]
    assert all(path.exists() for path in others)
