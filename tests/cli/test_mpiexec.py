"""`mpiexec -n 2 npformer train` with the MPI that mpi4py finds."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from npformer.runs.folder import RunFolder
from npformer.training import distributed
from npformer.utils.safetensors_io import load_tensors

NAMES = distributed.SIZE_VARIABLES
BESIDE = Path(sys.executable).with_name("mpiexec")
MPIEXEC = str(BESIDE) if BESIDE.exists() else shutil.which("mpiexec")
NPFORMER = [sys.executable, "-m", "npformer"]
LIMIT = 120

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        MPIEXEC is None or importlib.util.find_spec("mpi4py") is None,
        reason="needs mpi4py and mpiexec: npformer[mpi] mpich",
    ),
]


@pytest.fixture(scope="module")
def env():
    """The environment of this process, as if no launcher had started it."""
    return {name: value for name, value in os.environ.items() if name not in NAMES}


def run_ranks(command, env, n=2):
    command = [MPIEXEC, "-n", str(n), *map(str, command)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def options(text_files, small, tmp_path):
    files = ["--src", text_files[0], "--tgt", text_files[1]]
    return ["train", *files, *small, "--save-every", "10", "--run", tmp_path / "run"]


def read_run(folder):
    run = RunFolder(folder)
    tensors, note = load_tensors(run.checkpoint_path)
    rows = [
        row.split(",")[:5] + row.split(",")[6:] for row in run.log_path.read_text().splitlines()
    ]
    return {name: array.tobytes() for name, array in tensors.items()}, note["random_states"], rows


def test_two_ranks_equal_two_workers_and_only_rank_0_prints(options, env, tmp_path):
    how = ["--epochs", "2", "--clip-norm", "0.5", "--accumulate", "2", "--dropout", "0.3"]
    status, out, err = run_ranks([*NPFORMER, *options, *how], env)
    assert (status, err) == (0, "")
    assert out.count("epoch   1   loss") == out.count("translate with") == 1
    ranks, workers = tmp_path / "run", tmp_path / "workers"
    command = [*NPFORMER, *options[:-1], workers, *how, "--workers", "2"]
    subprocess.run(list(map(str, command)), env=env, capture_output=True, check=True, timeout=LIMIT)
    assert read_run(ranks) == read_run(workers)
    assert {path.name for path in ranks.iterdir()} == {path.name for path in workers.iterdir()}


def test_two_ranks_with_two_workers_resume_bit_for_bit(options, env, tmp_path):
    how = ["--dropout", "0.3", "--workers", "2", "--epochs"]
    for folder, epochs in (tmp_path / "whole", 2), (tmp_path / "stopped", 1):
        assert run_ranks([*NPFORMER, *options[:-1], folder, *how, epochs], env)[0] == 0
    assert (
        run_ranks([*NPFORMER, "train", "--resume", tmp_path / "stopped", "--epochs", 2], env)[0]
        == 0
    )
    assert read_run(tmp_path / "stopped") == read_run(tmp_path / "whole")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--epochs", "2", "--n-heads", "3"], "d_model = 16 is not divisible by n_heads = 3"),
        (["--epochs", "1", "--learning-rate", "1e30"], "Training has diverged"),
    ],
)
def test_bad_input_is_reported_in_one_line(options, env, more, message):
    status, _, err = run_ranks([*NPFORMER, *options, *more], env, n=3)
    assert status == 2 and message in err and "Traceback" not in err
