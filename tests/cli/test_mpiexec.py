"""`mpiexec -n 2 npformer train`, really: with the MPI that mpi4py finds, or not at all."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from npformer.runs.folder import RunFolder
from npformer.training import launcher
from npformer.utils.safetensors_io import load_tensors

NAMES = [name for names in launcher.PLACES for name in names]
BESIDE = Path(sys.executable).with_name("mpiexec")
MPIEXEC = str(BESIDE) if BESIDE.exists() else shutil.which("mpiexec")
NPFORMER = [sys.executable, "-m", "npformer"]
LIMIT = 120
MARK = "NPFORMER_TEST_STARTED_AT"

pytestmark = pytest.mark.skipif(
    MPIEXEC is None or importlib.util.find_spec("mpi4py") is None, reason="needs mpi4py and mpiexec: npformer[mpi]"
)

# What the second argument's rank does in update 30, before the command line that follows.
FAULTY = """
import os, signal, sys, time
import npformer
from npformer.training import Trainer
what, where, rank = sys.argv[1], int(sys.argv[2]), int(os.environ["PMI_RANK"])
if what == "version" and rank == 1:
    npformer.__version__ = "0.0.1"
usual = Trainer.update
def update(self, batches):
    if self.optimizer.steps == 30 and rank == where:
        if what == "raise":
            raise TypeError("a mistake\\nin two lines")
        if what == "memory":
            raise MemoryError
        if what == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if what == "terminate":
            os.kill(os.getpid(), signal.SIGTERM)
    return usual(self, batches)
Trainer.update = update
if sys.argv[3] == "python":
    run = npformer.runs.begin(**eval(sys.argv[4]))
    for update in run.updates():
        pass
    sys.stdout.write(f"{run.ranks.rank} {run.ranks.n} {run.evaluate().loss:.6f}\\n")
else:
    from npformer.cli import main
    sys.argv[:] = ["npformer", *sys.argv[3:]]
    sys.exit(main())
"""


@pytest.fixture(scope="module")
def env():
    """The environment of this process, but as if none had launched it."""
    return {name: value for name, value in os.environ.items() if name not in NAMES}


def in_ranks(command, env, n=2):
    start = time.perf_counter()
    env = env | {MARK: str(time.time_ns())}
    done = subprocess.run(
        [MPIEXEC, "-n", str(n), *map(str, command)], env=env, capture_output=True, text=True, timeout=LIMIT
    )
    check_none_is_left(env)
    return done.returncode, done.stdout, done.stderr, time.perf_counter() - start


def check_none_is_left(env):
    """No process with this environment goes on when mpiexec has ended, watchers of ranks included."""
    mark = f"{MARK}={env[MARK]}\0".encode()
    until = time.perf_counter() + 5
    while left := [process for process in Path("/proc").glob("[0-9]*") if mark in environment_of(process)]:
        assert time.perf_counter() < until, left


def environment_of(process):
    try:
        return (process / "environ").read_bytes()
    except OSError:  # it has ended, or is not ours
        return b""


def trained_alone(options, env):
    command = list(map(str, [*NPFORMER, *options]))
    subprocess.run(command, env=env, capture_output=True, check=True, timeout=LIMIT)


@pytest.fixture
def options(text_files, small, tmp_path):
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    return ["train", *files, *small, "--save-every", "10", "--run", tmp_path / "run"]


@pytest.fixture
def faulty(options, env):
    """Train for long, with a fault in a rank; return what a command line returns, and when the fault came."""

    def run(what, rank, *more, n=2):
        return in_ranks([sys.executable, "-c", FAULTY, what, rank, *options, "--epochs", "60", *more], env, n)

    return run


def files_of(folder):
    run = RunFolder(folder)
    tensors, note = load_tensors(run.checkpoint_path)
    rows = [row.split(",")[:5] + row.split(",")[6:] for row in run.log_path.read_text().splitlines()]
    return {name: array.tobytes() for name, array in tensors.items()}, note["random_states"], rows


def check_whole(folder):
    """The last checkpoint can be read."""
    assert load_tensors(RunFolder(folder).checkpoint_path)[1]["steps"] >= 10


@pytest.mark.long
def test_two_ranks_train_what_two_workers_train_and_one_speaks(options, env, tmp_path):
    how = ["--epochs", "2", "--clip-norm", "0.5", "--accumulate", "2", "--dropout", "0.3"]
    status, out, err, _ = in_ranks([*NPFORMER, *options, *how], env)
    assert (status, err) == (0, "")
    assert out.count("epoch   1   loss") == out.count("BLEU  ") / 2 == out.count("translate with") == 1
    ranks, alone = tmp_path / "run", tmp_path / "alone"
    trained_alone([*options[:-1], alone, *how, "--workers", "2"], env)
    assert files_of(ranks) == files_of(alone)
    assert {path.name for path in ranks.iterdir()} == {path.name for path in alone.iterdir()}


@pytest.mark.long
def test_two_ranks_of_two_workers_go_on_bit_for_bit(options, env, tmp_path):
    """Workers of ranks are threads: no rank is forked."""
    how = ["--dropout", "0.3", "--workers", "2", "--epochs"]
    for folder, epochs in (tmp_path / "whole", 2), (tmp_path / "stopped", 1):
        status, out, err, _ = in_ranks([*NPFORMER, *options[:-1], folder, *how, epochs], env)
        assert (status, out.count("translate with")) == (0, 1) and "Traceback" not in err
    assert in_ranks([*NPFORMER, "train", "--resume", tmp_path / "stopped", "--epochs", 2], env)[0] == 0
    assert files_of(tmp_path / "stopped") == files_of(tmp_path / "whole")


@pytest.mark.long
@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(
    ("what", "status", "told"),
    [
        ("raise", 1, "TypeError: a mistake in two lines"),
        ("memory", 2, "out of memory"),
        ("kill", 9, "killed by SIGKILL"),
    ],
)
def test_a_rank_that_fails_ends_all_and_is_named(faulty, tmp_path, what, status, told, rank):
    ended, out, err, seconds = faulty(what, rank, n=3)
    assert ended == status and "translate with" not in out
    [line] = [line for line in err.splitlines() if line.startswith("npformer: ")]
    assert line.startswith(f"npformer: rank {rank} of 3 on ") and told in line
    assert line == err.splitlines()[-1]
    if what == "kill":
        assert f"(process {re.search(rf'{rank} is process ([0-9]+) on', out)[1]}) was" in line
    assert err.count("Traceback") == (what == "raise")
    assert seconds < 30
    check_whole(tmp_path / "run")


@pytest.mark.long
@pytest.mark.parametrize("what", ["raise", "kill"])
def test_a_rank_that_fails_in_python_ends_all_too(env, text_files, tmp_path, what):
    given = {"src": str(text_files[0]), "tgt": str(text_files[1]), "folder": str(tmp_path / "run"), "d_model": 16}
    given |= {"epochs": 60, "batch_tokens": 64, "min_count": 1, "d_ff": 16, "n_heads": 2, "save_every": 10}
    command = [sys.executable, "-c", FAULTY, what, 1, "python", repr(given)]
    status, out, err, _ = in_ranks(command, env)
    assert status == {"raise": 1, "kill": 9}[what] and out.strip("=\n").count("0.") == 0
    [told] = [line for line in err.splitlines() if line.startswith("npformer: rank")]
    assert told.startswith("npformer: rank 1 of 2 on ")
    check_whole(tmp_path / "run")


@pytest.mark.long
def test_python_trains_in_ranks_as_the_command_line_does(env, text_files, tmp_path):
    given = {"src": str(text_files[0]), "tgt": str(text_files[1]), "folder": str(tmp_path / "run"), "d_model": 16}
    given |= {"epochs": 2, "batch_tokens": 64, "min_count": 1, "d_ff": 16, "n_heads": 2}
    status, out, err, _ = in_ranks([sys.executable, "-c", FAULTY, "nothing", 1, "python", repr(given)], env)
    assert (status, err) == (0, "")
    first, second = sorted(out.splitlines())
    assert first.startswith("0 2 ") and second == first.replace("0 2", "1 2", 1)


def last_epoch(folder):
    """Return the epoch of the last update that a run has logged, as text."""
    return RunFolder(folder).log_path.read_text().splitlines()[-1].split(",")[1]


@pytest.mark.long
@pytest.mark.parametrize("rank", [0, 1])
def test_a_signal_to_one_rank_saves_once_and_can_be_taken_up(faulty, env, tmp_path, rank):
    status, out, err, _ = faulty("terminate", rank)
    assert (status, err) == (143, "") and out.count("stopped and saved after update 31; go on with") == 1
    resumed = in_ranks(
        [*NPFORMER, "train", "--resume", tmp_path / "run", "--epochs", last_epoch(tmp_path / "run")], env
    )
    assert resumed[::2] == (0, "")


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_mpiexec_saves_once_and_is_taken_up_bit_for_bit(options, env, tmp_path, number, status):
    command = [MPIEXEC, "-n", "2", *NPFORMER, *options, "--epochs", "400", "--dropout", "0.3"]
    marked = env | {MARK: str(time.time_ns())}
    with subprocess.Popen(
        list(map(str, command)), env=marked, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        while not (line := run.stdout.readline()).startswith("epoch   2"):
            assert line, run.stderr.read()
        run.send_signal(number)
        out, err = run.communicate(timeout=LIMIT)
    check_none_is_left(marked)
    assert run.returncode == status and "npformer" not in err and "Traceback" not in err
    assert out.count("stopped and saved after update") == 1
    last = len(RunFolder(tmp_path / "run").log_path.read_text().splitlines()) - 1
    go_on = f"  mpiexec -n 2 npformer train --resume {tmp_path / 'run'}"
    assert f"after update {last}; go on with\n{go_on}\n" in out
    assert load_tensors(RunFolder(tmp_path / "run").checkpoint_path)[1]["steps"] == last
    epochs = last_epoch(tmp_path / "run")
    again = in_ranks([*NPFORMER, "train", "--resume", tmp_path / "run", "--epochs", epochs], env)
    assert again[::2] == (0, "")
    unbroken = [*options[:-1], tmp_path / "unbroken", "--epochs", epochs, "--dropout", "0.3"]
    assert in_ranks([*NPFORMER, *unbroken], env)[0] == 0
    assert files_of(tmp_path / "run") == files_of(tmp_path / "unbroken")
    other = in_ranks([*NPFORMER, "train", "--resume", tmp_path / "run", "--epochs", int(epochs) + 1], env, n=3)
    assert other[0] == 0
    assert other[2].splitlines() == [
        "npformer: the checkpoint is of 2 ranks, and this is 3: dropout draws from other streams from here on, "
        "so numbers will be others"
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--epochs", "no"], "argument --epochs: invalid int value: 'no'"),
        (["--epochs", "2", "--n-heads", "3"], "d_model = 16 is not divisible by n_heads = 3"),
        (["--epochs", "1", "--learning-rate", "1e30"], "training has diverged"),
    ],
)
def test_bad_input_is_told_once(options, env, more, told):
    status, _, err, seconds = in_ranks([*NPFORMER, *options, *more], env, n=3)
    assert status == 2 and err.count("\n") == 1 and told in err and seconds < 30


@pytest.mark.long
def test_another_version_is_found_at_the_start(faulty, tmp_path):
    status, out, err, _ = faulty("version", 1)
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert "rank 1 of 2 on " in err and "has npformer = 0.0.1, and rank 0 has" in err
    assert not (tmp_path / "run").exists()


@pytest.mark.long
def test_other_data_or_a_file_that_one_rank_lacks_are_found_at_the_start(options, env, text_files, tmp_path):
    other = tmp_path / "other.de"
    lines = Path(text_files[1]).read_text(encoding="utf-8").splitlines()
    other.write_text("".join(f"{line}\n" for line in [*lines[:-2], lines[-1], lines[-2]]), encoding="utf-8")
    for path, told in (other, "checksum of the"), (tmp_path / "none.de", "none.de does not exist"):
        twin = [path if option == text_files[1] else option for option in options]
        command = [*NPFORMER, *options, "--epochs", "2", ":", "-n", "1", *NPFORMER, *twin, "--epochs", "2"]
        status, out, err, _ = in_ranks(command, env, n=1)
        assert (status, out) == (2, "") and err.count("\n") == 1
        assert "rank 1 of 2 on " in err and told in err
        assert not (tmp_path / "run").exists()


@pytest.mark.long
def test_classes_and_running_text_are_trained_in_ranks_too(env, tmp_path, labelled_texts, running_text, one_column):
    for name, kind in ("labelled", ["--train", labelled_texts]), ("text", ["--text", running_text]):
        column = "--n-encoder-layers" if name == "labelled" else "--n-decoder-layers"
        how = ["train", *kind, *one_column, column, "1", "--epochs", "2", "--run"]
        status, _, err, _ = in_ranks([*NPFORMER, *how, tmp_path / name], env)
        assert (status, err) == (0, "")
        trained_alone([*how, tmp_path / f"{name}-alone", "--workers", "2"], env)
        assert files_of(tmp_path / name) == files_of(tmp_path / f"{name}-alone")
