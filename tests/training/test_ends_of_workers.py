"""How worker processes end: with their Trainer, with the program however that ends, by an error, or killed."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress
from itertools import islice

import numpy as np
import pytest
from npformer.training.shared_memory import fork_sharing
from npformer.workers import processes

from npformer import InputError, Module, backend
from npformer.training import Adam, Trainer, load_checkpoint, save_checkpoint

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
PATIENCE = 10  # seconds


def alive(pid):
    """Whether there is such a process, if only as a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def begun(make_trainer, **how):
    """A trainer of three workers after an update, and its children's pids."""
    trainer, _, pids = under_way(make_trainer, **how)
    return trainer, pids


def under_way(make_trainer, **how):
    """The same, and a loop over its updates after the first one."""
    trainer = make_trainer(workers=3, dropout=0.0, **how)
    updates = trainer.updates(5)
    next(updates)
    pids = [child.pid for child in trainer.replicas.team.children]
    assert len(pids) == 2 and all(map(alive, pids))
    return trainer, updates, pids


class Faulty(Module):
    """A layer that does something in the last of three workers, or in the parent."""

    def __init__(self, what, in_child=True):
        self.what, self.in_child, self.home = what, in_child, os.getpid()

    def forward(self, x):
        if (os.getpid() != self.home) == self.in_child:
            self.what()
        return self.remember(x)

    def backward(self, dy):
        self.recall(dy)
        return dy


def put(trainer, layer):
    tokens = trainer.objective.model.encoder.tokens
    before, tokens.dropout = tokens.dropout, layer
    return before


class OddError(InputError):
    def __init__(self, size, limit):
        super().__init__(f"{size} is above {limit}")


def raising(error):
    def act():
        raise error

    return act


def in_memory():
    np.empty(1 << 60, "float32")


class LostError(ArithmeticError):
    """An error whose class is found nowhere by its name."""


LostError.__qualname__ = "nowhere.LostError"
ERRORS = {
    "of ours": (raising(InputError("an id is too large")), InputError, "an id is too large"),
    "with odd arguments": (raising(OddError(3, 2)), InputError, "3 is above 2"),
    "of no module": (raising(LostError("what is lost")), ArithmeticError, "what is lost"),
    "of NumPy": (in_memory, MemoryError, "Unable to allocate"),
    "plain": (raising(MemoryError()), MemoryError, ""),
    "the end": (raising(SystemExit(3)), SystemExit, "3"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_in_a_child_is_raised_here_and_training_can_go_on(make_trainer, kind):
    act, expected, message = ERRORS[kind]
    trainer, pids = begun(make_trainer)
    plain, _ = begun(make_trainer)
    layer = put(trainer, Faulty(act))
    with pytest.raises(expected) as caught:
        next(trainer.updates(5))
    assert str(caught.value).startswith(message) and issubclass(caught.type, expected)
    assert "in forward\n" in str(caught.value.__cause__) and "In a worker:" in str(caught.value.__cause__)
    assert not any(map(alive, pids)) and trainer.replicas.team.children == []
    put(trainer, layer)
    assert list(islice(trainer.updates(5), 3)) == list(islice(plain.updates(5), 3))


@pytest.mark.parametrize("error", [KeyboardInterrupt, InputError("here"), SystemExit(3)])
def test_an_error_here_ends_the_children_whatever_they_are_doing(make_trainer, error):
    trainer, pids = begun(make_trainer)
    put(trainer, Faulty(raising(error), in_child=False))
    with pytest.raises(BaseException) as caught:
        next(trainer.updates(5))
    assert caught.type is (error if isinstance(error, type) else type(error))
    assert not any(map(alive, pids)) and trainer.replicas.team.children == []


def kill_oneself():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("when", ["before an update", "at work"])
def test_a_child_that_is_killed_is_named_and_training_can_go_on(make_trainer, when):
    trainer, updates, pids = under_way(make_trainer)
    plain, _ = begun(make_trainer)
    layer = None
    if when == "at work":
        layer, name = put(trainer, Faulty(kill_oneself)), "worker 2 of 3"
    else:
        os.kill(pids[1], signal.SIGKILL)
        name = f"worker 3 of 3 \\(process {pids[1]}\\)"
    expected = f"{name}.* was killed by SIGKILL: memory may have run out. Ask for smaller batches, or fewer workers"
    with pytest.raises(ChildProcessError, match=expected) as caught:
        next(updates)
    assert "\n" not in str(caught.value) and not any(map(alive, pids))
    if layer:
        put(trainer, layer)
    assert list(islice(trainer.updates(5), 3)) == list(islice(plain.updates(5), 3))


def test_a_signal_without_a_name_is_told_by_its_number(make_trainer):
    trainer, _ = begun(make_trainer)
    put(trainer, Faulty(lambda: os.kill(os.getpid(), signal.SIGRTMIN + 6)))
    with pytest.raises(ChildProcessError, match=f"was killed by signal {signal.SIGRTMIN + 6}: "):
        next(trainer.updates(5))


def test_the_number_of_a_child_that_was_waited_for_is_not_killed_again(make_trainer, monkeypatch):
    _trainer, updates, pids = under_way(make_trainer)
    os.kill(pids[0], signal.SIGKILL)
    killed, kill = [], os.kill
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append(pid) or kill(pid, number))
    with pytest.raises(ChildProcessError):
        next(updates)
    assert killed == pids[1:]


def test_a_child_that_ends_of_itself_is_told_of_too(make_trainer):
    trainer, _ = begun(make_trainer)
    put(trainer, Faulty(lambda: os._exit(7)))
    with pytest.raises(ChildProcessError, match=r"worker 2 of 3 \(process \d+\) ended with status 7: "):
        next(trainer.updates(5))


def test_children_end_with_their_trainer(make_trainer):
    trainer, pids = begun(make_trainer)
    del trainer  # is enough: nothing holds it in a circle
    assert not any(map(alive, pids))


def test_where_no_process_can_be_forked_one_line_says_so(make_trainer, monkeypatch):
    forks = iter([fork_sharing])

    def fork():
        for real in forks:
            return real()
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(processes, "fork_sharing", fork)
    trainer = make_trainer(workers=3, processes=True)
    with pytest.raises(InputError, match=r"no 2 more processes can be had here \(.*unavailable\): ask for workers"):
        next(trainer.updates(1))
    assert trainer.replicas.team.children == []


def test_where_no_process_can_be_forked_and_none_is_asked_for_threads_go_on(make_trainer, monkeypatch):
    expected = [update.loss for update in make_trainer(workers=3, processes=False).updates(1)]

    forks, asked = iter([fork_sharing]), []

    def fork():
        asked.append(None)
        for real in forks:
            return real()
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(processes, "fork_sharing", fork)
    trainer = make_trainer(workers=3)
    assert [update.loss for update in trainer.updates(1)] == expected
    assert trainer.replicas.team.children == [] and len(asked) == 2
    monkeypatch.undo()
    next(trainer.updates(2))
    assert len(trainer.replicas.team.children) == 2  # a new loop asks anew


def test_where_no_pipe_can_be_had_one_line_says_so(make_trainer, monkeypatch):
    def refuse():
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("multiprocessing.Pipe", refuse)
    with pytest.raises(InputError, match=r"no 2 more processes can be had here \(.*open files\): ask for workers = 1"):
        next(make_trainer(workers=3, processes=True).updates(1))


def test_ctrl_c_just_after_a_fork_leaves_no_child(make_trainer, monkeypatch):
    threading.Thread(target=threading.Event().wait, args=(5,), daemon=True).start()  # to which the signal may come, too
    pids = []

    def fork():
        pid = fork_sharing()
        if pid:
            pids.append(pid)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)  # until it has come
        return pid

    monkeypatch.setattr(processes, "fork_sharing", fork)
    trainer = make_trainer(workers=3)
    with pytest.raises(KeyboardInterrupt):
        next(trainer.updates(1))
    assert len(pids) == 1 and not alive(pids[0]) and trainer.replicas.team.children == []


@pytest.mark.parametrize("cause", ["a child is killed", "Ctrl-C"])
def test_weights_that_a_step_left_half_changed_are_not_gone_on_with(make_trainer, monkeypatch, tmp_path, cause):
    home, update, causes = os.getpid(), Adam.update, []

    def broken(adam, *how):
        if causes and (os.getpid() == home) == (cause == "Ctrl-C"):
            raise KeyboardInterrupt if cause == "Ctrl-C" else os._exit(1)
        update(adam, *how)

    def assert_refused(act, *how):
        with pytest.raises(
            InputError, match=r"Adam's step 2 was broken off .*: load a checkpoint, or set torn = False"
        ):
            act(*how)

    monkeypatch.setattr(backend, "CACHED_ENTRIES", 512)  # for Adam, too, there is something to share
    monkeypatch.setattr(Adam, "update", broken)
    trainer, _ = begun(make_trainer)
    plain, _ = begun(make_trainer)
    save_checkpoint(tmp_path / "whole.safetensors", trainer)
    causes.append(cause)
    with pytest.raises((ChildProcessError, KeyboardInterrupt)):
        next(trainer.updates(5))
    causes.clear()
    assert_refused(next, trainer.updates(5))
    assert_refused(save_checkpoint, tmp_path / "torn.safetensors", trainer)
    assert [file.name for file in tmp_path.iterdir()] == ["whole.safetensors"]
    load_checkpoint(tmp_path / "whole.safetensors", trainer)
    assert list(trainer.updates(2)) == list(plain.updates(2))


def test_signals_are_the_parents_alone(make_trainer):
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    before = signal.signal(signal.SIGUSR1, lambda *_: os.write(theirs, b"heard"))
    try:
        trainer, updates, pids = under_way(make_trainer)
        for pid in pids:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
                os.kill(pid, number)
        with suppress(ChildProcessError):
            next(updates)
        assert [child.pid for child in trainer.replicas.team.children] == pids
        with pytest.raises(BlockingIOError):
            os.read(ours, 9)
    finally:
        signal.signal(signal.SIGUSR1, before)


def forked(work):
    """Return what work() makes in a child by a fork of somebody else's."""
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        try:
            os.write(theirs, repr(work()).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as file:
        said = file.read().decode()
    os.waitpid(pid, 0)
    return said


def test_a_child_by_somebody_elses_fork_has_weights_of_its_own_and_ends_no_worker(make_trainer):
    trainer, pids = begun(make_trainer)
    model, flat, adam = trainer.objective.model, trainer.optimizer.flat, trainer.optimizer
    before, norm = flat.data.copy(), float(adam.m @ adam.m)

    def work():
        alike = bool((flat.data == before).all()) and float(adam.m @ adam.m) == norm
        model.load_state_dict({name: array * 0 for name, array in model.state_dict().items()})
        flat.grad.fill(5), adam.moments.fill(5)
        trainer.replicas.team.renew()
        return alike, float(abs(flat.data).sum()), float(adam.m[-1])

    assert forked(work) == "(True, 0.0, 5.0)"
    assert (flat.data == before).all() and float(adam.m @ adam.m) == norm and not (flat.grad == 5).all()
    assert all(map(alive, pids))
    list(trainer.updates(1))


def test_a_trainer_in_somebody_elses_child_says_whose_workers_it_has(make_trainer):
    trainer, _ = begun(make_trainer)

    def work():
        try:
            next(trainer.updates(5))
        except InputError as error:
            return str(error)

    assert "this Trainer's workers belong to another process: make one in the process that trains" in forked(work)
    list(trainer.updates(1))


def test_a_new_trainer_in_somebody_elses_child_trains_with_workers_of_its_own(make_trainer):
    def losses(processes):
        trainer, _ = begun(make_trainer)
        before = trainer.optimizer.flat.data.copy()

        def work():
            how = {"workers": 2, "processes": processes}
            own = Trainer(trainer.objective, trainer.optimizer, trainer.batches, **how)
            return [update.loss for update in own.updates(1)]

        said = forked(work)
        assert (trainer.optimizer.flat.data == before).all()
        return said

    in_processes = losses(None)
    assert in_processes == losses(False) and len(in_processes) > 20


def test_what_is_garbage_here_is_not_thrown_away_in_a_child(make_trainer):
    class Loud:
        def __del__(self):
            os.write(theirs, b"%d " % os.getpid())

    ours, theirs = os.pipe()
    trainer = make_trainer(workers=3)
    put(trainer, Faulty(gc.collect))
    gc.disable()
    try:
        one = Loud()
        one.itself = one
        del one
        next(trainer.updates(1))
    finally:
        gc.enable()
    gc.collect()
    assert os.read(ours, 99) == b"%d " % os.getpid()


SCRIPT = """
import os, sys, time
import numpy as np
from npformer import Transformer, TransformerConfig
from npformer.tasks import Batches, Objective
from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule
def make():
    model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule(64, 20))
    return Trainer(Objective(model), adam, Batches([([4, 5, 6], [6, 5, 4])] * 4, batch_tokens=64), workers=2)
trainers = [make(), make()]
def step(trainer):
    trainer.updates(10**9).__next__()
    return trainer.replicas.team.children[0].pid
step(trainers[0]), step(trainers[1])
trainers[0].replicas.team.renew()  # the first one's child is forked anew, and both hold each other's pipes
print(*map(step, trainers), flush=True)
if sys.argv[1] == "busy":
    while True:
        step(trainers[0])
if sys.argv[1] == "idle":
    time.sleep(60)
if sys.argv[1] == "error":
    raise SystemExit(3)
"""


def started(how):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, how], **pipes)
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return process, [int(pid) for pid in line.split()]


def gone(pids):
    """Whether all of these end soon."""
    end = time.monotonic() + PATIENCE
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(alive, pids))


@pytest.mark.long
@pytest.mark.parametrize("how", ["busy", "idle"])
def test_a_parent_that_is_killed_leaves_no_child(how):
    process, pids = started(how)
    assert all(map(alive, pids))
    process.kill()
    try:
        assert process.communicate(timeout=PATIENCE) == ("", "") and gone(pids)
    finally:
        for pid in filter(alive, pids):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(("how", "status"), [("end", 0), ("error", 3)])
def test_a_program_that_ends_leaves_no_child_and_says_nothing(how, status):
    process, pids = started(how)
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == status and not any(map(alive, pids))
