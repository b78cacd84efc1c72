"""Ranks of MPI, by a communicator that stands in for them, and by mpiexec itself."""

import shutil
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from npformer import InputError
from npformer.training import Checkpoint, distributed, save_checkpoint
from npformer.training.distributed import Communicator, MPICommunicator, get_communicator
from npformer.utils.safetensors_io import save_tensors

BESIDE = Path(sys.executable).with_name("mpiexec")
MPIEXEC = str(BESIDE) if BESIDE.exists() else shutil.which("mpiexec")


class ThreadCommunicator(Communicator):
    """One of several ranks that are threads of this process."""

    def __init__(self, rank, size, shared):
        self.rank, self.size, self.shared = rank, size, shared

    def allgather(self, value):
        values, lock = self.shared
        values[self.rank] = value
        lock.wait()
        found = [values[rank] for rank in range(self.size)]
        lock.wait()
        return found

    def allreduce(self, array):
        array[...] = sum(self.allgather(array.copy()))

    def bcast(self, value):
        return self.allgather(value)[0]

    def barrier(self):
        self.allgather(None)


def run_in_ranks(size, work):
    """Return what `work(communicator)` returns on each rank."""
    shared, results = ({}, threading.Barrier(size, timeout=60)), {}

    def run(rank):
        try:
            results[rank] = work(ThreadCommunicator(rank, size, shared))
        except Exception as error:
            results[rank] = error
            if not isinstance(error, InputError):  # which all ranks raise
                shared[1].abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [results[rank] for rank in range(size)]


def trained(trainer):
    return [record.loss for record in trainer.updates(2)], trainer.optimizer.data.tobytes()


@pytest.mark.parametrize(
    "how", [{}, {"accumulate": 2, "clip_norm": 0.1}, {"dropout": 0.5}], ids=str
)
def test_two_ranks_equal_two_workers_bit_for_bit(make_trainer, how):
    expected = trained(make_trainer(workers=2, **how))
    found = run_in_ranks(
        2, lambda communicator: trained(make_trainer(communicator=communicator, **how))
    )
    assert found == [expected, expected]


@pytest.mark.parametrize(("size", "workers"), [(3, 1), (2, 2), (7, 1)])
def test_ranks_equal_workers_up_to_rounding(make_trainer, size, workers):
    settings = {"dropout": 0.0, "dtype": "float64"}
    losses, _ = trained(make_trainer(**settings))
    found = run_in_ranks(
        size, lambda ranks: trained(make_trainer(communicator=ranks, workers=workers, **settings))
    )
    assert len({weights for _, weights in found}) == 1
    np.testing.assert_allclose(found[0][0], losses, rtol=1e-9)


def test_checkpoint_of_two_ranks_is_continued_by_two_workers_bit_for_bit(make_trainer, tmp_path):
    path, how = tmp_path / "checkpoint.safetensors", {"dropout": 0.5}

    def train_and_save(communicator):
        trainer = make_trainer(communicator=communicator, **how)
        before = [record.loss for record in islice(trainer.updates(2), 7)]
        save_checkpoint(path, trainer)
        return before

    before, _ = run_in_ranks(2, train_and_save)
    workers = make_trainer(workers=2, seed=9, **how)
    Checkpoint.read(path).restore(workers)
    losses, weights = trained(workers)
    assert (before + losses, weights) == trained(make_trainer(workers=2, **how))

    def restore(communicator):
        Checkpoint.read(path).restore(make_trainer(communicator=communicator, **how))

    errors = run_in_ranks(3, restore)
    assert all("has 2 random states, but expected 3: resume" in str(error) for error in errors)


def test_checkpoint_of_ranks_has_the_random_states_of_each(make_trainer, tmp_path, monkeypatch):
    def save_late(*given):
        time.sleep(0.05)
        save_tensors(*given)

    monkeypatch.setattr("npformer.training.checkpoint.save_tensors", save_late)

    def states(communicator):
        trainer = make_trainer(communicator=communicator)
        next(trainer.updates(1))
        save_checkpoint(tmp_path / "checkpoint", trainer)
        assert (tmp_path / "checkpoint").exists()
        return [str(rng.bit_generator.state) for rng in trainer.generators()]

    of_ranks = run_in_ranks(2, states)
    saved = Checkpoint.read(tmp_path / "checkpoint").note["random_states"]
    assert [str(state) for state in saved] == [*of_ranks[0], *of_ranks[1]]
    assert of_ranks[0] != of_ranks[1]


def test_ranks_with_different_data_are_rejected(make_trainer):
    def train(communicator):
        trainer = make_trainer(communicator=communicator)
        if communicator.rank == 1:
            trainer.batches.__dict__["checksum"] = "another"
        return next(trainer.updates(1))

    found = run_in_ranks(2, train)
    assert all(
        isinstance(error, InputError) and "different training data" in str(error) for error in found
    )


def test_single_rank_without_launcher(monkeypatch):
    for name in distributed.SIZE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert get_communicator().size == 1
    monkeypatch.setenv("PMI_SIZE", "1")
    assert get_communicator().size == 1


def test_mpi_that_differs_from_launcher_is_rejected(monkeypatch):
    pytest.importorskip("mpi4py", reason="needs mpi4py: npformer[mpi]")
    distributed._mpi_communicator.cache_clear()
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "5")
    code = "from npformer.training.distributed import get_communicator; get_communicator()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (
        done.returncode == 1
        and "InputError: the launcher started 5 ranks, but mpi4py's MPI has 1" in done.stderr
    )


class WithoutLibrary(ModuleType):
    """mpi4py where it finds no MPI."""

    @property
    def MPI(self):
        raise RuntimeError("cannot load MPI library\nlibmpi.so: no such file")


def test_missing_library_of_mpi_is_reported_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", WithoutLibrary("mpi4py"))
    with pytest.raises(InputError) as caught:
        distributed._mpi_communicator.__wrapped__(2)
    reason = "mpi4py finds no MPI library (cannot load MPI library)"
    assert str(caught.value) == f"{reason}: install one, as with  pip install mpich"


@pytest.fixture
def mpi(monkeypatch):
    """An MPI of three ranks, two of which are on this machine, and what is done with it."""
    done = []
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(distributed.time, "sleep", lambda seconds: done.append(seconds))
    monkeypatch.setattr(distributed, "blas_threads", lambda n: done.append(f"{n} threads"))
    world = SimpleNamespace(
        size=3,
        Split_type=lambda kind: SimpleNamespace(size={"this machine": 2}[kind]),
        Abort=lambda status: done.append(f"abort {status}"),
    )
    return SimpleNamespace(COMM_WORLD=world, COMM_TYPE_SHARED="this machine", done=done)


@pytest.mark.parametrize(("n_cores", "n_threads"), [(7, 3), (1, 1)])
@pytest.mark.parametrize(("rank", "delays"), [(0, []), (2, [distributed.ABORT_DELAY_SECONDS])])
def test_ranks_share_cores_and_rank_0_reports_an_error_first(
    monkeypatch, capsys, mpi, rank, delays, n_cores, n_threads
):
    monkeypatch.setattr(distributed, "n_cores", lambda: n_cores)
    mpi.COMM_WORLD.rank = rank
    MPICommunicator(mpi).abort(2, "a mistake")
    waits = [*delays, distributed.READ_SECONDS]
    assert mpi.done == [f"{n_threads} threads", *waits, "abort 2"]
    assert capsys.readouterr().err == f"npformer: rank {rank} of 3: a mistake\n"


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (ValueError("no"), 1)])
def test_uncaught_exception_ends_all_ranks(capsys, mpi, error, status):
    mpi.COMM_WORLD.rank = 0
    MPICommunicator(mpi)
    sys.excepthook(type(error), error, None)
    assert mpi.done[-1] == f"abort {status}"
    assert capsys.readouterr().err.splitlines()[-1].startswith(type(error).__name__)


@pytest.mark.parametrize(("message", "told"), [("a mistake", "a mistake\n"), ("", "")])
def test_single_process_ends_with_the_status(capsys, message, told):
    with pytest.raises(SystemExit) as caught:
        Communicator().abort(3, message)
    assert (caught.value.code, capsys.readouterr().err) == (3, told)


RANK = """
import os
from npformer.training.distributed import get_communicator
import numpy as np
ranks = get_communicator()
array = np.full(3, ranks.rank + 1.0)
ranks.allreduce(array)
os.write(1, repr((array.tolist(), ranks.bcast(ranks.rank + 7), ranks.allgather(ranks.rank))).encode() + bytes([10]))
ranks.barrier()
if FAIL and ranks.rank == 1:
    raise ValueError("a mistake")
ranks.barrier()
"""


@pytest.mark.skipif(MPIEXEC is None, reason="needs mpiexec and mpi4py: npformer[mpi]")
@pytest.mark.parametrize("fail", [False, True])
def test_mpiexec_starts_two_ranks_and_a_failure_ends_both(fail):
    pytest.importorskip("mpi4py", reason="needs mpi4py: npformer[mpi]")
    command = [MPIEXEC, "-n", "2", sys.executable, "-c", f"FAIL = {fail}\n{RANK}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["([3.0, 3.0, 3.0], 7, [0, 1])"] * 2
    assert (done.returncode, "ValueError: a mistake" in done.stderr) == (
        (1, True) if fail else (0, False)
    )


@pytest.mark.parametrize(
    ("variable", "ranks"),
    [
        ("SLURM_NTASKS", 1),
        ("SLURM_STEP_NUM_TASKS", 4),
        ("PMI_SIZE", 4),
        ("OMPI_COMM_WORLD_SIZE", 4),
    ],
)
def test_a_launcher_says_how_many_ranks_it_started(monkeypatch, variable, ranks):
    """A batch script of Slurm has SLURM_NTASKS, but its plain python is a single process."""
    for name in distributed.SIZE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(distributed, "_mpi_communicator", lambda size: size)
    monkeypatch.setenv(variable, "4")
    communicator = get_communicator()
    assert getattr(communicator, "size", communicator) == ranks
