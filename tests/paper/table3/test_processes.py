"""Runs in processes of their own: each once, one after a stop too, and no process is left behind."""

import math
import os
import signal
import subprocess
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest

from npformer import InputError, runs
from npformer.evaluation import Scores
from npformer.paper.table3 import pool as processes
from npformer.paper.table3 import train_all
from npformer.paper.table3.pool import start, wait_for
from npformer.paper.table3.worker import train_one
from npformer.runs.folder import RunFolder
from npformer.runs.run import Run
from npformer.utils import read_json


def result(run):
    return {**read_json(run.result_path), "seconds": None}


@pytest.fixture
def started(monkeypatch):
    """The processes that train_all has started."""
    found = []
    monkeypatch.setattr(processes, "start", lambda run: found.append(start(run)) or found[-1])
    yield found
    for process in found:
        process.kill()
        process.wait()


def test_a_run_that_was_stopped_goes_on_and_has_the_result_of_one_that_was_not(plan, fewer_phrases):
    [base] = plan.runs("", seeds=1)
    stopped, again = (base._replace(folder=plan.folder / name) for name in ("stopped", "again"))
    for run in (base, again):
        train_one(run.folder, run.settings)
    begun = runs.begin(folder=stopped.folder, **stopped.settings)
    for update in begun.updates():
        if update.step == 3:
            break
    train_one(stopped.folder, stopped.settings)
    found = result(base)
    assert result(stopped) == found == result(again) and found["perplexity"] > 1
    folder = RunFolder(base.folder)
    evaluation = runs.resume(folder.path).evaluate()
    assert found["parameters"] == sum(p.data.size for p in folder.load_model().parameters())
    assert (found["perplexity"], found["bleu"]) == (math.exp(evaluation.loss), evaluation.text.bleu)
    first, *_, last = (row["seconds"] for row in runs.resume(folder.path).log.rows)
    assert read_json(base.result_path)["seconds"] == pytest.approx(last, abs=1e-3) and last > first + 2e-3
    assert found["multiply_adds"] == runs.resume(folder.path).cost() > 10**6
    before = folder.weights_path.read_bytes()
    train_one(base.folder, base.settings)  # of a finished run only the score is made anew
    assert folder.weights_path.read_bytes() == before and result(base) == found


def test_the_bleu_of_a_result_is_that_on_text(plan, fewer_phrases, monkeypatch):
    [base] = plan.runs("", seeds=1)
    text, tokens = (Scores(bleu, "", 0.0, "") for bleu in (12.5, 80.0))
    monkeypatch.setattr(Run, "evaluate", lambda run: SimpleNamespace(loss=1.0, text=text, tokens=tokens))
    train_one(base.folder, base.settings)
    assert result(base)["bleu"] == 12.5


@pytest.mark.long
def test_each_run_is_trained_once_and_one_that_fails_keeps_none_from_it(plan, started):
    wanted = plan.runs("E", seeds=1)
    (plan.folder / "E-positions-learned").touch()  # where its folder is to be
    ended = {end.run.folder: end.error for end in train_all(wanted, jobs=2)}
    assert ended == {
        wanted[0].folder: None,
        wanted[1].folder: f"cannot make the folder {wanted[1].folder}: Not a directory",
    }
    assert len(started) == 2 and result(wanted[0])["parameters"] > 1000
    assert RunFolder(wanted[0].folder).training().workers == 1
    (plan.folder / "E-positions-learned").unlink()
    assert [end.run for end in train_all(wanted[:1])] == []


def test_one_thread_each_in_their_order_and_no_more_than_so_many_at_a_time(plan, monkeypatch):
    at_once, most = [], []

    class Fake:
        def __init__(self, run):
            at_once.append(run)
            most.append(len(at_once))

        def kill(self):
            raise AssertionError("all had ended")

    def wait(run, process):
        time.sleep(0.01)
        at_once.remove(run)
        return processes.Ended(run, None)

    monkeypatch.setattr(processes, "start", Fake)
    monkeypatch.setattr(processes, "wait_for", wait)
    wanted = plan.runs(seeds=1)
    assert sorted(end.run.folder for end in train_all(wanted, jobs=3)) == sorted(run.folder for run in wanted)
    assert max(most) == 3
    assert [end.run for end in train_all(wanted[:4])] == wanted[:4]


def test_a_folder_with_another_run_finished_or_not_is_refused_before_any_is_trained(plan, started):
    wanted = plan.runs("E", seeds=1)
    runs.begin(folder=wanted[1].folder, **{**wanted[1].settings, "epochs": 7})
    for finished in (False, True):
        if finished:
            wanted[1].result_path.touch()
        with pytest.raises(InputError, match="was trained with epochs = 7, and now that is to be 2"):
            next(train_all(wanted))
    assert started == []


def test_the_environment_of_a_run_has_one_thread(plan, monkeypatch):
    given = {}
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    monkeypatch.setattr(processes.subprocess, "Popen", lambda command, **how: given.update(how))
    start(plan.runs(seeds=1)[0])
    threads = {name: value for name, value in given["env"].items() if name.endswith("_THREADS")}
    assert {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"} <= threads.keys()
    assert {threads[name] for name in processes.ONE_THREAD} == {"1"} and given["env"]["PATH"] == os.environ["PATH"]


def test_a_run_ends_with_the_process_that_started_it(plan):
    """Its standard input ends then, whatever ended that process."""
    [run] = plan.runs("", seeds=1)
    process = start(run)
    process.stdin.close()
    said = process.stderr.read()
    assert (process.wait(timeout=60), said) == (1, b"")
    assert not run.result_path.exists()
    process.stderr.close()


def test_what_ended_a_process_that_said_nothing_is_told(plan):
    [run] = plan.runs("", seeds=1)
    process = start(run)
    process.send_signal(signal.SIGKILL)
    assert wait_for(run, process) == (run, "its process was ended by signal 9")


def test_the_last_line_of_a_process_that_failed_is_why(plan):
    [run] = plan.runs("", seeds=1)
    lines = "echo Traceback >&2; echo 'no room' >&2; exit 1"
    process = subprocess.Popen(["sh", "-c", lines], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert wait_for(run, process) == (run, "no room")


@pytest.mark.long
def test_processes_are_stopped_when_the_loop_is_left(plan, started):
    wanted = plan.runs("EG", seeds=2)
    (plan.folder / "base").touch()  # so that the first fails soon, while others work
    ends = train_all(wanted, jobs=3)
    assert "Not a directory" in next(ends).error
    assert len(started) == 3
    ends.close()
    with suppress(ValueError):
        assert all(process.poll() is not None for process in started)
    assert len(started) == 3
