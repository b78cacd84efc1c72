"""Runs from Python: begin one, take one up again, load what one has learnt."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

from ..datasets import DataSet
from ..decoding import LEARNT
from ..decoding.predictor import Predictor
from ..models.model_folder import ModelFolder
from ..paper.macs import costs_of
from ..tasks import TASKS
from ..training import Checkpoint, TrainingLog
from ..training.alone import Alone
from ..training.launcher import world
from ..utils import AnyPath, InputError
from .folder import RunFolder
from .jobs import JOBS
from .recipe import resolve
from .run import Run
from .settings import CHANGEABLE, FILES, TrainingSettings

DEFAULT = "phrasebook"


def begin(
    dataset: str | None = None, *, folder: AnyPath | None = None, recipe: AnyPath | None = None, **settings
) -> Run:
    """Start a run in a new folder, which is there only if everything fits together.

    It trains on a data set, by default the phrasebook, or on the files `src` and `tgt`, and holds out `valid_src` and
    `valid_tgt` where they are given; or on a file `train` of labelled texts, or a file `text`, and holds out `valid`.
    `settings` change those of the recipe: any of `TrainingSettings`, or of the config of the task's model but the sizes
    of the vocabularies. The folder is by default the first new one of runs/NAME,
    runs/NAME-2, ... Under mpiexec every rank calls this, and all train one model.

    Raises `InputError` when a setting, a file or the folder cannot be used, or some ranks have others than the first.

    >>> import tempfile
    >>> sizes = {"d_model": 8, "d_ff": 8, "n_heads": 2, "epochs": 1, "batch_tokens": 4096}
    >>> run = begin("copy", folder=f"{tempfile.mkdtemp()}/run", **sizes)
    >>> updates = run.updates()
    >>> next(updates).step, run.save()
    (1, None)
    >>> resume(run.folder.path).trainer.optimizer.steps
    1
    """
    ranks = world()
    ranks.check_alike(lambda: {"start": "begin"})
    given = {"dataset": dataset, "recipe": None if recipe is None else os.fspath(recipe), **settings}
    files = {name: given[name] for name in FILES if isinstance(given.get(name), AnyPath)}
    given |= {name: os.fspath(Path(path).absolute()) for name, path in files.items()}  # for a resume elsewhere
    if dataset is None and not files:
        given["dataset"] = DEFAULT
    training, model = resolve(given)
    data = training.data_set()
    with free_folder(folder, data.name, ranks) as new:
        parts = ranks.after_first(lambda: examples(data, training))
        task = TASKS[data.task]
        vocabularies = JOBS[data.task](training).vocabularies(parts[0], model)
        sizes = dict(zip(task.sides.values(), map(len, vocabularies), strict=True))
        run = Run(new, training, task.config(**sizes, **model), vocabularies, parts, ranks=ranks)
        run.check_ranks()
        if ranks.first:
            new.create(run.config, *vocabularies, training=asdict(run.settings))
        run.save()
        if ranks.first:
            new.complete()
    return run


def resume(folder: AnyPath, **changes) -> Run:
    """Take up a run where its checkpoint left it; `changes` of epochs, patience, average and average_of are kept.

    As many ranks as saved it go on bit for bit. Others are told in `warnings` that dropout's random streams change.

    Raises `InputError` when another setting is to be changed, or a file of the run or its data is not as it was.
    """
    if other := changes.keys() - set(CHANGEABLE):
        changed = f"only {', '.join(CHANGEABLE)} may change, not {', '.join(sorted(other))}"
        raise InputError(f"a run that is resumed keeps its settings: {changed}")
    ranks = world()
    ranks.check_alike(lambda: {"start": "resume"})
    old = RunFolder(named(folder))
    saved = old.training()
    training = replace(saved, **changes)
    vocabularies = old.vocabularies()
    checkpoint = Checkpoint.read(old.checkpoint_path)
    old.check_identity(checkpoint.progress.get("identity"))
    parts = ranks.after_first(lambda: examples(training.data_set(), training))
    run = Run(old, training, old.config(), vocabularies, parts, ranks=ranks)
    progress = checkpoint.restore(run.trainer)
    if checkpoint.ranks != ranks.n:
        count = f"the checkpoint is of {checkpoint.ranks} rank{'s'[: checkpoint.ranks > 1]}, and this is {ranks.n}"
        run.warnings.append(f"{count}: dropout draws from other streams from here on, so numbers will be others")
    run.log = TrainingLog.load(old.log_path, until_step=run.trainer.optimizer.steps)
    if progress.get("log", run.log.checksum()) != run.log.checksum():
        raise InputError(f"{old.log_path} is damaged: its rows are not those that were logged. Bring the old ones back")
    run.cost_of_epochs = progress.get("cost_of_epochs")
    if run.cost_of_epochs is None:  # an older run, which did not count
        done = map(run.trainer.batches.epoch, range(1, run.trainer.epoch))
        run.cost_of_epochs = sum(sum(costs_of(run.config, epoch)) for epoch in done)
    losses = run.log.held_out_losses()
    if training.epochs < min(saved.epochs, len(losses)):
        raise InputError(f"epochs = {training.epochs}: the run has had {len(losses)} already, expected as many or more")
    run.kept.check_enough(losses, run.last_epoch)
    run.check_ranks()
    if ranks.first:
        if training != saved:
            old.change_training(training)
        old.remove_temporaries()
    return run


def load(folder: AnyPath) -> Predictor:
    """Return the Translator, TextClassifier or TextGenerator of a run. Raises `InputError` when a file is missing or damaged."""
    return LEARNT[ModelFolder(named(folder)).task().name].load(folder)


@contextmanager
def free_folder(folder: AnyPath | None, name: str, ranks: Alone) -> Iterator[RunFolder]:
    """Give a new run its folder on all ranks; one made here goes again, still empty, where no run comes of it.

    Raises `InputError` when the folder that was asked for holds a run already.
    """
    path = None
    if ranks.first:
        new = RunFolder.new(name) if folder is None else RunFolder(named(folder))
        new.check_is_free()
        path = os.fspath(new.path)
    path = ranks.from_first(path)
    try:
        yield RunFolder(path)
    except BaseException:
        if folder is None and ranks.first:
            with suppress(OSError):  # something was written into it
                os.removedirs(path)
        raise


def examples(data: DataSet, training: TrainingSettings) -> list[list]:
    """Return what is trained on, and what is held out."""
    return data.load("train", "held_out", direction=training.direction, seed=training.seed)


def named(folder: AnyPath) -> Path:
    """Return the path of a folder. Raises `InputError` for an empty name."""
    if not os.fspath(folder):
        raise InputError("folder = '' is no run folder: expected a name")
    return Path(folder)
