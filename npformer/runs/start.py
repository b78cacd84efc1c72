"""Runs from Python: begin one, take one up again, load what one has learnt."""

import os
from dataclasses import asdict, replace
from pathlib import Path

from ..base import AnyPath, InputError
from ..decoding import LEARNT
from ..decoding.learnt import Learnt
from ..models.cost import total_cost
from ..tasks import TASKS
from ..tasks.model_folder import ModelFolder
from ..training import Checkpoint, TrainingLog
from .folder import RunFolder
from .jobs import JOBS
from .recipe import resolve
from .run import Run
from .settings import CHANGEABLE, FILES

DEFAULT = "phrasebook"


def begin(
    dataset: str | None = None, *, folder: AnyPath | None = None, recipe: AnyPath | None = None, **settings
) -> Run:
    """Start a run in a new folder, which is made only when everything fits together.

    It trains on a data set, by default the phrasebook, or on the files `src` and `tgt`, and holds out `valid_src` and
    `valid_tgt` where they are given; or on a file `train` of labelled texts, or a file `text`, and holds out `valid`.
    `settings` change those of the recipe: any of `TrainingSettings`, or of the config of the task's model but the sizes
    of the vocabularies. The folder is by default the first new one of runs/NAME,
    runs/NAME-2, ...

    Raises `InputError` when a setting, a file or the folder cannot be used.

    >>> import tempfile
    >>> sizes = {"d_model": 8, "d_ff": 8, "n_heads": 2, "epochs": 1, "batch_tokens": 4096}
    >>> run = begin("copy", folder=f"{tempfile.mkdtemp()}/run", **sizes)
    >>> updates = run.updates()
    >>> next(updates).step, run.save()
    (1, None)
    >>> resume(run.folder.path).trainer.optimizer.steps
    1
    """
    given = {"dataset": dataset, "recipe": None if recipe is None else os.fspath(recipe), **settings}
    files = {name: given[name] for name in FILES if isinstance(given.get(name), AnyPath)}
    given |= {name: os.fspath(Path(path).absolute()) for name, path in files.items()}  # for a resume elsewhere
    if dataset is None and not files:
        given["dataset"] = DEFAULT
    training, model = resolve(given)
    data = training.data_set()
    new = RunFolder.new(data.name) if folder is None else RunFolder(named(folder))
    new.check_is_free()
    parts = data.load("train", "held_out", direction=training.direction, seed=training.seed)
    task = TASKS[data.task]
    vocabularies = JOBS[data.task](training).vocabularies(parts[0], model)
    sizes = dict(zip(task.sides.values(), map(len, vocabularies), strict=True))
    run = Run(new, training, task.config(**sizes, **model), vocabularies, parts)
    new.create(run.config, *vocabularies, training=asdict(training))
    run.save()
    new.complete()
    return run


def resume(folder: AnyPath, **changes) -> Run:
    """Take up a run where its checkpoint left it; `changes` of epochs, patience, average and average_of are kept.

    Raises `InputError` when another setting is to be changed, or a file of the run or its data is not as it was.
    """
    if other := changes.keys() - set(CHANGEABLE):
        changed = f"only {', '.join(CHANGEABLE)} may change, not {', '.join(sorted(other))}"
        raise InputError(f"a run that is resumed keeps its settings: {changed}")
    old = RunFolder(named(folder))
    saved = old.training()
    training = replace(saved, **changes)
    vocabularies = old.vocabularies()
    checkpoint = Checkpoint.read(old.checkpoint_path)
    old.check_identity(checkpoint.progress.get("identity"))
    parts = training.data_set().load("train", "held_out", direction=training.direction, seed=training.seed)
    run = Run(old, training, old.config(), vocabularies, parts)
    progress = checkpoint.restore(run.trainer)
    run.log = TrainingLog.load(old.log_path, until_step=run.trainer.optimizer.steps)
    if progress.get("log", run.log.checksum()) != run.log.checksum():
        raise InputError(f"{old.log_path} is damaged: its rows are not those that were logged. Bring the old ones back")
    run.cost_of_epochs = progress.get("cost_of_epochs")
    if run.cost_of_epochs is None:  # an older run, which did not count
        done = map(run.trainer.batches.epoch, range(1, run.trainer.epoch))
        run.cost_of_epochs = sum(total_cost(run.config, epoch.shapes()) for epoch in done)
    run.kept.check_enough(run.log.held_out_losses(), training.epochs)
    if training != saved:
        old.change_training(training)
    old.remove_parts()
    return run


def load(folder: AnyPath) -> Learnt:
    """Return the Translator, Labeller or Writer of a run. Raises `InputError` when a file is missing or damaged."""
    return LEARNT[ModelFolder(named(folder)).task().name].load(folder)


def named(folder: AnyPath) -> Path:
    """Return the path of a folder. Raises `InputError` for an empty name."""
    if not os.fspath(folder):
        raise InputError("folder = '' is no run folder: expected a name")
    return Path(folder)
