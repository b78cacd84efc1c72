"""The training loop: paper section 5."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..base import Alone, InputError
from ..layers.checks import check_sizes
from ..module import Module
from .adam import Adam
from .replicas import Replicas


@dataclass(frozen=True)
class StepRecord:
    """What one update did: its number, epoch, loss, learning rate, real target tokens, and whether its epoch ended."""

    step: int
    epoch: int
    loss: float
    learning_rate: float
    tokens: int
    ends_epoch: bool


class Trainer:
    """Run updates over epochs of batches; between two updates it can be saved and taken up again.

    `objective` has forward(batch, n_tokens) -> loss and backward(); `batches.epoch(n)` has a length and
    batches(start), each with n_tokens and shares(n). An update adds up the gradients of `accumulate` batches, over
    `workers` of each of the `ranks`, clips the length of the sum to `clip_norm`, and takes one step of Adam.

    Several workers are processes forked from this one, where that can be, and otherwise threads; `processes` asks for
    one or the other. What they compute is the same, bit for bit; but processes know functions and classes as these were
    when a loop over `updates` began. See `npformer.workers`.

    Raises `InputError` when a setting is out of range, or the optimiser has parameters that the objective lacks.

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
        processes: bool | None = None,
        ranks: Alone | None = None,
    ):
        check_sizes(accumulate=accumulate)
        if clip_norm is not None and not clip_norm > 0:
            raise InputError(f"clip_norm = {clip_norm}: expected a number above 0")
        self.objective = objective
        self.optimizer = optimizer
        self.batches = batches
        self.accumulate = accumulate
        self.clip_norm = clip_norm
        self.check_parameters()
        self.replicas = Replicas(objective, optimizer.flat, n=workers, processes=processes, ranks=ranks)
        if getattr(optimizer.update, "__func__", None) is Adam.update:  # another may read what a worker is not told
            self.replicas.team.join(optimizer.update)
        self.ranks = self.replicas.ranks
        self.epoch = 1
        self.batch = 0  # how many batches of this epoch are done

    def check_parameters(self) -> None:
        """Raise `InputError` when the optimiser has a parameter that the objective has not, or has no more."""
        if not {*map(id, self.optimizer.flat.parameters)} <= {*map(id, self.objective.parameters())}:
            raise InputError("the optimiser has other parameters than the model: make it, and the Trainer, once more")

    def generators(self) -> list[np.random.Generator]:
        """Return the random generators of all that computes in this process: dropout's whole state."""
        return self.replicas.generators()

    def update(self, batches: Sequence) -> float:
        """Take the batches of one update through forward, loss, backward and Adam; return the loss.

        Raises `InputError`, and leaves the weights, when loss or gradient is not finite.
        """
        flat = self.optimizer.flat
        with np.errstate(all="ignore"):  # what is no number is told of below
            loss = self.replicas.gradient(batches)
            norm = self.ranks.from_first(flat.gradient_norm())  # other machines may differ in its last bit
            if self.clip_norm is not None:
                flat.clip_gradient(self.clip_norm, norm)
        if not math.isfinite(loss) or not math.isfinite(norm):
            step = self.optimizer.steps + 1
            gradient = f"the gradient of update {step} has length {norm}"
            what = gradient if math.isfinite(loss) else f"the loss of update {step} is {loss}"
            rate = f"{self.optimizer.learning_rate_at(step):.1e}"
            mend = f"Lower the learning rate, which is {rate}, or lengthen the warm-up; this update was not made"
            raise InputError(f"{what}: training has diverged. {mend}")
        self.optimizer.step(self.replicas.team.each)
        return loss

    def updates(self, epochs: int) -> Iterator[StepRecord]:
        """Yield a record after each update until `epochs` epochs are done, counted from the very start.

        Nothing happens until the records are asked for: workers then learn of what was defined anew since, as in a
        notebook. Raises `InputError` when `batch` is no place in the epoch.
        """
        self.check_parameters()
        self.replicas.team.renew()
        while self.epoch <= epochs:
            cut = self.batches.epoch(self.epoch)
            if not 0 <= self.batch < len(cut):
                came = f"epoch {self.epoch} has {len(cut)} batches, and {self.batch} are said to be done"
                raise InputError(f"{came}: go on with the data and the batch_tokens that training was begun with")
            epoch, batches = self.epoch, cut.batches(self.batch)
            while group := list(islice(batches, self.accumulate)):
                loss = self.update(group)
                self.batch += len(group)
                ends_epoch = self.batch == len(cut)
                if ends_epoch:
                    self.epoch, self.batch = self.epoch + 1, 0
                step, tokens = self.optimizer.steps, sum(batch.n_tokens for batch in group)
                yield StepRecord(step, epoch, loss, self.optimizer.learning_rate_at(step), tokens, ends_epoch)
