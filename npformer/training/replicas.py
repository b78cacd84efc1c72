"""Data parallelism: threads that share the weights and the sentences of an update, in this process and in others."""

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from types import MethodType

import numpy as np

from ..base import Alone, InputError, blas_threads, check_workers, held, stretches, xp
from ..module import Module, Parameter
from .flat import FlatParameters

OWN = ("_memory", "_why_nothing", "switches")  # attributes of a layer that say nothing of how it computes


class Replicas:
    """Work out the gradient of an update with n threads, each on a share of every batch.

    NumPy runs a matrix product on all cores, but everything between two products on one. Here each thread runs on one
    core from the first layer to the last: it has a replica of the objective, which reads the same weights and adds up
    gradients of its own; at the end the gradients are summed. The first replica is the objective itself, at work in the
    calling thread.

    Where several processes, the `ranks`, train together, each has n threads, and what these summed is summed over the
    ranks. The replicas are counted through, n of rank 0, then n of rank 1: two ranks do what two threads of one do.

    Each replica drops out by a random generator of its own, so n belongs to the settings that a run can be repeated
    with. Whatever is set in the objective's layers later (a dropout's rate, eval mode) holds in all replicas.

    Raises `InputError` when n is below 1, above 1 on a GPU, or more threads than there can be, and when the flat
    gradient has no room for what the ranks sum up with it.
    """

    def __init__(self, objective: Module, flat: FlatParameters, *, n: int = 1, ranks: Alone | None = None):
        check_workers(n)
        self.ranks = ranks or Alone()
        if len(flat.grad_and_room) - len(flat.grad) != self.ranks.room:
            raise InputError(f"{self.ranks.n} ranks: expected FlatParameters(parameters, room={self.ranks.room})")
        self.n_everywhere = self.ranks.n * n
        self.here = slice(self.ranks.rank * n, self.ranks.rank * n + n)  # which replicas of all are in this process
        self.flat = flat
        self.gradients = [flat.grad, *(xp.zeros_like(flat.grad) for _ in range(n - 1))]  # n times (parameters,)
        self.streams = [{} for _ in range(n)]  # of each replica: its generators by the id of the original's
        self.objectives = [objective]
        self.copy_layers()
        self.threads = started_threads(n - 1) if n > 1 else None
        self.blas_threads = 1 if n > 1 else None

    def gradient(self, batches: Sequence) -> float:
        """Leave the gradient of the mean loss per token in the objective's parameters; return that loss."""
        n_tokens = sum(batch.n_tokens for batch in batches)
        parts = [batch.shares(self.n_everywhere)[self.here] for batch in batches]  # of a small batch fewer
        n = len(self.objectives)
        shares = [[part[i] for part in parts if i < len(part)] for i in range(n)]
        self.follow()
        with blas_threads(self.blas_threads):
            first, *others = self.each(lambda i: self.work(i, shares[i], n_tokens), range(n))
        if n > 1:
            self.each(self.add_gradients, stretches(self.flat.grad.size))
        loss = sum(others, start=first)
        n_here = sum(batch.n_tokens for share in shares for batch in share)
        return self.ranks.add_up(self.flat.grad_and_room, loss, n_here, n_tokens)

    def each(self, work: Callable, items: Sequence) -> list:
        """Return work(item) of each item, worked out side by side: every thread takes each n-th of them."""
        n = len(self.objectives)

        def share(i: int) -> list:
            return [work(item) for item in items[i::n]]

        others = [self.threads.submit(share, i) for i in range(1, n)]
        try:
            found = [share(0)]
        finally:
            wait(others)  # none may still be at work when the next update begins
        found += [other.result() for other in others]
        return [found[i % n][i // n] for i in range(len(items))]

    def add_gradients(self, part: slice) -> None:
        """Sum a part of the replicas' gradients."""
        for gradient in self.gradients[1:]:
            self.gradients[0][part] += gradient[part]

    def copy_layers(self) -> None:
        """Make the further replicas; a generator that has a copy already keeps it."""
        objective = self.objectives[0]
        self.layers = [layer for _, layer in objective.named_modules()]
        self.seen = [settings_of(layer) for layer in self.layers]
        self.give_streams(objective.generators())
        further = zip(self.gradients[1:], self.streams[1:], strict=True)
        self.objectives[1:] = [replica(objective, self.flat, gradient, streams) for gradient, streams in further]
        self.parameters = [self.flat.parameters, *(other.parameters() for other in self.objectives[1:])]
        for gradient in self.gradients[1:]:
            gradient.fill(0)  # that of a layer taken away, which no replica has any more, stays so
        self.twins = [[twin for _, twin in other.named_modules()] for other in self.objectives[1:]]

    def give_streams(self, generators: list[np.random.Generator]) -> None:
        """Give each replica a generator of its own for each of these, unless it has one.

        Replica 0 of all has the objective's; in another rank that goes over to the stream of the first replica there.
        """
        for rng in generators if self.n_everywhere > 1 else ():
            if id(rng) not in self.streams[0]:
                every = [rng, *rng.spawn(self.n_everywhere - 1)][self.here]
                rng.bit_generator.state = every[0].bit_generator.state
                for streams, own in zip(self.streams, [rng, *every[1:]], strict=True):
                    streams[id(rng)] = own

    def follow(self) -> None:
        """Have all replicas compute as the objective now does, whatever was set in its layers, or put there, since."""
        if self.n_everywhere == 1:
            return
        for layer, seen in zip(self.layers, self.seen, strict=True):
            now = settings_of(layer)
            if len(now) != len(seen) or any(new is not old for new, old in zip(now, seen, strict=True)):
                self.copy_layers()
                break
        switches = [layer.now for layer in self.layers]
        for twins in self.twins:
            for twin, now in zip(twins, switches, strict=True):
                twin.switches = now

    def work(self, i: int, share: Sequence, n_tokens: int) -> float:
        """Take the share of replica i through forward and backward; return its part of the loss."""
        objective, total = self.objectives[i], 0.0
        for parameter in self.parameters[i]:
            parameter.clear()
        with np.errstate(all="ignore"):  # in each thread; the Trainer looks at loss and gradient
            for batch in share:
                total += objective.forward(batch, n_tokens)
                objective.backward()
        for parameter in self.parameters[i]:
            parameter.settle()
        return total

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all replicas: dropout's whole state."""
        return [rng for objective in self.objectives for rng in objective.generators()]


def started_threads(n: int) -> ThreadPoolExecutor:
    """Return n threads. Raises `InputError` where there can be none, as in a browser."""
    threads = ThreadPoolExecutor(n, "npformer-worker")
    try:
        for _ in range(n):
            threads.submit(int)
    except RuntimeError as error:
        raise InputError(f"no {n} more threads can be had here ({error}): train with workers = 1") from None
    return threads


def replica(objective: Module, flat: FlatParameters, gradient, streams: dict) -> Module:
    """Copy layers, but not their weights: these are shared, and their gradients go into `gradient` (n,).

    `streams` has the copies of the random generators, by the original's id.
    """
    instead = dict(streams)
    stretches = dict(zip(map(id, flat.parameters), flat.stretches, strict=True))
    for p in objective.parameters():
        stretch = stretches.get(id(p))
        instead[id(p)] = Parameter(p.data, None if stretch is None else gradient[stretch].reshape(p.data.shape))
    return copy.deepcopy(objective, instead)


def settings_of(layer: Module) -> list:
    """Return all that a layer's attributes hold, and what is in lists, tuples, dicts and sets there, however deep."""
    own = (value for name, value in vars(layer).items() if name not in OWN)
    return held([value for value in own if not isinstance(value, MethodType)])  # methods are a trace's
