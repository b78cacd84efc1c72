"""A training with its files: a loop over updates that saves what it must."""

import math
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from ..models import StackConfig
from ..tasks import TASKS, HeldOut, Predictor, held_out_scores
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


@dataclass(frozen=True)
class Update(StepRecord):
    """One update, or one epoch: `loss` is then the mean over its tokens, and `tokens` their number.

    `seconds` is the time since the run began, over several sittings. `held_out_loss`, and for a classifier
    `held_out_accuracy` from 0 to 1, are measured at the end of an epoch. A classifier's tokens are its texts.
    """

    seconds: float
    tokens_per_second: float
    held_out_loss: float | None
    held_out_accuracy: float | None


class Run:
    """A training: its folder, settings, vocabularies, held-out examples, trainer and log; see `runs.begin`.

    `parts` are the training and the held-out examples. `vocabularies` are by the names of the task's sides, such as
    "source". `left_out` is the number of training examples that cannot be used; `warnings` are lines about settings
    that are probably a mistake.

    If several ranks train together, each has a Run, and all call the same methods in the same order; rank 0 alone
    writes files.
    """

    def __init__(
        self,
        folder: RunFolder,
        settings: TrainingSettings,
        config: StackConfig,
        vocabularies: tuple,
        parts,
    ):
        self.folder, self.settings, self.config, self.communicator = (
            folder,
            settings,
            config,
            get_communicator(),
        )
        self.task = TASKS[folder.predictor.task]
        train, self.held_out = parts
        self.vocabularies = dict(zip(folder.predictor.sides, vocabularies, strict=True))
        batches, self.left_out = self.task.make_batches(train, vocabularies, config, settings)
        self.validation, _ = self.task.make_batches(
            self.held_out, vocabularies, config, settings, held_out=True
        )
        self.warnings = []
        self.trainer = self._make_trainer(batches)
        self.model = self.trainer.objective.model
        self.log = TrainingLog()
        n_updates = settings.epochs * math.ceil(len(batches.epoch(1)) / settings.accumulate)
        if 2 * n_updates < settings.warmup_steps:
            rises = f"the learning rate rises for warmup_steps = {settings.warmup_steps} updates"
            lower = "lower it, or batch_tokens, or train more epochs"
            self.warnings.append(f"{rises}, and there are only {n_updates} in all: {lower}")

    def __repr__(self):
        epochs = f"{len(self.log.held_out_losses())} of {self.settings.epochs} epochs"
        return f"Run({self.folder.path}, {self.task.name}, {epochs}, {self.model.n_parameters:,} parameters)"

    def updates(self) -> Iterator[Update]:
        """Train to the last epoch, or until patience ends; yield after each update.

        Before an update is yielded, the files are written that belong to it: at the end of each epoch its weights, and
        there and every `save_every` updates a checkpoint. A loop that was left can be entered again.

        Raises `InputError` when the loss or the held-out loss is not finite; what was saved before stays.
        """
        if self.done:
            self.save_weights()
            return
        earlier, start, tokens = (
            self.log.rows[-1]["seconds"] if self.log.rows else 0.0,
            time.perf_counter(),
            0,
        )
        with self.folder.locked() if self.communicator.rank == 0 else nullcontext():
            for step in self.trainer.updates(self.settings.epochs):
                spent = time.perf_counter() - start
                tokens += step.tokens
                self.log.add(step, seconds=earlier + spent)
                held_out = self._end_epoch(step.epoch) if step.ends_epoch else HeldOut(None, None)
                if step.ends_epoch or step.step % self.settings.save_every == 0:
                    self.save()
                times = {"seconds": earlier + spent, "tokens_per_second": tokens / spent}
                yield Update(
                    **vars(step),
                    **times,
                    held_out_loss=held_out.loss,
                    held_out_accuracy=held_out.accuracy,
                )
                if step.ends_epoch and self.done:
                    return

    def epochs(self) -> Iterator[Update]:
        """Train as `updates` does; yield at the end of each epoch alone."""
        for update in self.updates():
            if update.ends_epoch:
                tokens = sum(row["tokens"] for row in self.log.rows if row["epoch"] == update.epoch)
                yield replace(update, loss=self.log.training_loss(update.epoch), tokens=tokens)

    @property
    def done(self) -> bool:
        """Whether all epochs are finished, or patience has ended."""
        losses, patience = self.log.held_out_losses(), self.settings.patience
        since_best = len(losses) - losses.index(min(losses)) - 1 if losses else 0
        return self.trainer.epoch > self.settings.epochs or 0 < patience <= since_best

    def weights(self) -> dict[str, np.ndarray]:
        """Return the weights for use: the present ones, or when training is done the average of the epochs."""
        if not self.done:
            return self.model.state_dict()
        average, average_of = self.settings.average, self.settings.average_of
        chosen = map(
            self.folder.epoch_path, select_epochs(self.log.held_out_losses(), average, average_of)
        )
        with prefix_errors(
            f"average = {average} of the {average_of} needs an epoch that is gone: give a smaller one"
        ):
            averaged = average_weights(map(self.folder.load_weights, chosen))
        return {name: averaged[name] for name, _ in self.model.named_parameters()}

    def save_weights(self) -> None:
        """Write the weights for use."""
        if self.communicator.rank == 0:
            self.folder.save_weights(self.weights())

    def save(self) -> None:
        """Write log, checkpoint and weights, each whole or not at all, and then delete epochs not needed any more.

        In this order a kill between any two leaves a run that can be resumed: the log may be ahead of the checkpoint,
        and no checkpoint on the disk needs an epoch that is gone. The last and the best epochs are kept, whichever are
        averaged.

        Raises `InputError` when the last epoch has no finite held-out loss.
        """
        losses, progress = self.log.held_out_losses(), None
        if len(losses) < self.trainer.epoch - 1:
            raise InputError(
                f"training has diverged, so {self.folder.path} keeps its last checkpoint"
            )
        if self.communicator.rank == 0:
            write_atomic(self.folder.log_path, self.log.csv())
            settings = self.settings.fixed() | {"learning_rate": self.settings.learning_rate}
            progress = {"identity": self.folder.identity(), "settings": settings}
        save_checkpoint(self.folder.checkpoint_path, self.trainer, progress)
        self.save_weights()
        if self.communicator.rank == 0:
            last, best = (
                select_epochs(losses, self.settings.average, which) for which in ("last", "best")
            )
            for epoch in {*range(1, len(losses) + 1)} - {*last, *best}:
                self.folder.epoch_path(epoch).unlink(missing_ok=True)

    def predictor(self) -> Predictor:
        """Return a Translator, TextClassifier or TextGenerator, as the task is, with a copy of the weights for use."""
        model = self.task.make_model(self.config, rng=0)
        model.load_state_dict(self.weights())
        return self.task.predictor(model.eval(), *self.vocabularies.values())

    def evaluate(self, **options):
        """Return the scores of the trained model on the held-out examples; `options` as in `Task.evaluate`."""
        options = self.task.evaluate_defaults(self.settings) | options
        return self.task.evaluate(self.predictor(), self.held_out, **options)

    def example(self) -> str:
        """Return a held-out text to try the trained model with."""
        return self.task.example(tuple(self.vocabularies.values()), self.held_out, self.config)

    def draw(self) -> None:
        """Draw the loss above the learning rate into the folder."""
        figure, (above, below) = plots.new_figure(2, 1, width=7.5, height=6)
        log = self.log
        plots.plot_loss(
            above, *log.column("loss"), *log.column("validation_loss"), per=self.task.counted
        )
        plots.plot_learning_rate(below, *log.column("learning_rate"))
        plots.save_figure(figure, self.folder.curve_path)

    def _make_trainer(self, batches) -> Trainer:
        """Return the trainer of a fresh model."""
        s = self.settings
        model = self.task.make_model(self.config, rng=np.random.default_rng(s.seed))
        schedule = self._make_schedule()
        adam = Adam(model.parameters(), schedule, beta1=s.beta1, beta2=s.beta2, eps=s.adam_eps)
        return Trainer(
            self.task.objective(model, s),
            adam,
            batches,
            accumulate=s.accumulate,
            clip_norm=s.clip_norm,
            workers=s.workers,
            communicator=self.communicator,
        )

    def _make_schedule(self) -> WarmupSchedule | CosineSchedule:
        """Return the learning rate over time: the paper's, unless settings name another peak or a cosine."""
        s, d_model = self.settings, self.config.d_model
        if s.decay_steps is not None:
            steps = {"warmup_steps": s.warmup_steps, "decay_steps": s.decay_steps}
            return CosineSchedule(s.learning_rate, **steps, final=s.final_learning_rate)
        if s.learning_rate is not None:
            return WarmupSchedule.with_peak(s.learning_rate, d_model, s.warmup_steps)
        return WarmupSchedule(d_model, s.warmup_steps)

    def _end_epoch(self, epoch: int) -> HeldOut:
        """Measure the held-out loss on rank 0, log it, and write the epoch's weights."""
        scores = None
        if self.communicator.rank == 0:
            unsmoothed = self.task.objective(
                self.model, replace(self.settings, label_smoothing=0.0)
            )
            scores = held_out_scores(unsmoothed, self.validation)
        scores = HeldOut(*self.communicator.bcast(scores))
        if not math.isfinite(scores.loss):
            diverged = (
                f"the held-out loss after epoch {epoch} is {scores.loss}: training has diverged"
            )
            raise InputError(
                f"{diverged}. Train again with a lower learning rate, a longer warm-up or a clip_norm"
            )
        self.log.rows[-1]["validation_loss"] = scores.loss
        if self.communicator.rank == 0:
            self.folder.save_weights(self.model.state_dict(), epoch=epoch)
        return scores
