"""Workers share an update: the gradient of one, bit for bit the same in processes and threads."""

import os
import signal
import subprocess
import sys
import textwrap
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError
from npformer.module import Module
from npformer.training import Checkpoint, data_parallel, distributed, save_checkpoint
from npformer.training.data_parallel import DataParallel
from npformer.training.distributed import Communicator

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux alone")
KINDS = [pytest.param(True, marks=linux_only, id="processes"), pytest.param(False, id="threads")]


@pytest.fixture(params=KINDS)
def kind(request, monkeypatch):
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: request.param)
    return request.param


def batches_of(trainer, n=1):
    return list(trainer.batches.epoch(1))[:n]


def parallel_gradient(trainer, batches):
    return trainer.parallel.compute_gradient(batches, sum(batch.n_tokens for batch in batches))


def trained(make_trainer, **how):
    trainer = make_trainer(**how)
    losses = [record.loss for record in trainer.updates(2)]
    return losses, trainer.optimizer.data.tobytes()


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_parallel_update_equals_single_worker(make_trainer, kind, workers):
    alone, trainer = (
        make_trainer(dropout=0.0, dtype="float64"),
        make_trainer(workers=workers, dropout=0.0, dtype="float64"),
    )
    for batches in (batches_of(alone), batches_of(alone, 3)):  # the second starts from zero
        assert alone.update(batches) == pytest.approx(
            parallel_gradient(trainer, batches), rel=1e-12
        )
        np.testing.assert_allclose(
            trainer.optimizer.grad, alone.optimizer.grad, rtol=1e-9, atol=1e-12
        )
        trainer.optimizer.grad[...] = alone.optimizer.grad
        trainer.parallel.step()
        np.testing.assert_array_equal(trainer.optimizer.data, alone.optimizer.data)
    worker_class = data_parallel._Process if kind else data_parallel._Thread
    assert {type(worker) for worker in trainer.parallel.other_workers} == {worker_class}
    trainer.close()


@linux_only
@pytest.mark.parametrize(
    "how", [{}, {"accumulate": 2, "clip_norm": 0.1}, {"workers": 3, "dropout": 0.5}], ids=str
)
def test_processes_equal_threads_bit_for_bit(make_trainer, monkeypatch, how):
    results = []
    for fork in (True, False):
        monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator, fork=fork: fork)
        results.append(trained(make_trainer, **{"workers": 2, **how}))
    assert results[0] == results[1]


def test_each_worker_has_its_own_dropout_generator(make_trainer, kind):
    states = [rng.bit_generator.state for rng in make_trainer(workers=3).generators()]
    assert len(states) == 3 and all(states.count(state) == 1 for state in states)
    assert trained(make_trainer, workers=2) != trained(make_trainer, workers=1)


def test_idle_worker_adds_no_stale_gradient(make_trainer, kind):
    trainer = make_trainer(workers=2, dropout=0.0)
    [batch] = batches_of(trainer)
    parallel_gradient(trainer, [batch])
    one = batch.split(len(batch.src))[0]
    parallel_gradient(trainer, [one])
    alone = make_trainer(dropout=0.0)
    alone.update([one])
    np.testing.assert_array_equal(trainer.optimizer.grad, alone.optimizer.grad)
    trainer.close()


def test_a_learning_rate_that_the_loop_changes_reaches_all_workers(make_trainer, kind):
    trainer = make_trainer(workers=2)
    rate = 0.01
    trainer.optimizer.learning_rate = lambda step: rate
    updates = trainer.updates(2)
    next(updates)
    before = trainer.optimizer.data.copy()
    rate = 0.0
    next(updates)
    np.testing.assert_array_equal(trainer.optimizer.data, before)
    rate = 0.01
    next(updates)
    for half in np.array_split(trainer.optimizer.data != before, 2):
        assert half.any()
    updates.close()


def test_layer_changes_between_loops_reach_all_workers(make_trainer, kind):
    trainer, other = (make_trainer(workers=2, dropout=rate) for rate in (0.5, 0.0))
    next(trainer.updates(1))
    for _, module in trainer.objective.named_modules():
        if hasattr(module, "p"):
            module.p = 0.0
    trainer.optimizer.data[...] = other.optimizer.data
    trainer.epoch, trainer.batches_done = other.epoch, other.batches_done
    assert next(trainer.updates(1)).loss == next(other.updates(1)).loss


class Failing(Module):
    """An objective that fails in every worker but the first."""

    def __init__(self, objective, error):
        self.objective, self.error, self.process = objective, error, os.getpid()

    def forward(self, batch, n_tokens):
        if os.getpid() != self.process:
            self.error()
        return self.objective.forward(batch, n_tokens)

    def backward(self):
        self.objective.backward()


def raise_input_error():
    raise InputError("id 99 is too large")


@linux_only
@pytest.mark.parametrize(
    ("error", "raised", "told"),
    [
        (raise_input_error, InputError, "id 99 is too large"),
        (lambda: [][0], RuntimeError, "IndexError: list index out of range"),
        (
            lambda: os.kill(os.getpid(), signal.SIGKILL),
            ChildProcessError,
            "ended with status -9: memory may have run",
        ),
    ],
    ids=["InputError", "another", "killed"],
)
def test_error_in_worker_process_is_raised_in_parent(
    make_trainer, monkeypatch, error, raised, told
):
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: True)
    trainer = make_trainer()
    objective = Failing(trainer.objective, error)
    parallel = DataParallel(objective, trainer.optimizer, n_workers=2, communicator=Communicator())
    with pytest.raises(raised, match=told):
        parallel.compute_gradient(batches_of(trainer), 1)
    parallel.stop()


@linux_only
def test_worker_that_ended_between_two_updates_is_reported(make_trainer, monkeypatch):
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: True)
    trainer = make_trainer(workers=2)
    updates = trainer.updates(1)
    next(updates)
    [worker] = trainer.parallel.other_workers
    worker._process.kill()
    worker._process.join()
    with pytest.raises(ChildProcessError, match="a worker ended with status -9: memory may have"):
        next(updates)


def test_several_workers_are_refused_in_the_browser_and_on_a_gpu(make_trainer, monkeypatch):
    trainer = make_trainer()

    def start(n_workers):
        DataParallel(
            trainer.objective, trainer.optimizer, n_workers=n_workers, communicator=Communicator()
        )

    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "emscripten")
        with pytest.raises(InputError, match="training with 2 workers is not for the browser"):
            start(2)
        start(1)
    monkeypatch.setattr("npformer.backend.on_gpu", lambda: True)
    with pytest.raises(InputError, match="training with 2 workers needs NumPy, not a GPU"):
        start(2)
    with pytest.raises(InputError, match="training with 2 ranks needs NumPy, not a GPU"):
        distributed._mpi_communicator.__wrapped__(2)


@linux_only
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_workers_leave_signals_of_a_terminal_to_the_parent(make_trainer, monkeypatch, name):
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: True)
    trainer, other = (make_trainer(workers=2) for _ in range(2))
    updates, undisturbed = trainer.updates(1), other.updates(1)
    assert next(updates).loss == next(undisturbed).loss
    for worker in trainer.parallel.other_workers:
        os.kill(worker._process.pid, getattr(signal, name))
    assert next(updates).loss == next(undisturbed).loss
    updates.close()
    undisturbed.close()


@linux_only
def test_training_continues_with_new_workers_after_error(make_trainer, monkeypatch):
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: True)
    trainer, other = (make_trainer(workers=2, dropout=0.0) for _ in range(2))
    [batch] = batches_of(trainer)
    with monkeypatch.context() as patch:
        patch.setattr(trainer.objective, "backward", raise_input_error)
        with pytest.raises(InputError, match="id 99"):
            trainer.update([batch])
    assert trainer.parallel.other_workers is None
    trainer.objective.train()
    assert trainer.update([batch]) == other.update([batch])
    for one in (trainer, other):
        one.close()


@linux_only
def test_workers_end_when_an_update_is_interrupted(make_trainer, monkeypatch):
    """What they still send would be taken for results of the next update."""
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: True)
    trainer = make_trainer(workers=2)

    def interrupt(worker):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(data_parallel._Process, "receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            trainer.update(batches_of(trainer))
    assert trainer.parallel.other_workers is None


@linux_only
@pytest.mark.parametrize("first", [True, False])
def test_checkpoints_work_across_processes_and_threads(make_trainer, monkeypatch, tmp_path, first):
    path, how = tmp_path / "checkpoint.safetensors", {"workers": 2, "dropout": 0.5}
    losses, weights = trained(make_trainer, **how)
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: first)
    stopped = make_trainer(**how)
    before = [record.loss for record in islice(stopped.updates(2), 7)]
    save_checkpoint(path, stopped)
    monkeypatch.setattr(data_parallel, "_can_fork", lambda communicator: not first)
    other = make_trainer(seed=9, **how)
    Checkpoint.read(path).restore(other)
    assert before + [record.loss for record in other.updates(2)] == losses
    assert other.optimizer.data.tobytes() == weights


def test_workers_are_threads_with_other_threads_or_mpi(monkeypatch):
    alone, ranks = Communicator(), Communicator()
    ranks.size = 2
    monkeypatch.setattr(data_parallel.threading, "active_count", lambda: 1)
    assert data_parallel._can_fork(alone) == (
        sys.platform == "linux"
    ) and not data_parallel._can_fork(ranks)
    monkeypatch.setattr(data_parallel.threading, "active_count", lambda: 2)
    assert not data_parallel._can_fork(alone)


SCRIPT = """
import os
from npformer import Transformer, TransformerConfig
from npformer.tasks import Batches, Objective
from npformer.training import Adam, Trainer
model = Transformer(TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9), rng=0)
adam = Adam(model.parameters(), learning_rate=0.01)
trainer = Trainer(Objective(model), adam, Batches([([4, 5], [5, 4])] * 4, batch_tokens=6), workers=3)
updates = trainer.updates(9)
next(updates)
print(*(worker._process.pid for worker in trainer.parallel.other_workers), flush=True)
"""


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux_only
@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)", "list(updates)"])
def test_workers_end_with_the_parent_process(end):
    script = textwrap.dedent(SCRIPT) + end
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    pids = done.stdout.split()
    assert len(pids) == 2
    for _ in range(1200):
        if not any(map(is_running, pids)):
            return
        signal.sigtimedwait([], 0.05)
    raise AssertionError(pids)
