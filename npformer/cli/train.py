"""`npformer train`: train a model, and leave a run folder behind."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from ..datasets import Corpus
from ..errors import InputError, require
from ..inference import Translator
from ..model import Transformer
from ..run_folder import RunFolder
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
from .pictures import draw_attention, draw_curves
from .prepare import build_vocabularies, load_corpus, make_batches
from .report import evaluate
from .settings import model_config, resolve

INTERRUPTED = 130


class Run:
    """A training with everything that belongs to it: data, model, optimiser, log and folder."""

    def __init__(self, folder: RunFolder, settings: dict, corpus: Corpus):
        self.folder = folder
        self.settings = settings
        self.corpus = corpus
        self.log = TrainingLog()
        self.source, self.target = folder.vocabularies()
        config = folder.config()
        model = Transformer(config, rng=np.random.default_rng(settings["seed"]))
        schedule = WarmupSchedule(config.d_model, settings["warmup_steps"])
        if settings.get("learning_rate") is not None:
            schedule = WarmupSchedule.with_peak(settings["learning_rate"], config.d_model, settings["warmup_steps"])
        betas = {"beta1": settings["beta1"], "beta2": settings["beta2"], "eps": settings["adam_eps"]}
        optimizer = Adam(model.parameters(), learning_rate=schedule, **betas)
        sizes = {"max_len": config.max_len, "batch_tokens": settings["batch_tokens"], "seed": settings["seed"]}
        batches, left_out = make_batches(corpus.train, self.source, self.target, **sizes)
        self.validation, _ = make_batches(corpus.held_out, self.source, self.target, **sizes)
        loss = LabelSmoothingLoss(eps=settings["label_smoothing"], pad_id=config.pad_id)
        self.trainer = Trainer(model, optimizer, batches, loss=loss)
        self.left_out = left_out

    @classmethod
    def begin(cls, folder: RunFolder, settings: dict) -> Run:
        """Start a run in a new folder."""
        corpus = load_corpus(settings)
        source, target = build_vocabularies(settings, corpus.train)
        config = model_config(settings, src_vocab_size=len(source), tgt_vocab_size=len(target))
        folder.create(config, source, target, settings)
        run = cls(folder, settings, corpus)
        run.save()
        return run

    @classmethod
    def resume(cls, folder: RunFolder, epochs: int | None) -> Run:
        """Take up a run where its checkpoint left it, up to another number of epochs if given."""
        settings = {**folder.settings("training"), **({"epochs": epochs} if epochs else {})}
        run = cls(folder, settings, load_corpus(settings))
        progress = load_checkpoint(folder.checkpoint_path, run.trainer.model, run.trainer.optimizer)
        run.trainer.epoch, run.trainer.batch = progress["epoch"], progress["batch"]
        run.log = TrainingLog.load(folder.log_path, until_step=run.trainer.optimizer.steps)
        return run

    def save(self) -> None:
        """Write log, checkpoint and weights, each whole or not at all; the log may run ahead of the checkpoint."""
        trainer = self.trainer
        self.log.save(self.folder.log_path)
        place = {"epoch": trainer.epoch, "batch": trainer.batch}
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
                    bar.write(f"{line}   {speed}   {earlier + seconds:.0f} s")
                if record.ends_epoch or record.step % settings["save_every"] == 0 or interrupted():
                    self.save()
                if interrupted():
                    return False
        return True


def new_folder(name: str) -> RunFolder:
    """Return the first of runs/NAME, runs/NAME-2, ... that does not exist."""
    candidate, number = Path("runs") / name, 2
    while candidate.exists():
        candidate, number = Path("runs") / f"{name}-{number}", number + 1
    return RunFolder(candidate)


def train(given: dict) -> int:
    """Train as the command line asks; return the exit status."""
    resume, run_path = given.pop("resume", None), given.pop("run", None)
    if resume:
        if other := given.keys() - {"epochs"}:
            names = ", ".join(sorted(other))
            raise InputError(
                f"--resume takes every setting from the run: only --epochs may be given beside it, not {names}"
            )
        run = Run.resume(RunFolder(resume), given.get("epochs"))
    else:
        settings = resolve(given)
        folder = RunFolder(run_path) if run_path else new_folder(settings.get("dataset") or "run")
        run = Run.begin(folder, settings)
    print(run.describe(), flush=True)
    if not run.train():
        print(f"\nstopped and saved after update {run.trainer.optimizer.steps}; go on with")
        print(f"  npformer train --resume {run.folder.path}")
        return INTERRUPTED
    finish(run)
    return 0


def finish(run: Run) -> None:
    """Draw the pictures, translate the held-out pairs and say how good that is."""
    translator = Translator(run.trainer.model, run.source, run.target)
    draw_curves(run.log, run.folder.curve_path)
    evaluation = evaluate(translator, run.corpus.held_out)
    draw_attention(translator, evaluation.pairs[0].source, run.folder.attention_path)
    print(f"\nten held-out translations (* differs from the reference)\n\n{evaluation.examples(10)}\n")
    print(f"{evaluation.table()}\n")
    print(f'translate with  npformer translate {run.folder.path} "{evaluation.pairs[0].source}"')
