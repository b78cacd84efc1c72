"""Runs from Python: begin one, resume one, load the trained model."""

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..module import Module
from ..tasks import TASKS, Predictor
from ..training import Checkpoint
from ..training.distributed import get_communicator
from ..utils import AnyPath, InputError, remove_temporaries, write_json
from .folder import RunFolder
from .in_memory_data import KINDS
from .recipe import resolve
from .settings import CHANGEABLE, FILES
from .training_log import TrainingLog
from .training_run import Run

DEFAULT = "phrasebook"


def begin(
    dataset: str | None = None,
    *,
    folder: AnyPath | None = None,
    recipe: AnyPath | None = None,
    **settings,
) -> Run:
    """Start a run in a new folder, which is there only if everything fits together.

    It trains on a data set, by default the phrasebook; or on the files `src` and `tgt`, with the held-out `valid_src`
    and `valid_tgt`; or on a file `train` of labeled texts or a file `text`, with the held-out file `valid`; or on a
    list: `pairs` (source, target), `labeled` texts (label, text), or `texts`. `settings` are those of the training
    (`TrainingSettings`) and of the model's config, except the sizes of the vocabularies; they replace the recipe's. The
    folder is by default the first new one of runs/NAME, runs/NAME-2, ... Under mpiexec every rank calls this, and all
    train one model.

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
    communicator = get_communicator()
    settings = {
        "dataset": dataset,
        "recipe": None if recipe is None else os.fspath(recipe),
        **settings,
    }
    files = {name: settings[name] for name in FILES if isinstance(settings.get(name), AnyPath)}
    settings |= {
        name: os.fspath(Path(path).absolute()) for name, path in files.items()
    }  # for a resume elsewhere
    memory = {kind: settings.pop(kind) for kind in KINDS if kind in settings}
    if len(memory) > 1 or (memory and (dataset or files)):
        raise InputError(
            f"{' and '.join(memory)} cannot be trained on with other data: give one of them alone"
        )
    if dataset is None and not files:
        settings["dataset"] = next(iter(memory), DEFAULT)
    training_settings, model_settings = resolve(settings)
    data = training_settings.data_set()
    task = TASKS[data.task]
    path = folder
    if communicator.rank == 0:
        path = RunFolder.make_new(data.name) if folder is None else folder
        RunFolder(path).check_is_free()
    new = RunFolder(communicator.bcast(path), task.predictor)
    try:
        parts = training_settings.load(
            "train", "held_out", examples=memory.get(training_settings.dataset)
        )
        vocabularies = task.build_vocabularies(parts[0], training_settings, model_settings)
        sizes = dict(zip(task.predictor.sides.values(), map(len, vocabularies), strict=True))
        config = task.predictor.config_class(**sizes, **model_settings)
        run = Run(new, training_settings, config, vocabularies, parts)
    except BaseException:
        if folder is None and communicator.rank == 0:
            os.removedirs(new.path)
        raise
    if communicator.rank == 0:
        new.create(config, *vocabularies, training=asdict(training_settings))
    run.save()
    if communicator.rank == 0:
        new.write_config()
    return run


def resume(folder: AnyPath, **changes) -> Run:
    """Continue a run from its checkpoint; `changes` of the settings in `CHANGEABLE` are kept.

    A run on a list needs the same list again: `resume(folder, pairs=...)`.

    It continues bit for bit. Workers times ranks must be as many as saved it.

    Raises `InputError` when another setting is to be changed or was changed in config.json, a file of the run or its
    data has changed, or another process is training the run.
    """
    memory = {kind: changes.pop(kind) for kind in KINDS if kind in changes}
    if other := changes.keys() - set(CHANGEABLE):
        changed = f"only {', '.join(CHANGEABLE)} may change, not {', '.join(sorted(other))}"
        raise InputError(f"a run that is resumed keeps its settings: {changed}")
    communicator, old = get_communicator(), RunFolder(folder)
    saved, vocabularies = old.training(), old.vocabularies()
    if memory.keys() - {saved.dataset}:
        raise InputError(
            f"{old.path} was not trained on {' and '.join(memory)} in memory: leave them out"
        )
    settings = replace(saved, **changes)
    checkpoint = Checkpoint.read(old.checkpoint_path)
    old.check_identity(checkpoint.progress.get("identity"))
    before = checkpoint.progress.get("settings")
    if not isinstance(before, dict):
        raise InputError(f"{old.checkpoint_path} is damaged: its settings are {before!r}")
    for name, value in saved.fixed().items():
        if before.get(name, value) != value:
            difference = f"{old.config_path} says {name} = {value}, but the run was trained with {before[name]}"
            raise InputError(f"{difference}: change it back")
    parts = settings.load("train", "held_out", examples=memory.get(saved.dataset))
    run = Run(old, settings, old.config(), vocabularies, parts)
    checkpoint.restore(run.trainer)
    if before.get("learning_rate", saved.learning_rate) != saved.learning_rate:
        difference = f"{old.config_path} says learning_rate = {saved.learning_rate}"
        was = before["learning_rate"]
        run.warnings.append(
            f"{difference}, not {was} as at the last checkpoint: it counts from here on"
        )
    run.log = TrainingLog.load(old.log_path, until_step=run.trainer.optimizer.steps)
    if run.trainer.epoch != (expected := len(run.log.held_out_losses()) + 1):
        differs = f"{old.checkpoint_path} is of epoch {run.trainer.epoch}, but by {old.log_path} it is {expected}"
        raise InputError(f"{differs}: bring back the files that belong together")
    if communicator.rank == 0:
        with old.locked():
            if settings != saved:
                write_json(old.config_path, old.content() | {"training": asdict(settings)})
            for place in (old.path, old.epochs_path):
                remove_temporaries(place)
    return run


def save(model: Predictor | Module, folder: AnyPath) -> None:
    """Make a run folder of a predictor, or of a model alone, that was trained without one.

    `load` reads both; the command line needs the vocabularies of a predictor.

    Raises `InputError` when the folder holds a run already, or cannot be made.

    >>> import tempfile
    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    >>> folder = f"{tempfile.mkdtemp()}/model"
    >>> save(model, folder)
    >>> load(folder).n_parameters == model.n_parameters
    True
    """
    if isinstance(model, Predictor):
        new, saved, vocabularies = RunFolder(folder, type(model)), model.model, model.vocabularies
        parts = {part: asdict(getattr(model, part)) for part in model.parts}
    else:
        kinds = {task.predictor.model_class: task.predictor for task in TASKS.values()}
        if type(model) not in kinds:
            known = ", ".join(kind.__name__ for kind in kinds)
            raise InputError(
                f"a {type(model).__name__} cannot be saved: expected a predictor, or one of {known}"
            )
        new, saved, vocabularies, parts = RunFolder(folder, kinds[type(model)]), model, (), {}
    new.create(saved.config, *vocabularies, **parts)
    new.save_weights(saved.state_dict())
    new.write_config()


def load(folder: AnyPath) -> Any:
    """Return the Translator, TextClassifier or TextGenerator of a run, or the model that `save` was given alone.

    Raises `InputError` when a file is missing or damaged.
    """
    run = RunFolder(folder)
    return run.load() if run.has_vocabularies() else run.load_model()
