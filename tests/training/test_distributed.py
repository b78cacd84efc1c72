"""Ranks of MPI, by a communicator that stands in for them, and by mpiexec itself."""

import shutil
import subprocess
import sys
import threading
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError
from npformer.training import Checkpoint, distributed, save_checkpoint
from npformer.training.distributed import Communicator, get_communicator

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
    assert all("as many workers as it was saved with" in str(error) for error in errors)


def test_checkpoint_of_ranks_has_the_random_states_of_each(make_trainer, tmp_path):
    def states(communicator):
        trainer = make_trainer(communicator=communicator)
        next(trainer.updates(1))
        save_checkpoint(tmp_path / "checkpoint", trainer)
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
