"""The verb that trains the variants of a model, within this process."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from npformer.cli import ablate, main
from npformer.paper.table3 import Plan, train_one
from npformer.utils import InputError, n_cores, read_json


@pytest.fixture
def trained(monkeypatch, fewer_phrases):
    """Train runs within this process; return the list of their folders, as variant/seed, and how
    many at a time.
    """
    found = []

    def train_all(runs, *, jobs):
        for run in runs:
            if not run.result_path.exists():
                try:
                    train_one(run)
                    yield run, None
                except InputError as error:
                    yield run, str(error)
                found.append((f"{run.variant.name}/{run.seed}", jobs))

    monkeypatch.setattr(ablate, "train_all", train_all)
    return found


@pytest.fixture
def options(tiny_recipe):
    return ["--recipe", tiny_recipe, "--rows", "E,F", "--jobs", 1]


VARIANTS = ["base", "E-positions-learned", "F-init-glorot_normal", "F-init-per_head"]


def test_all_runs_are_trained_reported_and_tabulated(command, trained, options, tmp_path):
    folder = tmp_path / "here"
    status, out, err = command("ablate", *options, "--seeds", 2, "--epochs", 1, "--jobs", 3, folder)
    assert (status, err) == (0, "")
    assert trained == [(f"{name}/{seed}", 3) for seed in (0, 1) for name in VARIANTS]
    head, *runs, _, table = out.split("\n", 10)
    what = f"few_phrases, recipe {options[1]}, 1 epochs"
    assert head == f"8 runs in {folder}: {what}; 0 of them are finished"
    expected = []
    for n, (name, _) in enumerate(trained, start=1):
        result = read_json(folder / name / "result.json")
        scores = f"perplexity {result['perplexity']:.3f}  BLEU {result['bleu']:.1f}"
        variant, seed = name.split("/")
        expected.append(f"   {n}/8  {variant} {seed}  {scores}  {result['seconds']:.0f} s")
    assert runs == expected
    assert (folder / "table.md").read_text(encoding="utf-8") == table
    assert command("ablate", "--table", folder) == (0, table, "")
    # an ordinary run folder
    assert command("translate", folder / "base" / "1", "The dog sleeps.").status == 0


def test_all_rows_are_trained_three_times_on_all_cores_by_default(command, monkeypatch, tmp_path):
    asked = []

    def train_all(runs, *, jobs):
        asked.append(({run.variant.row for run in runs}, {run.seed for run in runs}, jobs))
        return []

    monkeypatch.setattr(ablate, "train_all", train_all)
    monkeypatch.chdir(tmp_path)
    status, out, err = command("ablate", "--dataset", "reverse")
    assert asked == [({"", *"ABCDEF"}, {0, 1, 2}, n_cores())]
    plan = Plan.of("runs/ablation")
    runs = f"{len(plan.runs())} runs in {plan.folder}: reverse, recipe tiny, {plan.epochs} epochs"
    # without a finished run there is no table
    assert (status, out, err) == (0, f"{runs}; 0 of them are finished\n", "")


def test_failed_run_is_reported_after_the_table(command, refused, trained, options, tmp_path):
    (tmp_path / "E-positions-learned").touch()
    error = refused("ablate", *options, "--seeds", 1, tmp_path)
    failed = tmp_path / "E-positions-learned" / "0"
    assert error == f"npformer: {failed}: cannot make the folder {failed}: Not a directory\n"
    status, out, _ = command("ablate", *options, "--seeds", 1, tmp_path)
    assert status == 2 and "1/4" not in out and "4/4  E-positions-learned 0  failed" in out
    assert "| F " in out and "| E " not in out
    (tmp_path / "E-positions-learned").unlink()
    assert command("ablate", *options, "--seeds", 1, tmp_path).status == 0


def test_each_line_is_shown_at_once(options, tmp_path, monkeypatch, watch_output):
    all_is_shown = watch_output()

    def train_all(runs, *, jobs):
        for run in runs[:3]:
            assert all_is_shown()
            yield run, "an error"

    monkeypatch.setattr(ablate, "train_all", train_all)
    assert main(["ablate", *map(str, options), str(tmp_path)]) == 2
    assert all_is_shown()


def test_ctrl_c_ends_the_program_with_one_line(command, options, tmp_path, monkeypatch):
    def interrupted(runs, *, jobs):
        raise KeyboardInterrupt

    monkeypatch.setattr(ablate, "train_all", interrupted)
    status, out, err = command("ablate", *options, tmp_path / "new")
    assert (status, err) == (130, "")
    assert out.endswith(" of them are finished\n\nstopped; the same command continues\n")


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", -15), ("SIGINT", 130)])
def test_processes_end_with_the_program(options, tmp_path, name, status):
    program = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "npformer",
            "ablate",
            *map(str, options),
            "--epochs",
            "999",
            tmp_path,
        ],
        start_new_session=True,  # the signal reaches the program alone
        # else one that the tests' own shell has told them to ignore would be ignored
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    try:
        wait_until(lambda: list(tmp_path.glob("*/0/log.csv")))
        of_threads = Path(f"/proc/{program.pid}/task").glob("*/children")
        pids = " ".join(children.read_text() for children in of_threads).split()
        assert len(pids) >= 2
        program.send_signal(getattr(signal, name))
        assert program.wait(30) == status
        wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def wait_until(holds):
    latest = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < latest
        time.sleep(0.1)


@pytest.mark.long
def test_after_ctrl_c_the_same_command_continues(command, trained, options, tmp_path, monkeypatch):
    train_all = ablate.train_all

    def interrupted(runs, *, jobs):
        yield next(train_all(runs, jobs=jobs))
        raise KeyboardInterrupt

    folder = tmp_path / "in here"
    with monkeypatch.context() as patch:
        patch.setattr(ablate, "train_all", interrupted)
        status, out, _ = command("ablate", *options, "--seeds", 2, folder)
    assert status == 130 and "stopped; the same command continues" in out
    trained.clear()
    assert command("ablate", *options, "--seeds", 2, folder).status == 0
    assert len(trained) == 7 and ("F-init-per_head/1", 1) in trained


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--rows", "A,X"], "expected some of A,B,C,D,E,F, got 'A,X'"),
        (["--rows", ","], "expected some of A,B,C,D,E,F, got ','"),
        (["--seeds", "0"], "expected an integer >= 1, got '0'"),
        (["--jobs", "0", "--table"], "argument --jobs: expected an integer >= 1, got '0'"),
        (["--epochs", "0", "--table"], "argument --epochs: expected an integer >= 1, got '0'"),
        (["--dataset", "trec"], "invalid choice: 'trec'"),
        (["--recipe", "huge"], "recipe 'huge' is unknown"),
        ([""], "expected a name, got ''"),
    ],
)
def test_invalid_arguments_are_rejected_before_writing(
    refused, trained, tmp_path, arguments, expected
):
    assert expected in refused("ablate", *arguments, tmp_path / "new")
    assert trained == [] and not list(tmp_path.iterdir())
