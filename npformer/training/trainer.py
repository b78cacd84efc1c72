"""The training loop: paper section 5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ..base.errors import InputError
from ..base.memory import keep_freed_memory
from ..models import Transformer
from ..tasks.batches import Batch, Batches
from ..tasks.loss import LabelSmoothingLoss
from .adam import Adam
from .replicas import Workers


class StepRecord(NamedTuple):
    """What one update did: its number, epoch, loss, learning rate, real target tokens, and whether its epoch ended."""

    step: int
    epoch: int
    loss: float
    learning_rate: float
    tokens: int
    ends_epoch: bool


class Trainer:
    """Run updates over epochs of batches; between two updates it can be saved and taken up again.

    >>> import numpy as np
    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.training import Adam, Trainer, WarmupSchedule
    >>> from npformer.tasks import Batches, LabelSmoothingLoss
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> adam = Adam(model.parameters(), learning_rate=WarmupSchedule(64, 20))
    >>> batches = Batches([([4, 5, 6], [6, 5, 4]), ([7, 8], [8, 7])], batch_tokens=64)
    >>> losses = [record.loss for record in Trainer(model, adam, batches).run(30)]
    >>> losses[-1] < losses[0] / 2
    True
    """

    def __init__(
        self,
        model: Transformer,
        optimizer: Adam,
        batches: Batches,
        *,
        loss: LabelSmoothingLoss | None = None,
        accumulate: int = 1,
        clip_norm: float | None = None,
        workers: int = 1,
    ):
        for name, value in (("accumulate", accumulate), ("clip_norm", clip_norm)):
            if value is not None and value <= 0:
                raise InputError(f"{name} = {value}: expected a number above 0")
        keep_freed_memory()
        self.model = model
        self.optimizer = optimizer
        self.batches = batches
        self.accumulate = accumulate
        self.clip_norm = clip_norm
        loss = loss or LabelSmoothingLoss(pad_id=model.config.pad_id)
        self.workers = Workers(model, optimizer.flat, loss, n=workers)
        self.epoch = 1
        self.batch = 0  # how many batches of this epoch are done

    def update(self, batches: Sequence[Batch]) -> float:
        """Take the batches of one update through forward, loss, backward and Adam; return the loss."""
        loss = self.workers.gradient(batches)
        if self.clip_norm is not None:
            self.optimizer.flat.clip_gradient(self.clip_norm)
        self.optimizer.step()
        return loss

    def run(self, epochs: int) -> Iterator[StepRecord]:
        """Train until `epochs` epochs are done, counted from the very start; yield a record after each update.

        Raises `InputError` when `batch` is no place in the epoch.
        """
        while self.epoch <= epochs:
            n_batches = len(self.batches.plan(self.epoch))
            if not 0 <= self.batch < n_batches:
                raise InputError(
                    f"epoch {self.epoch} has {n_batches} batches, and {self.batch} are said to be done: "
                    "go on with the data and the batch_tokens that training was begun with"
                )
            epoch, batches = self.epoch, self.batches.epoch(self.epoch, start=self.batch)
            while group := list(islice(batches, self.accumulate)):
                loss = self.update(group)
                self.batch += len(group)
                ends_epoch = self.batch == n_batches
                if ends_epoch:
                    self.epoch, self.batch = self.epoch + 1, 0
                step = self.optimizer.steps
                tokens = sum(int((batch.tgt_out != self.batches.pad_id).sum()) for batch in group)
                yield StepRecord(step, epoch, loss, self.optimizer.learning_rate_at(step), tokens, ends_epoch)
