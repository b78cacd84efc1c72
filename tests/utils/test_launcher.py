"""Whether a launcher of MPI started this process is read from the environment; without one MPI is never imported."""

import importlib.util
import os
import subprocess
import sys

import pytest

from npformer import InputError
from npformer.training import launcher
from npformer.training.alone import Alone
from npformer.training.launcher import launched, world

NAMES = [name for names in launcher.PLACES for name in names]
HERE = {name: value for name, value in os.environ.items() if name not in (*NAMES, "SLURM_PROCID")}


def npformer(*arguments, folder=None, **environment):
    """Run the command line in a process of its own, before whose libraries those of a folder come."""
    path = os.pathsep.join(filter(None, [folder and str(folder), os.environ.get("PYTHONPATH")]))
    environment = {**HERE, "PYTHONPATH": path, **environment}
    command = [sys.executable, "-m", "npformer", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({}, None),
        ({"PMI_RANK": "3", "PMI_SIZE": "4"}, (3, 4)),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, (0, 2)),
        ({"PMIX_RANK": "1", "SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "1"}, (1, 8)),
        ({"SLURM_PROCID": "1", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "8"}, None),  # srun without MPI
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, None),  # a batch script
        ({"PMI_RANK": "0", "PMI_SIZE": "1"}, None),
        ({"PMI_SIZE": "2"}, None),
        ({"PMI_RANK": "?", "PMI_SIZE": "2"}, None),
    ],
)
def test_the_place_is_what_the_launcher_says(monkeypatch, environment, place):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert launched() == place
    if place is None:
        assert type(world()) is Alone


def test_a_plain_training_never_imports_mpi(tmp_path, text_files, small):
    """A mpi4py that may not be imported lies before any other."""
    (tmp_path / "mpi4py.py").write_text("raise SystemExit('imported')")
    files = ["--src", str(text_files[0]), "--tgt", str(text_files[1]), "--epochs", "1", "--run", str(tmp_path / "run")]
    status, out, err = npformer("train", *files, *small, folder=tmp_path)
    assert (status, err) == (0, "") and "epoch   1" in out
    assert npformer("train", folder=tmp_path, PMI_RANK="0", PMI_SIZE="2")[2] == "imported\n"


BROKEN = {
    "raise ImportError": 'npformer: mpi4py is not installed: run  pip install "npformer[mpi]"\n',
    "": "npformer: mpi4py is here, but finds no MPI library (cannot load MPI library). Install one:  pip install mpich",
}


@pytest.mark.parametrize("content", BROKEN)
def test_an_mpi_that_is_missing_is_told_once_in_one_line(tmp_path, content):
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").write_text(content)
    (tmp_path / "mpi4py" / "MPI.py").write_text("raise RuntimeError('cannot load MPI library\\nlibmpi.so: not found')")
    status, out, err = npformer("train", "copy", folder=tmp_path, PMI_RANK="0", PMI_SIZE="2")
    assert (status, out) == (2, "")
    assert err.startswith(BROKEN[content]) and err.count("\n") == 1
    assert content or npformer("train", "copy", folder=tmp_path, PMI_RANK="1", PMI_SIZE="2") == (2, "", "")


def test_a_launcher_of_another_mpi_is_refused_in_one_line():
    """In the MPI that mpi4py finds each process is then alone."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed")
    other = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    ranks = [npformer("train", "copy", **dict(zip(other, (str(rank), "2"), strict=True))) for rank in range(2)]
    if any("finds no MPI library" in err for *_, err in ranks):
        pytest.skip("mpi4py finds no MPI library")
    assert [(status, out) for status, out, _ in ranks] == [(2, "")] * 2
    assert ranks[0][2].startswith("npformer: the launcher started 2 ranks, but in mpi4py's MPI (")
    assert "there are 1: start it with the mpiexec that belongs" in ranks[0][2] and ranks[0][2].count("\n") == 1
    assert ranks[1][2] == ""


@pytest.mark.parametrize(("verb", "rank"), [("translate", 0), ("evaluate", 1), ("class", 0)])
def test_other_verbs_do_not_run_several_times(verb, rank):
    told = f"npformer: npformer {verb} was started 3 times: only train runs in ranks. Start it without mpiexec\n"
    assert npformer(verb, PMI_RANK=str(rank), PMI_SIZE="3") == (2, "", "" if rank else told)


TASKS = {"SLURM_PROCID": "0", "SLURM_NTASKS": "8", "SLURM_STEP_NUM_TASKS": "8"}


@pytest.mark.parametrize(("task", "told"), [(0, "npformer: srun started 8 tasks without MPI"), (1, "")])
def test_tasks_of_srun_without_mpi_do_not_train_each_alone(task, told):
    status, out, err = npformer("train", "copy", "--epochs", "0", **{**TASKS, "SLURM_PROCID": str(task)})
    assert (status, out) == (2, "") and err.startswith(told) and err.count("\n") == bool(told)
    assert bool(told) is ("--mpi=pmi2" in err) is ("--mpi=pmix" in err)


@pytest.mark.parametrize(
    "environment",
    [
        {"SLURM_PROCID": "0", "SLURM_NTASKS": "8"},  # a batch script
        {**TASKS, "SLURM_STEP_NUM_TASKS": "1"},  # srun -n 1 in it, or a batch script as some see it
        {**TASKS, "PMI_RANK": "0", "PMI_SIZE": "1"},  # mpiexec -n 1 in a step
        {"SLURM_STEP_NUM_TASKS": "8"},
    ],
)
def test_one_task_of_slurm_trains(environment):
    assert "epochs = 0: expected" in npformer("train", "copy", "--epochs", "0", **environment)[2]


def test_what_does_not_train_may_be_started_by_srun():
    assert "npformer: runs/none" in npformer("evaluate", "runs/none", **TASKS)[2]


def test_a_gpu_takes_no_ranks(monkeypatch):
    monkeypatch.setattr("npformer.backend.on_gpu", lambda: True)
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setenv("PMI_SIZE", "2")
    with pytest.raises(InputError, match="2 ranks: expected one on a GPU"):
        world()
