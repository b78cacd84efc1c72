"""A training with everything that belongs to it, from its first update or from its checkpoint."""

from __future__ import annotations

import time

import numpy as np

from ..base.errors import InputError
from ..cli.interrupt import ctrl_c_noted
from ..cli.progress import progress_bar
from ..datasets import Corpus
from ..evaluation import mean_loss
from ..models import Transformer, TransformerConfig
from ..tasks import TranslationObjective
from ..text import AnyVocabulary
from ..training import Adam, Checkpoint, FlatParameters, Trainer, TrainingLog, WarmupSchedule, save_checkpoint
from .epochs import Epochs
from .folder import RunFolder
from .prepare import build_vocabularies, load_corpus, make_batches
from .settings import MODEL_OPTIONS, checked, model_config, saved_settings


class Run:
    """A training with everything that belongs to it: data, model, optimiser, log and folder."""

    def __init__(
        self,
        folder: RunFolder,
        settings: dict,
        corpus: Corpus,
        config: TransformerConfig,
        source: AnyVocabulary,
        target: AnyVocabulary,
    ):
        self.folder = folder
        self.settings = settings
        self.corpus = corpus
        self.log = TrainingLog()
        self.source, self.target = source, target
        model = Transformer(config, rng=np.random.default_rng(settings["seed"]))
        schedule = WarmupSchedule(config.d_model, settings["warmup_steps"])
        if settings.get("learning_rate") is not None:
            schedule = WarmupSchedule.with_peak(settings["learning_rate"], config.d_model, settings["warmup_steps"])
        betas = {"beta1": settings["beta1"], "beta2": settings["beta2"], "eps": settings["adam_eps"]}
        optimizer = Adam(FlatParameters(model.parameters()), learning_rate=schedule, **betas)
        sizes = {"max_len": config.max_len, "batch_tokens": settings["batch_tokens"], "seed": settings["seed"]}
        cuts = {"subword_dropout": settings["subword_dropout"]}
        batches, left_out = make_batches(corpus.train, source, target, what="training", **sizes, **cuts)
        self.validation, _ = make_batches(corpus.held_out, source, target, what="held-out", **sizes)
        objective = TranslationObjective(model, label_smoothing=settings["label_smoothing"])
        how = {name: settings[name] for name in ("accumulate", "clip_norm", "workers")}
        self.trainer = Trainer(objective, optimizer, batches, **how)
        self.epochs = Epochs(folder, **{name: settings[name] for name in ("average", "average_of", "patience")})
        self.left_out = left_out

    @classmethod
    def begin(cls, folder: RunFolder, settings: dict) -> Run:
        """Start a run in a new folder, which is made only when everything fits together."""
        folder.check_is_free()
        corpus = load_corpus(settings)
        source, target = build_vocabularies(settings, corpus.train)
        config = model_config(settings, src_vocab_size=len(source), tgt_vocab_size=len(target))
        run = cls(folder, settings, corpus, config, source, target)
        folder.create(config, source, target, {k: v for k, v in settings.items() if k not in MODEL_OPTIONS})
        run.save()
        folder.complete()
        return run

    @classmethod
    def resume(cls, folder: RunFolder, changes: dict) -> Run:
        """Take up a run where its checkpoint left it, with some of the settings that only matter from here on."""
        settings = checked({**saved_settings(folder), **changes})
        vocabularies = folder.vocabularies()
        checkpoint = Checkpoint.read(folder.checkpoint_path)
        folder.check_identity(checkpoint.progress.get("identity"))
        run = cls(folder, settings, load_corpus(settings), folder.config(), *vocabularies)
        trainer = run.trainer
        progress = checkpoint.restore(trainer)
        run.log = TrainingLog.load(folder.log_path, until_step=trainer.optimizer.steps)
        if progress.get("log", run.log.checksum()) != run.log.checksum():
            raise InputError(
                f"{folder.log_path} is damaged: its rows are not those that were logged. Bring back the file as it was"
            )
        run.epochs.check_enough(run.log, settings["epochs"])
        folder.remove_parts()
        return run

    def save(self) -> None:
        """Write log, checkpoint and weights, each whole or not at all; the log may run ahead of the checkpoint."""
        trainer = self.trainer
        self.log.save(self.folder.log_path)
        progress = {"identity": self.folder.identity(), "log": self.log.checksum()}
        save_checkpoint(self.folder.checkpoint_path, trainer, progress)
        self.folder.save_weights(trainer.objective.model.state_dict())

    def train(self) -> bool:
        """Train to the last epoch; return False when Ctrl-C came between. Saves after each epoch and at the end."""
        trainer, settings = self.trainer, self.settings
        earlier, start, tokens = self.log.rows[-1]["seconds"] if self.log.rows else 0.0, time.perf_counter(), 0
        with progress_bar(trainer, settings["epochs"]) as bar, ctrl_c_noted() as interrupted:
            for record in () if self.epochs.out_of_patience(self.log) else trainer.updates(settings["epochs"]):
                seconds = time.perf_counter() - start
                tokens += record.tokens
                self.log.add(record, seconds=earlier + seconds)
                speed = f"{tokens / seconds:,.0f} tokens/s"
                bar.set_description(f"epoch {record.epoch}", refresh=False)
                bar.set_postfix_str(f"loss {record.loss:.3f}, lr {record.learning_rate:.1e}, {speed}", refresh=False)
                bar.update()
                if record.ends_epoch:
                    validation = mean_loss(trainer.objective.model, self.validation)
                    self.log.rows[-1]["validation_loss"] = validation
                    self.folder.save_epoch(record.epoch, trainer.objective.model.state_dict())
                    loss = self.log.training_loss(record.epoch)
                    line = f"epoch {record.epoch:3d}   loss {loss:.3f}   held-out loss {validation:.3f}"
                    with bar.external_write_mode():
                        print(f"{line}   {speed}   {earlier + seconds:.0f} s", flush=True)
                stop = interrupted()
                if record.ends_epoch or record.step % settings["save_every"] == 0 or stop:
                    self.save()
                    self.epochs.tidy(self.log)
                if stop:
                    return False
                if record.ends_epoch and self.epochs.out_of_patience(self.log):
                    break
        self.folder.save_weights(self.epochs.weights(self.log))
        return True
