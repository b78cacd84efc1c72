"""Data parallelism: threads that share the weights and the sentences of an update."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np

from ..base.backend import check_workers, xp
from ..base.errors import require
from ..models import Transformer
from ..module import Parameter
from ..tasks.batches import Batch
from ..tasks.loss import LabelSmoothingLoss
from .flat import FlatParameters


class Workers:
    """Work out the gradient of an update with n threads, each on a share of the sentences.

    NumPy runs a matrix product on all cores, but everything between two products on one. Here each worker runs on one
    core from the first layer to the last: it has a replica of the model, which reads the same weights and adds up
    gradients of its own; at the end the gradients are summed. With one worker it is the model itself at work.

    Each replica drops out by a random generator of its own, so the number of workers belongs to the settings that a
    run can be repeated with.

    Raises `InputError` when n is below 1, or above 1 on a GPU.
    """

    def __init__(self, model: Transformer, flat: FlatParameters, loss: LabelSmoothingLoss, *, n: int = 1):
        check_workers(n)
        self.gradients = [flat.grad, *(xp.zeros_like(flat.grad) for _ in range(n - 1))]  # n times (parameters,)
        self.replicas = [model, *(replica(model, flat, gradient) for gradient in self.gradients[1:])]
        self.losses = [loss, *(copy.copy(loss) for _ in range(n - 1))]
        self.threads = ThreadPoolExecutor(n, "npformer-worker") if n > 1 else None
        self.blas = require("threadpoolctl", "npformer").ThreadpoolController() if n > 1 else None

    def gradient(self, batches: Sequence[Batch]) -> float:
        """Leave the gradient of the mean loss per target token in the model's parameters; return that loss."""
        n_tokens = sum(int((batch.tgt_out != self.losses[0].pad_id).sum()) for batch in batches)
        n_workers = len(self.replicas)
        shares = [[] for _ in range(n_workers)]
        for batch in batches:
            for share, part in zip(shares, batch.shares(n_workers), strict=False):
                share.append(part)
        with self.blas.limit(limits=1, user_api="blas") if self.blas else nullcontext():
            run = self.threads.map if self.threads else map
            loss = sum(run(self.work, range(n_workers), shares, [n_tokens] * n_workers))
        for gradient in self.gradients[1:]:
            self.gradients[0] += gradient
        return loss

    def work(self, worker: int, share: Sequence[Batch], n_tokens: int) -> float:
        """Take a worker's share through forward, loss and backward; return its part of the loss."""
        model, loss, total = self.replicas[worker], self.losses[worker], 0.0
        if model.training != self.replicas[0].training:
            model.train(self.replicas[0].training)
        self.gradients[worker].fill(0)
        for batch in share:
            total += loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out, n_tokens)
            dlogits, _ = loss.backward()  # (B, T, V)
            model.backward(dlogits)
        return total

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all replicas: dropout's whole state."""
        return [rng for model in self.replicas for rng in model.generators()]


def replica(model: Transformer, flat: FlatParameters, gradient) -> Transformer:
    """Copy a model's layers, but not its weights: they are shared, and their gradients go into `gradient` (n,)."""
    instead = {id(rng): rng.spawn(1)[0] for rng in model.generators()}
    for parameter, stretch in zip(flat.parameters, flat.stretches, strict=True):
        twin = Parameter(parameter.data)
        twin.grad = gradient[stretch].reshape(parameter.data.shape)
        instead[id(parameter)] = twin
    return copy.deepcopy(model, instead)
