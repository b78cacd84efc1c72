"""A training with its files: a loop over updates that saves what it must."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..tasks import TASKS, HeldOut, Predictor, held_out_scores
from ..text import Vocabulary
from ..training import (
    Adam,
    CosineSchedule,
    StepRecord,
    Trainer,
    WarmupSchedule,
    average_weights,
    get_communicator,
    save_checkpoint,
    select_epochs,
)
from ..utils import InputError, prefix_errors, write_atomic
from ..visualization import plots
from .folder import RunFolder
from .settings import TrainingSettings
from .training_log import TrainingLog

__all__ = ["Run"]


class Run:
    """A training: its folder, settings, vocabularies, held-out examples, trainer and log.

    `runs.begin` and `runs.resume` return one. `left_out` is the number of training examples that
    cannot be used; `warnings` are lines about settings that are probably a mistake.

    If several ranks train together, each has a Run, and all call the same methods in the same
    order; rank 0 alone writes files.

    Arguments:
        folder: where the files are.
        settings: those of the training.
        config: that of the model.
        vocabularies: one for each side of the task; the attribute has them by the names of the
            sides, such as "source".
        train, held_out: the examples.
    """

    def __init__(
        self,
        folder: RunFolder,
        settings: TrainingSettings,
        config: Any,
        vocabularies: tuple,
        train: Sequence,
        held_out: Sequence,
    ):
        self.folder = folder
        self.settings = settings
        self.config = config
        self.communicator = get_communicator()
        self.task = TASKS[folder.predictor.task]
        self.vocabularies = dict(zip(folder.predictor.sides, vocabularies, strict=True))
        self.held_out = held_out

        batches, self.left_out = self.task.make_batches(train, vocabularies, config, settings)
        with prefix_errors("held-out examples (where they are drawn, another seed draws others)"):
            self.held_out_batches, _ = self.task.make_batches(
                held_out, vocabularies, config, settings, held_out=True
            )
        self.model = folder.predictor.model_class(config, rng=np.random.default_rng(settings.seed))
        self.trainer = self._make_trainer(batches)
        self.log = TrainingLog()
        self.checkpoint_version = folder.checkpoint_version()

        self.warnings: list[str] = []
        n_updates = settings.epochs * math.ceil(len(batches.epoch(1)) / settings.accumulate)
        if 2 * n_updates < settings.warmup_steps:
            self.warnings.append(
                f"the learning rate rises for warmup_steps = {settings.warmup_steps} updates, and "
                f"there are only {n_updates} in all: lower it, or batch_tokens, or train more "
                "epochs"
            )
        if any(isinstance(v, Vocabulary) and v.lone_marks() for v in vocabularies):
            self.warnings.append(
                "the texts have combining marks, which tokenizer = word tears from their letters: "
                "choose bpe or character"
            )

    def __repr__(self):
        n_epochs = len(self.log.held_out_losses())
        return (
            f"Run({self.folder.path}, {self.task.name}, {n_epochs} of {self.settings.epochs} "
            f"epochs, {self.model.n_parameters:,} parameters)"
        )

    def updates(self) -> Iterator[StepRecord]:
        """Train to the last epoch, or until patience ends; yield after each update.

        Before an update is yielded, the files are written that belong to it: at the end of each
        epoch its weights, and there and every `save_every` updates a checkpoint. A loop that was
        left can be entered again.

        Raises `InputError` when another `Run` of this folder has saved since this one did, also
        while this one trains, and when the loss or the held-out loss is not finite; what was saved
        before remains.
        """
        if self.communicator.rank == 0:
            self.folder.lock()
        try:
            self._check_checkpoint()
            # a smaller `average` than before may be all that a resumed run is for
            if self.done:
                self.save_weights()
            else:
                yield from self._updates()
        finally:
            self.folder.unlock()

    def _check_checkpoint(self) -> None:
        """Raise `InputError` unless the checkpoint is the one that this run goes on from."""
        if self.folder.checkpoint_version() != self.checkpoint_version:
            raise InputError(
                f"{self.folder.path} was trained elsewhere, or deleted, since this Run saved it: "
                f"go on with runs.resume({str(self.folder.path)!r})"
            )

    def _updates(self) -> Iterator[StepRecord]:
        # the seconds are those of all sittings, the speed is that of this one
        earlier = self.log.rows[-1]["seconds"] if self.log.rows else 0.0
        start = time.perf_counter()
        n_tokens = 0
        for update in self.trainer.updates(self.settings.epochs):
            seconds = time.perf_counter() - start
            n_tokens += update.tokens
            self.log.add(update, seconds=earlier + seconds)
            update = replace(
                update, seconds=earlier + seconds, tokens_per_second=n_tokens / seconds
            )
            if update.ends_epoch:
                held_out = self._end_epoch(update.epoch)
                update = replace(
                    update,
                    held_out_loss=held_out.loss,
                    held_out_accuracy=held_out.accuracy,
                )
            if update.ends_epoch or update.step % self.settings.save_every == 0:
                self.save()

            yield update
            if update.ends_epoch and self.done:
                return

    def epochs(self) -> Iterator[StepRecord]:
        """Train as `updates` does, but yield one record per epoch.

        Its `loss` is the mean over all tokens of the epoch, and `tokens` their number.
        """
        for update in self.updates():
            if update.ends_epoch:
                loss = self.log.training_loss(update.epoch)
                yield replace(update, loss=loss, tokens=self.log.tokens(update.epoch))

    @property
    def done(self) -> bool:
        """Whether all epochs are finished, or patience has ended."""
        if self.trainer.epoch > self.settings.epochs:
            return True
        losses = self.log.held_out_losses()
        if not losses or not self.settings.patience:
            return False
        since_best = len(losses) - 1 - losses.index(min(losses))
        return since_best >= self.settings.patience

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights for use: the present ones, or when done the average of some epochs."""
        if not self.done:
            return self.model.state_dict()

        average = average_weights(self._epoch_weights(self.settings.average))
        return {name: average[name] for name, _ in self.model.named_parameters()}

    def check_average(self) -> None:
        """Raise `InputError` when an epoch that is certain to be averaged is gone or damaged.

        The epochs that are still to be trained can take the place of as many others.
        """
        to_train = 0
        if not self.done:
            to_train = self.settings.epochs - len(self.log.held_out_losses())
        certain = self.settings.average - to_train
        if certain > 0:
            for _ in self._epoch_weights(certain):
                pass

    def _epoch_weights(self, number: int) -> Iterator[dict[str, np.ndarray]]:
        """Yield the weights of the last or best epochs, as the setting `average_of` says."""
        settings = self.settings
        with prefix_errors(
            f"average = {settings.average} of the {settings.average_of} needs an epoch whose file "
            "is missing or damaged: restore the file, give a smaller average, or more epochs"
        ):
            losses = self.log.held_out_losses()
            for epoch in select_epochs(losses, number, settings.average_of):
                yield self.folder.load_weights(self.folder.epoch_path(epoch))

    def save_weights(self) -> None:
        """Write the weights for use."""
        if self.communicator.rank == 0:
            self.folder.save_weights(self.weights())

    def save(self) -> None:
        """Write log, checkpoint and weights, each whole or not at all; then delete unused epochs.

        In this order a kill between any two leaves a run that can be resumed: the log may be ahead
        of the checkpoint, and no checkpoint on the disk needs an epoch that is gone. The last and
        the best epochs are kept, whichever are averaged.

        Raises `InputError` when the last epoch has no finite held-out loss, and when another `Run`
        of this folder has saved since this one did.
        """
        losses = self.log.held_out_losses()
        if len(losses) < self.trainer.epoch - 1:
            raise InputError(
                f"training has diverged, so {self.folder.path} keeps its last checkpoint"
            )

        progress = None
        if self.communicator.rank == 0:
            self._check_checkpoint()
            write_atomic(self.folder.log_path, self.log.csv())
            settings = self.settings.fixed() | {"learning_rate": self.settings.learning_rate}
            progress = {"identity": self.folder.identity(), "settings": settings}
        save_checkpoint(self.folder.checkpoint_path, self.trainer, progress)
        self.checkpoint_version = self.folder.checkpoint_version()
        self.save_weights()

        if self.communicator.rank == 0:
            last = select_epochs(losses, self.settings.average, "last")
            best = select_epochs(losses, self.settings.average, "best")
            for epoch in range(1, len(losses) + 1):
                if epoch not in last and epoch not in best:
                    self.folder.epoch_path(epoch).unlink(missing_ok=True)

    def predictor(self) -> Predictor:
        """Return the task's predictor, such as a Translator, with a copy of the weights for use."""
        # a model of its own, because the present weights are trained on
        model = self.folder.predictor.model_class(self.config, rng=0)
        model.load_state_dict(self.weights())
        return self.folder.predictor(model.eval(), *self.vocabularies.values())

    def evaluate(self, **options: Any) -> Any:
        """Return the scores of the trained model on the held-out examples.

        `options` are those of the task's `evaluate`, such as `beam` for a translation.
        """
        options = self.task.evaluate_defaults(self.settings) | options
        return self.task.evaluate(self.predictor(), self.held_out, **options)

    def plot_curves(self) -> None:
        """Plot the loss above the learning rate, as curve.png in the folder."""
        figure, (above, below) = plots.new_figure(2, 1, width=7.5, height=6)
        steps, losses = self.log.column("loss")
        held_out_steps, held_out_losses = self.log.column("held_out_loss")
        plots.plot_loss(
            above,
            steps,
            losses,
            held_out_steps,
            held_out_losses,
            per=self.task.counted,
            label_smoothing=self.settings.label_smoothing,
        )
        plots.plot_learning_rate(below, *self.log.column("learning_rate"))
        plots.save_figure(figure, self.folder.curve_path)

    def _make_trainer(self, batches: Any) -> Trainer:
        settings = self.settings
        adam = Adam(
            self.model.parameters(),
            self._make_schedule(),
            beta1=settings.beta1,
            beta2=settings.beta2,
            eps=settings.adam_eps,
            weight_decay=settings.weight_decay,
        )
        return Trainer(
            self.task.objective(self.model, settings),
            adam,
            batches,
            accumulate=settings.accumulate,
            clip_norm=settings.clip_norm,
            workers=settings.workers,
            communicator=self.communicator,
        )

    def _make_schedule(self) -> WarmupSchedule | CosineSchedule:
        """Return the learning rate over time: the paper's, or with another peak, or a cosine."""
        settings = self.settings
        d_model = self.config.d_model
        if settings.learning_rate is None:
            return WarmupSchedule(d_model, settings.warmup_steps)
        if settings.decay_steps is None:
            return WarmupSchedule.with_peak(settings.learning_rate, d_model, settings.warmup_steps)
        return CosineSchedule(
            settings.learning_rate,
            warmup_steps=settings.warmup_steps,
            decay_steps=settings.decay_steps,
            final=settings.final_learning_rate,
        )

    @np.errstate(all="ignore")  # a loss that is not finite is reported below
    def _end_epoch(self, epoch: int) -> HeldOut:
        """Measure the held-out loss on rank 0, log it, and write the epoch's weights."""
        scores = None
        if self.communicator.rank == 0:
            # exp of a loss without smoothing is the perplexity
            unsmoothed = replace(self.settings, label_smoothing=0.0)
            objective = self.task.objective(self.model, unsmoothed)
            scores = held_out_scores(objective, self.held_out_batches)
        # the same on all ranks, which must agree on whether training ends
        scores = HeldOut(*self.communicator.bcast(scores))
        if not math.isfinite(scores.loss):
            raise InputError(
                f"the held-out loss after epoch {epoch} is {scores.loss}: training has diverged. "
                "Train again with a lower learning rate, a longer warm-up or a clip_norm"
            )

        self.log.rows[-1]["held_out_loss"] = scores.loss
        if self.communicator.rank == 0:
            self._check_checkpoint()
            self.folder.save_weights(self.model.state_dict(), epoch=epoch)
        return scores
