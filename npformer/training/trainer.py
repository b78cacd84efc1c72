"""The training loop: paper section 5. The gradient of an update is computed in gradient.py.

Next: decoding/greedy.py
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ..layers.hyperparameter_checks import check_sizes
from ..utils import InputError
from ..utils.threads_and_memory import blas_threads, model_width, threads_for
from .adam import Adam
from .data_parallel import DataParallel
from .distributed import Communicator
from .gradient import forward_backward


@dataclass(frozen=True)
class StepRecord:
    """One update.

    step: its number, counted from 1. epoch: the one it belongs to, counted from 1.
    loss: the mean per target token, before the update. tokens: their number.
    learning_rate: the rate that Adam used.
    ends_epoch: whether it was the last of its epoch.

    A `runs.Run` adds:

    seconds: the time since the run began, over several sittings.
    tokens_per_second: the speed of this sitting.
    held_out_loss, held_out_accuracy: measured at the end of an epoch; the accuracy, from 0 to 1,
        only of a classifier.
    """

    step: int
    epoch: int
    loss: float
    learning_rate: float
    tokens: int
    ends_epoch: bool
    seconds: float = 0.0
    tokens_per_second: float = 0.0
    held_out_loss: float | None = None
    held_out_accuracy: float | None = None


class Trainer:
    """Run updates over epochs of batches; between two updates it can be saved and resumed.

    An update is one step of the optimizer, `update` line by line. Several `workers`, and the ranks
    of a `communicator`, share the sentences of each batch (training/data_parallel.py).

    Arguments:
        objective: a model with its loss, such as `Objective(model)`. It has `parameters()`;
            `forward(batch, n_tokens)`, which returns the sum of the batch's losses divided by
            n_tokens, a float; and `backward()`. Workers and checkpoints need a Module.
        optimizer: an Adam of the objective's parameters, or of some of them.
        batches: has `epoch(n)`, which has a length and `batches(start)`, an iterator that begins
            with batch number `start`, and `checksum`, which differs for other data. A batch has
            `n_tokens` and `split(n)`, a list of at most n batches that share its sentences.
        accumulate: how many batches make an update.
        clip_norm: the gradient is scaled down to this norm, as in `Adam.clip_gradient`.
        workers: how many processes share an update (threads, where Linux's fork is missing). They
            start at the first update. Of later changes only those of the weights and of the
            learning rate reach them; others do after `close`.
        communicator: the ranks of MPI that share an update, as from `get_communicator()`.

    Raises `InputError` when a setting is out of range, or the optimizer has parameters that the
    objective lacks.

    >>> import npformer as npf
    >>> from npformer.tasks import Batches, Objective
    >>> config = npf.TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> model = npf.Transformer(config, rng=0)
    >>> adam = Adam(model.parameters(), npf.training.WarmupSchedule(64, 20))
    >>> batches = Batches([([4, 5, 6], [6, 5, 4]), ([7, 8], [8, 7])], batch_tokens=64)
    >>> losses = [record.loss for record in Trainer(Objective(model), adam, batches).updates(30)]
    >>> losses[-1] < losses[0] / 2
    True
    """

    def __init__(
        self,
        objective: Any,
        optimizer: Adam,
        batches: Any,
        *,
        accumulate: int = 1,
        clip_norm: float | None = None,
        workers: int = 1,
        communicator: Communicator | None = None,
    ):
        check_sizes(accumulate=accumulate, workers=workers)
        if clip_norm is not None and not clip_norm > 0:
            raise InputError(f"clip_norm = {clip_norm}: expected a number above 0")
        owned = {id(p) for p in objective.parameters()}
        if any(id(p) not in owned for p in optimizer.parameters):
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
                objective,
                optimizer,
                n_workers=workers,
                communicator=self.communicator,
            )
        self.epoch = 1
        self.batches_done = 0  # of this epoch
        self._width = model_width(optimizer.parameters)

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all workers: the whole state of dropout."""
        return (self.parallel or self.objective).generators()

    @np.errstate(all="ignore")  # a loss or gradient that is not finite is reported below
    def update(self, batches: Sequence) -> float:
        """Move the weights by the gradient of some batches; return the loss.

        Raises `InputError`, and leaves the weights, when loss or gradient is not finite.
        """
        # the mean is over the tokens of all batches, so that each token counts the same
        n_tokens = sum(batch.n_tokens for batch in batches)
        with self._blas_threads():
            if self.parallel:
                loss = self.parallel.compute_gradient(batches, n_tokens)
            else:
                loss = forward_backward(self.objective, self.optimizer.grad, batches, n_tokens)

            # without clip_norm the norm is only measured
            norm = self.optimizer.clip_gradient(self.clip_norm or math.inf)
            if not math.isfinite(loss + norm):
                raise InputError(
                    f"update {self.optimizer.steps + 1}: loss {loss}, gradient norm {norm}. "
                    "Training has diverged: lower the learning rate or lengthen the warm-up. "
                    "No weight was changed"
                )

            if self.parallel:
                self.parallel.step()
            else:
                self.optimizer.step()
        return loss

    def updates(self, epochs: int) -> Iterator[StepRecord]:
        """Yield a record after each update until `epochs` epochs are done, counted from the first.

        A loop that was left can be entered again; it continues with the next batch.

        Raises `InputError` when the ranks have different data, when an epoch has fewer batches
        than were done, or when another optimizer has taken the parameters over.
        """
        self.optimizer.check_owns_parameters()
        self._check_that_ranks_have_the_same_data()
        # also when the loop is left early: idle workers would keep their memory
        with closing(self):
            while self.epoch <= epochs:
                yield from self._updates_of_epoch(self.epoch)

    def _updates_of_epoch(self, epoch: int) -> Iterator[StepRecord]:
        epoch_batches = self.batches.epoch(epoch)
        n_batches = len(epoch_batches)
        if not 0 <= self.batches_done < n_batches:
            raise InputError(
                f"epoch {epoch} has {n_batches} batches, but {self.batches_done} are done: "
                "continue with the data and batch_tokens that it began with"
            )

        while self.epoch == epoch:
            # from this place on, because another loop may have gone on since the last update
            remaining = epoch_batches.batches(self.batches_done)
            batches = list(islice(remaining, self.accumulate))
            loss = self.update(batches)

            # before the record is yielded, so that a checkpoint of this moment continues after it
            self.batches_done += len(batches)
            ends_epoch = self.batches_done == n_batches
            if ends_epoch:
                self.epoch += 1
                self.batches_done = 0

            step = self.optimizer.steps
            yield StepRecord(
                step=step,
                epoch=epoch,
                loss=loss,
                learning_rate=self.optimizer.learning_rate_at(step),
                tokens=sum(batch.n_tokens for batch in batches),
                ends_epoch=ends_epoch,
            )

    def close(self) -> None:
        """End the other workers; the next update starts them again."""
        if self.parallel:
            self.parallel.stop()

    def _check_that_ranks_have_the_same_data(self) -> None:
        # different gradients would be summed without an error, and the ranks would drift apart
        if self.communicator.size > 1:
            checksums = self.communicator.allgather(self.batches.checksum)
            if len(set(checksums)) > 1:
                raise InputError(
                    "the ranks have different training data: "
                    "give all of them the same files and settings"
                )

    def _blas_threads(self):
        """Limit BLAS to one thread if workers share the cores or the matrices are small."""
        if self.parallel and self.parallel.n_workers > 1:
            return blas_threads(1)
        return threads_for(self._width)
