"""Data parallelism: workers that share the sentences of an update, as the paper's GPUs do (section 5.2)."""

import copy
import mmap
import multiprocessing
import signal
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.util import Finalize

import numpy as np

from ..backend import check_numpy, xp
from ..module import Module
from ..utils import InputError
from .adam import Adam
from .distributed import Communicator

_PIPES = weakref.WeakSet()  # this process's ends of the pipes to its workers


class DataParallel:
    """What a Trainer has in place of its own gradient and `Adam.step` when it has n workers, or several ranks.

    Each worker computes the gradient of its share of every batch, with a replica of the objective: the same weights,
    but a gradient and random generators of its own. The first is this process, with the objective itself. On Linux the
    others are processes, forked by `start`, that share weights, gradients and moments; elsewhere, and where this
    process has other threads, they are threads, with the same result bit for bit. Each worker sums the gradients and
    takes the step for its part of the parameters.

    Raises `InputError` on a GPU and in the browser.
    """

    def __init__(
        self, objective: Module, optimizer: Adam, *, n: int = 1, communicator: Communicator
    ):
        if n > 1:
            check_numpy(f"training with {n} workers")
        if n > 1 and sys.platform == "emscripten":
            raise InputError(
                f"training with {n} workers is not for the browser, which has one thread: use 1 worker"
            )
        self.objective, self.optimizer, self.n, self.communicator = (
            objective,
            optimizer,
            n,
            communicator,
        )
        self.streams = self._streams()
        self.others = None  # the other workers, once started

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all workers: the whole state of dropout."""
        return [rng for streams in self.streams for rng in streams]

    def start(self) -> None:
        """Start the workers. Changes of a layer's attributes after this do not reach those that are processes."""
        kind = _Process if self.n > 1 and _can_fork(self.communicator) else _Thread
        optimizer, flat, make = self.optimizer, self.optimizer.flat, xp.empty_like
        if kind is _Process:
            make = _shared
            flat.store_in(make(flat.data), make(flat.grad))
            optimizer.store_in(make(optimizer.m), make(optimizer.v))
        gradients, size = [make(flat.grad) for _ in self.streams[1:]], flat.data.size
        parts = [slice(size * i // self.n, size * (i + 1) // self.n) for i in range(self.n)]
        self.first = _Replica(self.objective, self.streams[0], optimizer, parts[0], gradients)
        self.others = []
        for gradient, streams, part in zip(gradients, self.streams[1:], parts[1:], strict=True):
            copied = self._copy(gradient, streams)
            self.others.append(kind(_Replica(copied, streams, optimizer, part, gradients)))

    def stop(self) -> None:
        """End the workers."""
        for worker in self.others or ():
            worker.close()
        self.others = None

    def forward_backward(self, batches: list) -> float:
        """Leave the gradient of the mean loss per token in the parameters; return that loss."""
        if self.others is None:
            self.start()
        n_tokens = sum(batch.n_tokens for batch in batches)
        losses = self._call(
            _Replica.forward_backward, [(share, n_tokens) for share in self._shares(batches)]
        )
        self._call(_Replica.add_gradients, [()] * self.n)
        self.communicator.allreduce(self.optimizer.flat.grad)
        return sum(sum(of_rank) for of_rank in self.communicator.allgather(losses))

    def step(self) -> None:
        """Update every parameter from its gradient, as `Adam.step` does."""
        self._call(_Replica.step, [(self.optimizer.steps + 1,)] * self.n)
        self.optimizer.steps += 1

    def _call(self, method: Callable, arguments: list[tuple]) -> list:
        """Call a method of each replica with its arguments, all at the same time; return the results."""
        try:
            for worker, args in zip(self.others, arguments[1:], strict=True):
                worker.send(method, *args)
            return [
                method(self.first, *arguments[0]),
                *(worker.receive() for worker in self.others),
            ]
        except BaseException:
            self.stop()  # the other workers' results belong to this update
            raise

    def _shares(self, batches: list) -> list[list]:
        """Return each worker's share of each batch; a batch may have fewer sentences than there are workers."""
        total, first = self.n * self.communicator.size, self.n * self.communicator.rank
        split = [batch.split(total) for batch in batches]
        return [
            [shares[i] for shares in split if i < len(shares)] for i in range(first, first + self.n)
        ]

    def _streams(self) -> list[list[np.random.Generator]]:
        """Return for each worker of this rank its generators: the objective's own, or streams spawned from them.

        All ranks spawn the same streams, since they have drawn the same weights. The objective of a later rank draws
        from that rank's first stream.
        """
        total, first = self.n * self.communicator.size, self.n * self.communicator.rank
        streams = [[] for _ in range(self.n)]
        for rng in self.objective.generators():
            every = [rng, *rng.spawn(total - 1)][first : first + self.n]
            if first:
                rng.bit_generator.state = every[0].bit_generator.state
            for own, stream in zip(streams, [rng, *every[1:]], strict=True):
                own.append(stream)
        return streams

    def _copy(self, gradient, streams: list[np.random.Generator]) -> Module:
        """Copy the objective, with the same weights, and with this gradient and these generators."""
        replaced = {
            id(p): p.with_grad(gradient[part].reshape(p.data.shape))
            for p, part in zip(
                self.optimizer.flat.parameters, self.optimizer.flat.slices, strict=True
            )
        }
        replaced |= {
            id(rng): stream
            for rng, stream in zip(self.objective.generators(), streams, strict=True)
        }
        return copy.deepcopy(self.objective, replaced)


class _Replica:
    """An objective with its random generators, and the part of the parameters that it updates."""

    def __init__(
        self, objective: Module, streams: list, optimizer: Adam, part: slice, gradients: list
    ):
        self.objective, self.streams = objective, streams
        self.optimizer, self.part, self.gradients = optimizer, part, gradients

    def forward_backward(self, share: list, n_tokens: int) -> float:
        """Compute the gradient of a share; return its part of the loss."""
        self.objective.zero_grad()
        loss = 0.0
        for batch in share:
            loss += self.objective.forward(batch, n_tokens)
            self.objective.backward()
        return loss

    def add_gradients(self) -> None:
        """Add the gradients of the other workers to that of the first one."""
        for gradient in self.gradients:
            self.optimizer.flat.grad[self.part] += gradient[self.part]

    def step(self, step: int) -> None:
        """Take a step of Adam for this worker's part."""
        self.optimizer.update_part(self.part, step)

    def states(self) -> list[dict]:
        return [rng.bit_generator.state for rng in self.streams]

    def set_states(self, states: list[dict]) -> None:
        for rng, state in zip(self.streams, states, strict=True):
            rng.bit_generator.state = state


class _Thread:
    """A worker that is a thread of this process."""

    def __init__(self, replica: _Replica):
        self.replica = replica
        self._pool = ThreadPoolExecutor(
            1, initializer=np.seterr, initargs=("ignore",)
        )  # the Trainer reports it
        self.close = self._pool.shutdown

    def send(self, method: Callable, *arguments) -> None:
        self._result = self._pool.submit(method, self.replica, *arguments)

    def receive(self):
        return self._result.result()


class _Process:
    """A worker that is a forked process: each call takes the states of its generators there and back."""

    def __init__(self, replica: _Replica):
        self.replica = replica
        context = multiprocessing.get_context("fork")
        self._pipe, theirs = context.Pipe()
        _PIPES.add(self._pipe)
        self._process = context.Process(target=_serve, args=(theirs, replica), daemon=True)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # of the BLAS library's idle threads
            self._process.start()
        theirs.close()
        self.close = Finalize(
            self, _end, (self._pipe, self._process), exitpriority=0
        )  # at exit at the latest

    def send(self, method: Callable, *arguments) -> None:
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
        ended = f"a worker ended with status {self._process.exitcode}"
        raise ChildProcessError(f"{ended}: memory may have run out, use fewer workers") from None


def _end(pipe, process) -> None:
    pipe.close()
    process.join()


def _serve(pipe, replica: _Replica) -> None:
    """Do what the parent asks for until it closes the pipe, or ends."""
    for name in (
        "SIGINT",
        "SIGTERM",
        "SIGHUP",
    ):  # a terminal sends them to all; the parent ends the workers
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    for inherited in _PIPES:
        inherited.close()
    with suppress(EOFError, OSError):
        while True:
            name, arguments, states = pipe.recv()
            replica.set_states(states)
            result = error = None
            try:
                result = getattr(replica, name)(*arguments)
            except InputError as raised:
                error = raised
            except Exception:
                error = RuntimeError(f"a worker failed:\n{traceback.format_exc()}")
            pipe.send((result, replica.states(), error))


def _can_fork(communicator: Communicator) -> bool:
    """Return whether workers may be forked: on Linux, from a process without other threads, and not under MPI."""
    return sys.platform == "linux" and threading.active_count() == 1 and communicator.size == 1


def _shared(array: np.ndarray) -> np.ndarray:
    """Return an empty array like this one in memory that forked processes share."""
    return np.frombuffer(mmap.mmap(-1, max(array.nbytes, 1)), array.dtype, array.size)
