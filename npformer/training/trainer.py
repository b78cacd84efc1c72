"""The training loop: paper section 5."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..module import Module
from ..utils import InputError
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

    An update adds up the gradients of `accumulate` batches, clips their norm to `clip_norm`, and takes one Adam step.
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
        self.communicator = communicator or Communicator()
        self.objective, self.optimizer, self.batches = objective, optimizer, batches
        self.accumulate, self.clip_norm = accumulate, clip_norm
        self.parallel = DataParallel(objective, optimizer.flat, n=workers)
        self.epoch, self.batch = 1, 0  # the epoch, and how many of its batches are done

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all workers' dropout."""
        return [rng for objective in self.parallel.objectives for rng in objective.generators()]

    def close(self) -> None:
        """End the workers."""

    def update(self, batches: Sequence) -> float:
        """Forward, loss, backward and Adam for the batches of one update; return the loss."""
        flat = self.optimizer.flat
        with np.errstate(all="ignore"):  # NaN is reported below
            loss = self.parallel.gradient(batches)
            norm = flat.clip_gradient(self.clip_norm or math.inf)
        if not math.isfinite(loss + norm):
            raise InputError(
                f"update {self.optimizer.steps + 1}: loss {loss}, gradient norm {norm}. Training has diverged: "
                "lower the learning rate or lengthen the warm-up. The weights were left unchanged"
            )
        self.optimizer.step()
        return loss

    def updates(self, epochs: int) -> Iterator[StepRecord]:
        """Yield a record after each update until `epochs` epochs are done."""
        while self.epoch <= epochs:
            cut, epoch = self.batches.epoch(self.epoch), self.epoch
            batches = cut.batches(self.batch)
            while group := list(islice(batches, self.accumulate)):
                loss = self.update(group)
                self.batch += len(group)
                ends_epoch = self.batch == len(cut)
                if ends_epoch:
                    self.epoch, self.batch = self.epoch + 1, 0
                step, tokens = self.optimizer.steps, sum(batch.n_tokens for batch in group)
                yield StepRecord(step, epoch, loss, self.optimizer.learning_rate_at(step), tokens, ends_epoch)
