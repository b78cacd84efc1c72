"""The training loop: paper section 5.

Next: decoding/greedy.py
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..backend import xp
from ..layers.hyperparameter_checks import check_sizes
from ..module import Module
from ..utils import InputError
from ..utils.threads_and_memory import blas_threads, threads_for
from .adam import Adam
from .data_parallel import DataParallel
from .distributed import Communicator


@dataclass(frozen=True)
class StepRecord:
    """One update: its number, epoch, loss, learning rate, target tokens, and whether its epoch ended with it."""

    step: int
    epoch: int
    loss: float
    learning_rate: float
    tokens: int
    ends_epoch: bool


class Trainer:
    """Run updates over epochs of batches; between two updates it can be saved and resumed.

    An update is one step of the optimizer: it computes the gradient of `accumulate` batches, clips its norm to
    `clip_norm`, and moves the weights. `objective` has forward(batch, n_tokens) -> loss and backward();
    `batches.epoch(n)` has a length and batches(start), each with n_tokens and split(n). `update` is an update line by
    line. Several `workers`, and the ranks of a `communicator`, share the sentences of each batch (data_parallel.py).

    Raises `InputError` when a setting is out of range, or the optimizer has parameters that the objective lacks.

    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.tasks import Batches, Objective
    >>> from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> model = Transformer(config, rng=0)
    >>> adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule(64, 20))
    >>> batches = Batches([([4, 5, 6], [6, 5, 4]), ([7, 8], [8, 7])], batch_tokens=64)
    >>> losses = [record.loss for record in Trainer(Objective(model), adam, batches).updates(30)]
    >>> losses[-1] < losses[0] / 2
    True
    """

    def __init__(
        self,
        objective: Module,
        optimizer: Adam,
        batches,
        *,
        accumulate: int = 1,
        clip_norm: float | None = None,
        workers: int = 1,
        communicator: Communicator | None = None,
    ):
        check_sizes(accumulate=accumulate, workers=workers)
        if clip_norm is not None and not clip_norm > 0:
            raise InputError(f"clip_norm = {clip_norm}: expected a number above 0")
        if not {*map(id, optimizer.flat.parameters)} <= {*map(id, objective.parameters())}:
            raise InputError(
                "the optimizer has other parameters than the model: make it from model.parameters()"
            )
        self.objective = objective
        self.optimizer = optimizer
        self.batches = batches
        self.accumulate = accumulate
        self.clip_norm = clip_norm
        self.communicator = communicator or Communicator()
        self.parallel = None  # what computes an update with several workers or ranks
        if workers > 1 or self.communicator.size > 1:
            self.parallel = DataParallel(
                objective, optimizer, n=workers, communicator=self.communicator
            )
        self.epoch = 1
        self.batches_done = 0  # of this epoch

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all workers: the whole state of dropout."""
        return (self.parallel or self.objective).generators()

    @np.errstate(all="ignore")  # a loss or gradient that is not finite is reported below
    def update(self, batches: Sequence) -> float:
        """Move the weights by the gradient of some batches; return the loss.

        Raises `InputError`, and leaves the weights, when loss or gradient is not finite.
        """
        with self._blas_threads():
            if self.parallel:
                loss = self.parallel.forward_backward(batches)
            else:
                loss = self.forward_backward(batches)
            norm = self.optimizer.flat.clip_gradient(self.clip_norm or math.inf)
            if not math.isfinite(loss + norm):
                problem = f"update {self.optimizer.steps + 1}: loss {loss}, gradient norm {norm}. Training has diverged"
                raise InputError(
                    f"{problem}: lower the learning rate or lengthen the warm-up. No weight was changed"
                )
            if self.parallel:
                self.parallel.step()
            else:
                self.optimizer.step()
        return loss

    def forward_backward(self, batches: Sequence) -> float:
        """Leave the gradient of the mean loss per token in the parameters; return that loss."""
        self.objective.zero_grad()
        n_tokens = sum(batch.n_tokens for batch in batches)
        loss = 0.0
        for batch in batches:
            loss += self.objective.forward(batch, n_tokens)  # its part of the mean over n_tokens
            self.objective.backward()
        return loss

    def updates(self, epochs: int) -> Iterator[StepRecord]:
        """Yield a record after each update until `epochs` epochs are done, counted from the very first.

        Raises `InputError` when the ranks have different data, or an epoch has fewer batches than were done.
        """
        flat, communicator = self.optimizer.flat, self.communicator
        if not xp.may_share_memory(flat.data, flat.parameters[-1].data):
            raise InputError(
                "the model's parameters moved into another optimizer: make a new Trainer with that one"
            )
        if communicator.size > 1 and len(set(communicator.allgather(self.batches.checksum))) > 1:
            raise InputError(
                "the ranks have different training data: give all of them the same files and settings"
            )
        with closing(self):
            while self.epoch <= epochs:
                epoch, epoch_batches = self.epoch, self.batches.epoch(self.epoch)
                if not 0 <= self.batches_done < len(epoch_batches):
                    problem = f"epoch {epoch} has {len(epoch_batches)} batches, but {self.batches_done} are done"
                    raise InputError(
                        f"{problem}: continue with the data and batch_tokens that it began with"
                    )
                remaining = epoch_batches.batches(self.batches_done)
                while batches := list(islice(remaining, self.accumulate)):
                    loss = self.update(batches)
                    self.batches_done += len(batches)
                    ends_epoch = self.batches_done == len(epoch_batches)
                    if ends_epoch:
                        self.epoch += 1
                        self.batches_done = 0
                    step, tokens = self.optimizer.steps, sum(batch.n_tokens for batch in batches)
                    yield StepRecord(
                        step, epoch, loss, self.optimizer.learning_rate_at(step), tokens, ends_epoch
                    )

    def close(self) -> None:
        """End the other workers; the next update starts them again."""
        if self.parallel:
            self.parallel.stop()

    def _blas_threads(self):
        """Limit BLAS to one thread where workers share the cores, or the model is too narrow to gain from several."""
        if self.parallel and self.parallel.n > 1:
            return blas_threads(1)
        return threads_for(self.objective.model.config.d_model)
