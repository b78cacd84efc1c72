"""Data parallelism: threads that share the sentences of an update, as the paper's GPUs do (section 5.2)."""

import copy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ..backend import xp
from ..module import Module
from ..utils import blas_threads
from .flat_parameters import FlatParameters


class DataParallel:
    """Compute the gradient of an update with n workers, each on its share of every batch.

    Each worker has a replica of the objective, with the same weights but a gradient and a dropout stream of its own;
    after backward the gradients are added up. The first replica is the objective itself.
    """

    def __init__(self, objective: Module, flat: FlatParameters, *, n: int = 1):
        self.flat = flat
        self.objectives, self.gradients = [objective], [flat.grad]
        for _ in range(n - 1):
            self.add_replica()
        self.pool = ThreadPoolExecutor(n)

    def add_replica(self) -> None:
        """Copy the objective, but share its weights."""
        objective, gradient, replaced, end = self.objectives[0], xp.zeros_like(self.flat.grad), {}, 0
        for p in self.flat.parameters:
            start, end = end, end + p.data.size
            replaced[id(p)] = p.with_grad(gradient[start:end].reshape(p.data.shape))
        for rng in objective.generators():
            replaced[id(rng)] = rng.spawn(1)[0]
        self.objectives.append(copy.deepcopy(objective, replaced))
        self.gradients.append(gradient)

    def gradient(self, batches: Sequence) -> float:
        """Leave the gradient of the mean loss per token in the parameters; return that loss."""
        n, n_tokens = len(self.objectives), sum(batch.n_tokens for batch in batches)
        for gradient in self.gradients:
            gradient.fill(0)

        def work(i: int) -> float:
            loss = 0.0
            for share in (batch.split(n)[i : i + 1] for batch in batches):
                for part in share:  # none where the batch has fewer sentences than there are workers
                    loss += self.objectives[i].forward(part, n_tokens)
                    self.objectives[i].backward()
            return loss

        with blas_threads(1 if n > 1 else None):
            losses = list(self.pool.map(work, range(n)))
        for gradient in self.gradients[1:]:
            self.flat.grad += gradient
        return sum(losses)
