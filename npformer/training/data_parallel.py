"""Data parallelism: workers that share the sentences of an update, as the paper's GPUs (5.2)."""

import copy
import mmap
import multiprocessing
import signal
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.util import Finalize
from typing import Any

import numpy as np

from ..backend import Array, check_numpy, xp
from ..module import Module
from ..utils import InputError
from .adam import Adam
from .distributed import Communicator
from .gradient import forward_backward

_PIPES: weakref.WeakSet = weakref.WeakSet()  # this process's ends of the pipes to its workers
_SIGNALS_OF_TERMINALS = ("SIGINT", "SIGTERM", "SIGHUP")


class DataParallel:
    """What a Trainer uses in place of `forward_backward` and `Adam.step` with several workers.

    Each worker computes the gradient of its share of every batch with a replica of the objective:
    the same weights, but a gradient and random generators of its own. Then each sums the gradients
    of all workers, and takes the step, for its part of the parameters.

    The first worker is this process, with the objective itself. On Linux the others are processes,
    forked by `start`, that share weights, gradients and moments. Elsewhere, and where this process
    has other threads, they are threads; the result is the same bit for bit.

    Arguments:
        objective, optimizer: as in `Trainer`.
        n_workers: how many workers this process has, itself included.
        communicator: the ranks of MPI, each with as many workers.

    Raises `InputError` for several workers on a GPU or in the browser.
    """

    def __init__(
        self,
        objective: Module,
        optimizer: Adam,
        *,
        n_workers: int = 1,
        communicator: Communicator,
    ):
        if n_workers > 1:
            check_numpy(f"training with {n_workers} workers")
            if sys.platform == "emscripten":
                raise InputError(
                    f"training with {n_workers} workers is not for the browser, "
                    "which has one thread: use 1 worker"
                )
        self.objective = objective
        self.optimizer = optimizer
        self.n_workers = n_workers
        self.communicator = communicator
        self.n_workers_in_all = n_workers * communicator.size
        self.first_number = n_workers * communicator.rank  # of this rank's first worker
        self.worker_generators = self._worker_generators()
        self.other_workers: list | None = None  # all but the first, once started

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all workers: the whole state of dropout."""
        generators = []
        for generators_of_worker in self.worker_generators:
            generators += generators_of_worker
        return generators

    def start(self) -> None:
        """Start the workers.

        Changes of a layer's attributes after this do not reach the workers that are processes.
        """
        optimizer = self.optimizer
        optimizer.check_owns_parameters()
        forks = self.n_workers > 1 and _can_fork(self.communicator)
        if forks:
            # what all workers change has to be in memory that the forked processes share
            optimizer.store_in(
                _shared(optimizer.data),
                _shared(optimizer.grad),
                _shared(optimizer.m),
                _shared(optimizer.v),
            )

        gradients = [optimizer.grad]
        while len(gradients) < self.n_workers:
            gradients.append(_shared(optimizer.grad) if forks else xp.empty_like(optimizer.grad))

        replicas = []
        for number in range(self.n_workers):
            objective = self.objective if number == 0 else self._copy(number, gradients[number])
            generators = self.worker_generators[number]
            replicas.append(_Replica(objective, optimizer, gradients, number, generators))

        worker_class = _Process if forks else _Thread
        self.first_replica = replicas[0]
        self.other_workers = [worker_class(replica) for replica in replicas[1:]]

    def stop(self) -> None:
        """End the workers."""
        for worker in self.other_workers or ():
            worker.close()
        self.other_workers = None

    def compute_gradient(self, batches: Sequence, n_tokens: int) -> float:
        """Leave the gradient of the mean loss per token in the parameters; return that loss."""
        if self.other_workers is None:
            self.start()
        shares = [(share, n_tokens) for share in self._shares(batches)]
        losses = self._call(_Replica.compute_gradient, shares)
        # two calls: a worker may only add a gradient that is complete
        self._call(_Replica.add_gradients, [()] * self.n_workers)
        self.communicator.allreduce(self.optimizer.grad)
        return sum(sum(of_rank) for of_rank in self.communicator.allgather(losses))

    def step(self) -> None:
        """Update every parameter from its gradient, as `Adam.step` does."""
        self.optimizer.check_owns_parameters()
        step = self.optimizer.steps + 1
        # a loop may have changed the rate, which a process that was forked before would not know
        lr = self.optimizer.learning_rate_at(step)
        self._call(_Replica.step, [(step, lr)] * self.n_workers)
        self.optimizer.steps = step

    def _call(self, method: Callable, arguments: list[tuple]) -> list:
        """Call a method of each replica with its arguments, all at once; return the results."""
        workers = self.other_workers or []
        try:
            for worker, args in zip(workers, arguments[1:], strict=True):
                worker.send(method, *args)
            results = [method(self.first_replica, *arguments[0])]
            for worker in workers:
                results.append(worker.receive())
            return results
        except BaseException:
            self.stop()  # the results that the other workers still send belong to this update
            raise

    def _shares(self, batches: Sequence) -> list[list]:
        """Return each worker's share of each batch."""
        shares: list[list] = [[] for _ in range(self.n_workers)]
        first = self.first_number
        for batch in batches:
            # a batch may have fewer sentences than there are workers: some get nothing
            split = batch.split(self.n_workers_in_all)[first : first + self.n_workers]
            for share, part in zip(shares, split, strict=False):
                share.append(part)
        return shares

    def _worker_generators(self) -> list[list[np.random.Generator]]:
        """Return the generators of each worker of this rank: the objective's, or spawned ones.

        All ranks spawn the same generators, because they have drawn the same weights.
        """
        worker_generators: list[list] = [[] for _ in range(self.n_workers)]
        first = self.first_number
        for rng in self.objective.generators():
            generators_of_all_workers = [rng, *rng.spawn(self.n_workers_in_all - 1)]
            own_generators = generators_of_all_workers[first : first + self.n_workers]
            if first > 0:
                # the objective of a later rank draws from that rank's first generator
                rng.bit_generator.state = own_generators[0].bit_generator.state
                own_generators[0] = rng
            for generators, generator in zip(worker_generators, own_generators, strict=True):
                generators.append(generator)
        return worker_generators

    def _copy(self, number: int, gradient: Array) -> Module:
        """Return the replica's objective: the same weights, its own gradient and generators."""
        replaced: dict[int, Any] = {}
        optimizer = self.optimizer
        for p, part in zip(optimizer.parameters, optimizer.slices(), strict=True):
            replaced[id(p)] = p.with_grad(gradient[part].reshape(p.data.shape))
        own_generators = self.worker_generators[number]
        for rng, own in zip(self.objective.generators(), own_generators, strict=True):
            replaced[id(rng)] = own
        return copy.deepcopy(self.objective, replaced)  # which copies nothing that is in replaced


class _Replica:
    """What a worker works with: an objective, its generators, and its part of the parameters."""

    def __init__(
        self,
        objective: Module,
        optimizer: Adam,
        gradients: list[Array],
        number: int,
        generators: list[np.random.Generator],
    ):
        self.objective = objective
        self.optimizer = optimizer
        self.gradients = gradients  # of all workers
        self.number = number
        self.generators = generators

        # parts of equal size, whose bounds do not depend on where parameters begin
        n = optimizer.data.size
        n_workers = len(gradients)
        self.part = slice(n * number // n_workers, n * (number + 1) // n_workers)

    def compute_gradient(self, share: list, n_tokens: int) -> float:
        """Compute the gradient of a share; return its part of the loss."""
        return forward_backward(self.objective, self.gradients[self.number], share, n_tokens)

    def add_gradients(self) -> None:
        """Add the gradients of the other workers to that of the first one."""
        for gradient in self.gradients[1:]:
            self.optimizer.grad[self.part] += gradient[self.part]

    def step(self, step: int, lr: float) -> None:
        """Take a step of Adam for this worker's part."""
        self.optimizer.update_part(self.part, step, lr)

    def states(self) -> list:
        return [rng.bit_generator.state for rng in self.generators]

    def set_states(self, states: list) -> None:
        for rng, state in zip(self.generators, states, strict=True):
            rng.bit_generator.state = state


class _Thread:
    """A worker that is a thread of this process."""

    def __init__(self, replica: _Replica):
        self.replica = replica
        # NumPy's warnings are switched off per thread; the Trainer reports what is not finite
        self._pool = ThreadPoolExecutor(1, initializer=np.seterr, initargs=("ignore",))
        self.close = self._pool.shutdown

    def send(self, method: Callable, *arguments) -> None:
        self._result = self._pool.submit(method, self.replica, *arguments)

    def receive(self):
        return self._result.result()


class _Process:
    """A worker that is a forked process: each call takes its generators' states there and back."""

    def __init__(self, replica: _Replica):
        self.replica = replica
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        _PIPES.add(self._pipe)
        self._process = context.Process(target=_serve, args=(theirs, replica), daemon=True)
        with warnings.catch_warnings():
            # Python warns of forking while the BLAS library has threads, which are idle
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        # else this process would hold the worker's end too, and never see that the worker has ended
        theirs.close()

        # called at exit at the latest
        self.close = Finalize(self, _end, (self._pipe, self._process), exitpriority=0)

    def send(self, method: Callable, *arguments) -> None:
        # the parent keeps the states, so that a checkpoint has them and another process can take
        # over
        try:
            self._pipe.send((method.__name__, arguments, self.replica.states()))
        except OSError:
            self._raise_ended()

    def receive(self):
        try:
            result, states, error = self._pipe.recv()
        except (EOFError, OSError):
            self._raise_ended()
        if error is not None:
            raise error
        self.replica.set_states(states)
        return result

    def _raise_ended(self) -> None:
        self._process.join()
        raise ChildProcessError(
            f"a worker ended with status {self._process.exitcode}: "
            "memory may have run out, use fewer workers"
        ) from None


def _end(pipe, process) -> None:
    pipe.close()
    process.join()


def _serve(pipe, replica: _Replica) -> None:
    """Do what the parent asks for until it closes the pipe, or ends."""
    # a terminal sends these to all processes, but it is the parent that ends the workers
    for name in _SIGNALS_OF_TERMINALS:
        signal.signal(getattr(signal, name), signal.SIG_IGN)

    # a pipe is closed only when no process holds its end any more
    for inherited in _PIPES:
        inherited.close()

    with suppress(EOFError, OSError):
        while True:
            name, arguments, states = pipe.recv()
            replica.set_states(states)
            result: Any = None
            error: Exception | None = None
            try:
                result = getattr(replica, name)(*arguments)
            # an InputError is for the user as it is; another exception may not survive pickling
            except InputError as raised:
                error = raised
            except Exception:
                error = RuntimeError(f"a worker failed:\n{traceback.format_exc()}")
            pipe.send((result, replica.states(), error))


def _can_fork(communicator: Communicator) -> bool:
    """Return whether workers may be forked.

    They may on Linux, in a process without other threads (a lock that one of them holds would stay
    locked in the fork for ever), and not under MPI.
    """
    return sys.platform == "linux" and threading.active_count() == 1 and communicator.size == 1


def _shared(array: np.ndarray) -> np.ndarray:
    """Return an empty array like this one in memory that forked processes share."""
    return np.frombuffer(mmap.mmap(-1, array.nbytes), array.dtype, array.size)
