"""A training with everything that belongs to it, from its first update or from its checkpoint."""

from __future__ import annotations

import time

import numpy as np

from ..datasets import Corpus
from ..errors import InputError, require
from ..model import Transformer, TransformerConfig
from ..run_folder import RunFolder
from ..text import Vocabulary
from ..training import (
    Adam,
    LabelSmoothingLoss,
    Trainer,
    TrainingLog,
    WarmupSchedule,
    load_checkpoint,
    mean_loss,
    save_checkpoint,
)
from .interrupt import ctrl_c_noted
from .prepare import build_vocabularies, load_corpus, make_batches
from .settings import checked, model_config, saved_settings


class Run:
    """A training with everything that belongs to it: data, model, optimiser, log and folder."""

    def __init__(
        self,
        folder: RunFolder,
        settings: dict,
        corpus: Corpus,
        config: TransformerConfig,
        source: Vocabulary,
        target: Vocabulary,
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
        optimizer = Adam(model.parameters(), learning_rate=schedule, **betas)
        sizes = {"max_len": config.max_len, "batch_tokens": settings["batch_tokens"], "seed": settings["seed"]}
        batches, left_out = make_batches(corpus.train, source, target, what="training", **sizes)
        self.validation, _ = make_batches(corpus.held_out, source, target, what="held-out", **sizes)
        loss = LabelSmoothingLoss(eps=settings["label_smoothing"], pad_id=config.pad_id)
        self.trainer = Trainer(model, optimizer, batches, loss=loss)
        self.left_out = left_out

    @classmethod
    def begin(cls, folder: RunFolder, settings: dict) -> Run:
        """Start a run in a new folder, which is made only when everything fits together."""
        folder.check_is_free()
        corpus = load_corpus(settings)
        source, target = build_vocabularies(settings, corpus.train)
        config = model_config(settings, src_vocab_size=len(source), tgt_vocab_size=len(target))
        run = cls(folder, settings, corpus, config, source, target)
        folder.create(config, source, target, settings)
        run.save()
        return run

    @classmethod
    def resume(cls, folder: RunFolder, epochs: int | None) -> Run:
        """Take up a run where its checkpoint left it, up to another number of epochs if given."""
        settings = saved_settings(folder)
        if epochs is not None:
            settings = checked({**settings, "epochs": epochs})
        vocabularies = folder.vocabularies()
        run = cls(folder, settings, load_corpus(settings), folder.config(), *vocabularies)
        progress = load_checkpoint(folder.checkpoint_path, run.trainer.model, run.trainer.optimizer)
        folder.check_identity(progress.get("identity"))
        if progress["batches"] != run.trainer.batches.checksum():
            raise InputError(
                f"the batches are not those that {folder.path} was begun with: bring back the training files and the "
                f"settings in {folder.config_path}, or train anew"
            )
        run.trainer.epoch, run.trainer.batch = progress["epoch"], progress["batch"]
        run.log = TrainingLog.load(folder.log_path, until_step=run.trainer.optimizer.steps)
        return run

    def save(self) -> None:
        """Write log, checkpoint and weights, each whole or not at all; the log may run ahead of the checkpoint."""
        trainer = self.trainer
        self.log.save(self.folder.log_path)
        place = {"epoch": trainer.epoch, "batch": trainer.batch}
        place |= {"identity": self.folder.identity(), "batches": trainer.batches.checksum()}
        save_checkpoint(self.folder.checkpoint_path, trainer.model, trainer.optimizer, place)
        self.folder.save_weights(trainer.model)

    def describe(self) -> str:
        """Say in a few lines what will be trained on what."""
        model, batches = self.trainer.model, self.trainer.batches
        c = model.config
        n_parameters = sum(p.data.size for p in model.parameters())
        left_out = f", {self.left_out} left out (an empty side, or too long)" if self.left_out else ""
        return "\n".join(
            [
                f"data    {len(batches.pairs):,} sentence pairs{left_out}; {len(self.corpus.held_out):,} held out",
                f"tokens  {len(self.source):,} source and {len(self.target):,} target "
                f"{self.source.unit}; {100 * batches.padding_share():.1f} % padding in the batches",
                f"model   {c.n_encoder_layers}+{c.n_decoder_layers} layers, d_model {c.d_model}, d_ff {c.d_ff}, "
                f"{c.n_heads} heads, {n_parameters:,} parameters",
                f"folder  {self.folder.path}",
            ]
        )

    def train(self) -> bool:
        """Train to the last epoch; return False when Ctrl-C came between. Saves after each epoch and at the end."""
        trainer, settings = self.trainer, self.settings
        steps_left = sum(len(trainer.batches.plan(epoch)) for epoch in range(trainer.epoch, settings["epochs"] + 1))
        done, earlier = trainer.optimizer.steps, self.log.rows[-1]["seconds"] if self.log.rows else 0.0
        start, tokens = time.perf_counter(), 0
        tqdm = require("tqdm", "npformer").tqdm
        bar = tqdm(initial=done, total=done + steps_left - trainer.batch, unit="step", disable=None, dynamic_ncols=True)
        with bar, ctrl_c_noted() as interrupted:
            for record in trainer.run(settings["epochs"]):
                seconds = time.perf_counter() - start
                tokens += record.tokens
                self.log.add(record, seconds=earlier + seconds)
                speed = f"{tokens / seconds:,.0f} tokens/s"
                bar.set_description(f"epoch {record.epoch}", refresh=False)
                bar.set_postfix_str(f"loss {record.loss:.3f}, lr {record.learning_rate:.1e}, {speed}", refresh=False)
                bar.update()
                if record.ends_epoch:
                    validation = mean_loss(trainer.model, self.validation)
                    self.log.rows[-1]["validation_loss"] = validation
                    line = f"epoch {record.epoch:3d}   loss {record.loss:.3f}   held-out loss {validation:.3f}"
                    with bar.external_write_mode():
                        print(f"{line}   {speed}   {earlier + seconds:.0f} s", flush=True)
                stop = interrupted()
                if record.ends_epoch or record.step % settings["save_every"] == 0 or stop:
                    self.save()
                if stop:
                    return False
        return True
