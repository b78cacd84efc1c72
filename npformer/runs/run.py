"""A training with everything that belongs to it: a loop over its updates, which saves what it must on its way."""

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..decoding import LEARNT
from ..decoding.predictor import Predictor
from ..evaluation import HeldOut, held_out_scores
from ..models import StackConfig, undrawn
from ..paper.macs import costs_of
from ..tasks import task_of
from ..training import StepRecord, TrainingLog, save_checkpoint, select_epochs
from ..training.alone import Alone
from ..utils import InputError, threads_for
from .build import make_trainer
from .consistency import all_in_common, weights_in_common
from .epoch_weights import KeptEpochs
from .folder import RunFolder
from .jobs import JOBS
from .progress import Update
from .settings import TrainingSettings


class Run:
    """A training: its folder, settings, vocabularies, held-out examples, trainer and log; see `runs.begin`.

    `vocabularies` are by the names of the task's sides, such as "source". `left_out` counts the training examples that
    cannot be trained on; `warnings` says in lines which settings are odd. Where the number of workers was left open,
    `tried` says which were tried, and `settings` has the best.

    Where several `ranks` train together, each has a Run, and all call the same methods in the same order; the first
    one alone writes files.
    """

    def __init__(
        self,
        folder: RunFolder,
        settings: TrainingSettings,
        config: StackConfig,
        vocabularies: tuple,
        parts: list[list],
        *,
        ranks: Alone | None = None,
    ):
        self.ranks = ranks or Alone()
        train, self.held_out = parts
        self.folder, self.config = folder, config
        self.task = task_of(config)
        self.job = JOBS[self.task.name](settings)
        self.vocabularies = dict(zip(self.task.sides, vocabularies, strict=True))
        self.log = TrainingLog()
        batches, self.left_out = self.job.batches(train, vocabularies, config)
        self.validation, _ = self.job.batches(self.held_out, vocabularies, config, held_out=True)
        self.settings, self.tried = settings, None
        self.kept = KeptEpochs(folder, self.settings)
        self.trainer = make_trainer(self.settings, config, batches, ranks=self.ranks)
        self.model = self.trainer.objective.model
        place = {"cores": self.ranks.n_cores(), "n_ranks": self.ranks.n}
        self.warnings = list(self.job.odd_settings(vocabularies, batches, **place))
        self.cost_of_epochs = 0

    def updates(self) -> Iterator[Update]:
        """Train to the last epoch, or until patience ends; yield after each update.

        All that belongs on the disk is there before an update is yielded: at the end of each epoch its weights, and
        there and every `save_every` updates a checkpoint. A loop that is left can be entered again.

        Raises `InputError` when the loss or the held-out loss is not finite; what was saved before stays.
        """
        if self.done:
            self.save_weights()
            return
        earlier, start, tokens = self.log.rows[-1]["seconds"] if self.log.rows else 0.0, time.perf_counter(), 0
        steps = self.trainer.updates(self.settings.epochs)
        while step := self.next_step(steps):
            spent = time.perf_counter() - start
            tokens += step.tokens
            self.log.add(step, seconds=earlier + spent)
            held_out = self.end_epoch(step.epoch) if step.ends_epoch else HeldOut(None, None)
            if step.ends_epoch or step.step % self.settings.save_every == 0:
                self.save()
            times = {"seconds": earlier + spent, "tokens_per_second": tokens / spent}
            yield Update(**vars(step), **times, held_out_loss=held_out.loss, held_out_accuracy=held_out.accuracy)
            if step.ends_epoch and self.done:
                return

    def next_step(self, steps: Iterator[StepRecord]) -> StepRecord | None:
        """Take one update, on as many threads as the model's width is worth; None when there is none left."""
        with threads_for(self.config.d_model):
            return next(steps, None)

    def epochs(self) -> Iterator[Update]:
        """Train as `updates` does; yield at the end of each epoch alone."""
        for update in self.updates():
            if update.ends_epoch:
                tokens = sum(row["tokens"] for row in self.log.rows if row["epoch"] == update.epoch)
                yield replace(update, loss=self.log.training_loss(update.epoch), tokens=tokens)

    def end_epoch(self, epoch: int) -> HeldOut:
        """Measure the held-out loss, log it, and keep the epoch's weights."""
        measured = held_out_scores(self.model, self.validation, ranks=self.ranks)
        loss = measured.loss
        if not math.isfinite(loss):
            instead = "Train anew with a lower learning rate, a longer warm-up or a clip_norm"
            raise InputError(f"the held-out loss after epoch {epoch} is {loss}: training has diverged. {instead}")
        self.log.rows[-1]["validation_loss"] = loss
        self.cost_of_epochs += sum(costs_of(self.config, self.trainer.batches.epoch(epoch)))
        if self.ranks.first:
            self.folder.save_epoch(epoch, self.model.state_dict())
        return measured

    @property
    def last_epoch(self) -> int:
        """The epoch that training ends with, if no held-out loss will be lower than those that there are."""
        losses, patience = self.log.held_out_losses(), self.settings.patience
        best = sum(select_epochs(losses, 1, "best")) or 1
        return min(self.settings.epochs, best + patience) if patience else self.settings.epochs

    @property
    def done(self) -> bool:
        """Whether all epochs are done, or patience has ended."""
        out_of_patience = self.settings.patience > 0 and len(self.log.held_out_losses()) >= self.last_epoch
        return self.trainer.epoch > self.settings.epochs or out_of_patience

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights for use: the present ones, or when all is done the average of the epochs."""
        weights = self.model.state_dict()
        if self.done:
            averaged = self.kept.averaged(self.log.held_out_losses()) if self.ranks.first else weights
            weights = {name: averaged[name] for name in weights}
            for array in weights.values():
                self.ranks.fill(array)
        return weights

    def save_weights(self) -> None:
        """Write the weights for use."""
        weights = self.weights()
        if self.ranks.first:
            self.folder.save_weights(weights)

    def save(self) -> None:
        """Write log, checkpoint and weights, each whole or not at all, and only then delete epochs not wanted any more.

        In this order a kill between any two leaves a run to go on with: the log may run ahead of the checkpoint, and no
        checkpoint on the disk wants an epoch that is gone.

        Raises `InputError` when the last epoch has no finite held-out loss, or the ranks' weights differ.
        """
        losses, trainer = self.log.held_out_losses(), self.trainer
        if len(losses) < trainer.epoch - 1:
            raise InputError(f"{self.folder.path} is not saved, for training has diverged: the last checkpoint stays")
        self.ranks.check_alike(lambda: weights_in_common(trainer))
        progress = {"log": self.log.checksum(), "cost_of_epochs": self.cost_of_epochs}
        if self.ranks.first:
            self.log.save(self.folder.log_path)
            progress["identity"] = self.folder.identity()
        save_checkpoint(self.folder.checkpoint_path, trainer, progress)
        self.save_weights()
        if self.ranks.first:
            self.kept.tidy(losses)

    def check_ranks(self) -> None:
        """Raise `InputError` when the ranks have other settings, data or weights, or are at other updates."""
        self.ranks.check_alike(lambda: all_in_common(self.settings, self.config, self.trainer, self.validation))

    def cost(self) -> int:
        """Return how many multiply-adds all updates so far took, those of earlier sittings too; see `models.cost`."""
        trainer = self.trainer
        begun = costs_of(self.config, trainer.batches.epoch(trainer.epoch), trainer.batch) if trainer.batch else []
        return self.cost_of_epochs + sum(begun)

    def learnt(self) -> Predictor:
        """Return a Translator, a TextClassifier or a TextGenerator, as the task is, with a copy of the weights for use."""
        model = undrawn(self.task.model, self.config)
        model.load_state_dict(self.weights())
        return LEARNT[self.task.name](model.eval(), *self.vocabularies.values())

    def evaluate(self, **how):
        """Score what was learnt on the held-out examples, by what `evaluation` has for the task, with its arguments."""
        return self.job.evaluate(self.learnt(), self.held_out, ranks=self.ranks, **how)

    def example(self) -> str:
        """Return a held-out text to try with what was learnt."""
        return self.job.example(tuple(self.vocabularies.values()), self.held_out, self.config)

    def draw(self) -> None:
        """Draw the loss over time, and what the task has to show, into the folder."""
        learnt = self.learnt()
        if self.ranks.first:
            from .figures import draw_curves

            draw_curves(self.log, self.folder.curve_path, per=self.task.counted)
            self.job.draw(learnt, self.held_out, self.folder)
