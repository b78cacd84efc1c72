"""Data parallelism: workers that share the weights and the sentences of an update, on this machine and on others."""

from collections.abc import Callable, Sequence

import numpy as np

from ..base import Alone, InputError, Switches, blas_threads, check_workers, stretches, xp
from ..module import Module
from ..workers import team
from .flat import FlatParameters
from .twins import alike, replica, settings_of, states_of


class Replicas:
    """Work out the gradient of an update with n workers, each on a share of every batch.

    NumPy runs a matrix product on all cores, but everything between two products on one. Here each worker runs on one
    core from the first layer to the last: it has a replica of the objective, which reads the same weights and adds up
    gradients of its own; at the end the gradients are summed. The first replica is the objective itself, at work in the
    calling thread; the others are at work in threads or processes beside it, as `processes` says (see `workers.team`).

    Where several processes of MPI, the `ranks`, train together, each has n threads, and what these summed is summed
    over the ranks. The replicas are counted through, n of rank 0, then n of rank 1: two ranks do what two workers of
    one do.

    Each replica drops out by a random generator of its own, so n belongs to the settings that a run can be repeated
    with. Whatever is set in the objective's layers later (a dropout's rate, eval mode) holds in all replicas: they are
    copied anew then, and processes forked anew, which a layer that counts its calls in a number of its own would ask
    for in every update. Let it count in an array: what changes inside one is not noticed. Those here know all that a
    worker in another process is told: random states are told both ways, with each share. A parameter that is not in
    `flat` is left without a gradient.

    Raises `InputError` when n is below 1, above 1 on a GPU, or more workers than there can be, and when the flat
    gradient has no room for what the ranks sum up with it.
    """

    def __init__(
        self,
        objective: Module,
        flat: FlatParameters,
        *,
        n: int = 1,
        processes: bool | None = None,
        ranks: Alone | None = None,
    ):
        check_workers(n)
        self.ranks = ranks or Alone()
        if len(flat.grad_and_room) - len(flat.grad) != self.ranks.room:
            raise InputError(f"{self.ranks.n} ranks: expected FlatParameters(parameters, room={self.ranks.room})")
        self.n_everywhere = self.ranks.n * n
        self.here = slice(self.ranks.rank * n, self.ranks.rank * n + n)  # which replicas of all are in this process
        self.flat = flat
        self.team = team(n, processes=processes, n_ranks=self.ranks.n)
        self.objectives = [objective]
        self.team.join(self.work, self.add_gradients)
        further = (self.team.visible(xp.zeros_like(flat.grad)) for _ in range(n - 1))
        self.gradients = [flat.grad, *further]  # n times (parameters,)
        self.streams = [{} for _ in range(n)]  # of each replica: its generators by the id of the original's
        self.copy_layers()
        self.blas_threads = 1 if n > 1 else None

    def gradient(self, batches: Sequence) -> float:
        """Leave the gradient of the mean loss per token in the objective's parameters; return that loss."""
        n_tokens = sum(batch.n_tokens for batch in batches)
        parts = [batch.shares(self.n_everywhere)[self.here] for batch in batches]  # of a small batch fewer
        n = len(self.objectives)
        shares = [[part[i] for part in parts if i < len(part)] for i in range(n)]
        switches = self.follow()
        states = map(states_of, self.drawn_from)
        told = [(i, share, n_tokens, switches, own) for i, (share, own) in enumerate(zip(shares, states, strict=True))]
        with blas_threads(self.blas_threads):
            losses, states = zip(*self.team.each(self.work, told), strict=True)
        for i in range(1, n):
            self.tell(i, switches, states[i])
        if n > 1:
            self.team.each(self.add_gradients, [(part,) for part in stretches(self.flat.data.size)])
        for parameter in self.untrained:
            parameter.clear()
        loss = sum(losses[1:], start=losses[0])
        n_here = sum(batch.n_tokens for share in shares for batch in share)
        return self.ranks.add_up(self.flat.grad_and_room, loss, n_here, n_tokens)

    def add_gradients(self, part: slice) -> None:
        """Sum a part of the replicas' gradients."""
        for gradient in self.gradients[1:]:
            self.gradients[0][part] += gradient[part]

    def move_to(self, copied: Callable) -> None:
        """Move all parameters to where `copied` copies an array to, those that are not trained too."""
        for p in self.objectives[0].parameters():
            if p.buffer is None:
                p.lie_in(None, copied(p.data), p.grad)
            else:
                p.buffer.move_to(copied)

    def copy_layers(self) -> None:
        """Make the further replicas; a generator that has a copy already keeps it."""
        self.team.renew()
        objective = self.objectives[0]
        self.layers = [layer for _, layer in objective.named_modules()]
        self.seen = [settings_of(layer) for layer in self.layers]
        self.give_streams(objective.generators())
        further = zip(self.gradients[1:], self.streams[1:], strict=True)
        self.objectives[1:] = [replica(objective, self.flat, gradient, streams) for gradient, streams in further]
        trained = {*map(id, self.flat.parameters)}
        self.untrained = [p for p in objective.parameters() if id(p) not in trained]
        self.parameters = [self.flat.parameters, *(other.parameters() for other in self.objectives[1:])]
        for gradient in self.gradients[1:]:
            gradient.fill(0)  # that of a layer taken away, which no replica has any more, stays so
        self.twins = [[twin for _, twin in other.named_modules()] for other in self.objectives]
        self.drawn_from = [other.generators() for other in self.objectives]

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

    def follow(self) -> list[Switches]:
        """Have all replicas compute as the objective now does, whatever was set in its layers, or put there, since.

        Return the switches of all layers.
        """
        if self.n_everywhere > 1 and not alike([settings_of(layer) for layer in self.layers], self.seen):
            self.copy_layers()
        self.gradients[0] = self.flat.unsettled  # which a Trainer that was made later may have moved
        switches = [layer.now for layer in self.layers]
        for i in range(1, len(self.objectives)):
            self.tell(i, switches, states_of(self.drawn_from[i]))
        return switches

    def tell(self, i: int, switches: list[Switches], states: list[dict]) -> None:
        """Have replica i drop out, remember and draw like this; the objective itself does so already."""
        if i > 0:
            for twin, now in zip(self.twins[i], switches, strict=True):
                twin.switches = now
            for rng, state in zip(self.drawn_from[i], states, strict=True):
                rng.bit_generator.state = state

    def work(self, i: int, share: Sequence, n_tokens: int, switches: list[Switches], states: list[dict]) -> tuple:
        """Take the share of replica i through forward and backward; return its part of the loss, and random states.

        It is told what may have changed since a worker in another process was forked.
        """
        self.tell(i, switches, states)
        objective, total = self.objectives[i], 0.0
        for parameter in self.parameters[i]:
            parameter.clear()
        try:
            with np.errstate(all="ignore"):  # in each worker; the Trainer looks at loss and gradient
                for batch in share:
                    total += objective.forward(batch, n_tokens)
                    objective.backward()
        finally:
            for parameter in self.parameters[i]:
                parameter.settle()
        return total, states_of(self.drawn_from[i])

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all replicas: dropout's whole state."""
        return [rng for objective in self.objectives for rng in objective.generators()]
