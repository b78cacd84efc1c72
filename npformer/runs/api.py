"""Runs from Python: begin one, resume one, save and load a trained model."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..backend import to_host
from ..datasets import LabeledText, SentencePair
from ..models.check_config import check_is_of_its_config
from ..module import Module
from ..tasks import TASKS, Predictor
from ..training import Checkpoint
from ..training.distributed import get_communicator
from ..utils import AnyPath, InputError, prefix_errors, remove_temporaries, write_json
from .folder import RunFolder, sha256_of
from .recipe import merge_settings
from .settings import DataSettings, TrainingSettings
from .training_log import TrainingLog
from .training_run import Run

__all__ = ["begin", "load", "resume", "save"]

DEFAULT = "phrasebook"

Pairs = Sequence[tuple[str, str] | SentencePair]
Labeled = Sequence[tuple[str, str] | LabeledText]


def begin(
    dataset: str | None = None,
    *,
    folder: AnyPath | None = None,
    recipe: AnyPath | None = None,
    pairs: Pairs | None = None,
    labeled: Labeled | None = None,
    texts: Sequence[str] | None = None,
    **settings: Any,
) -> Run:
    """Create a run in a new folder.

    Nothing is left behind if a setting, a file or the data cannot be used. Under mpiexec every rank
    calls this, and all train one model.

    Arguments:
        dataset: what to train on, by default the phrasebook; or give files among the settings, or
            one of the lists below.
        folder: the run folder; by default the first new one of runs/NAME, runs/NAME-2, ...
        recipe: a name or a .json file; by default the one for the data.
        pairs: a list of (source, target).
        labeled: a list of (label, text).
        texts: a list of texts to learn to continue.
        settings: those of the training (`TrainingSettings`), and of the model's config except the
            sizes of the vocabularies; they replace the recipe's.

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
    # as text, because config.json has it
    if recipe is not None:
        settings["recipe"] = os.fspath(recipe)
    lists = _given(pairs, labeled, texts)
    _add_data(settings, dataset, lists)
    training, model_settings = merge_settings(settings)
    data = training.data_set()
    task = TASKS[data.task]

    # rank 0 alone chooses and makes the folder, and tells the other ranks
    communicator = get_communicator()
    is_first = communicator.rank == 0
    path = folder
    if is_first and folder is None:
        path = RunFolder.make_new(data.name)
    new = RunFolder(communicator.bcast(path), task.predictor)
    beginning: AbstractContextManager[None] = nullcontext()
    if is_first:
        beginning = new.beginning(is_made=folder is None)
    with beginning:
        train, held_out = training.load(
            "train", "held_out", examples=lists.get(training.dataset or "")
        )
        vocabularies = task.build_vocabularies(train, training, model_settings)
        sizes = [len(vocabulary) for vocabulary in vocabularies]
        for name, size in zip(task.predictor.sides.values(), sizes, strict=True):
            model_settings[name] = size
        config = task.predictor.config_class(**model_settings)
        run = Run(new, training, config, vocabularies, train, held_out)

        # config.json comes last: it says that a run is there
        if is_first:
            new.create(
                config,
                *vocabularies,
                training=asdict(training),
                held_out={"sha256": sha256_of(held_out)},
            )
        run.save()
        if is_first:
            new.write_config()
    return run


def resume(
    folder: AnyPath,
    *,
    pairs: Pairs | None = None,
    labeled: Labeled | None = None,
    texts: Sequence[str] | None = None,
    **changes: Any,
) -> Run:
    """Continue a run from its checkpoint, bit for bit.

    Workers times ranks must be as many as saved it.

    Arguments:
        folder: the run folder.
        pairs, labeled, texts: the list that the run was trained on, if it was one.
        changes: settings that may change, such as `epochs`; they are kept.

    Raises `InputError` when another setting is to be changed or was changed in config.json, a file
    of the run or its data has changed, an epoch to average is gone, or another process is training
    the run. What is refused changes no file.
    """
    may_change = [name for name, known in TrainingSettings.options().items() if known.may_change]
    other = sorted(changes.keys() - set(may_change))
    if other:
        raise InputError(
            f"a run that is resumed keeps its settings: only {', '.join(may_change)} may change, "
            f"not {', '.join(other)}"
        )

    old = RunFolder(folder)
    old.training()  # without a training there is nothing to lock
    had_lock = old.lock_path.exists()
    try:
        if get_communicator().rank == 0:
            old.lock()
        return _resume_locked(old, _given(pairs, labeled, texts), changes)
    except BaseException:
        old.unlock()
        # the folder of a run that is refused stays as it was
        if not had_lock:
            old.lock_path.unlink(missing_ok=True)
        raise


def _resume_locked(old: RunFolder, lists: dict[str, Sequence], changes: dict[str, Any]) -> Run:
    """Continue a run whose folder no other process can change."""
    saved = old.training()
    vocabularies = old.vocabularies()
    if lists.keys() - {saved.dataset}:
        raise InputError(
            f"{old.path} was not trained on {' and '.join(lists)} in memory: remove the argument"
        )
    settings = replace(saved, **changes)

    # before data are read, which takes longest, what is on the disk must fit together
    checkpoint = Checkpoint.read(old.checkpoint_path)
    old.check_identity(checkpoint.progress.get("identity"))
    before = _settings_of_checkpoint(old, checkpoint, saved)
    examples = lists.get(saved.dataset or "")
    # files that were moved can be named anew there
    with prefix_errors(f"the data that {old.config_path} names"):
        train, held_out = settings.load("train", "held_out", examples=examples)
    run = Run(old, settings, old.config(), vocabularies, train, held_out)
    checkpoint.restore(run.trainer)
    old.check_held_out(held_out)
    if before.get("learning_rate", saved.learning_rate) != saved.learning_rate:
        run.warnings.append(
            f"{old.config_path} says learning_rate = {saved.learning_rate}, not "
            f"{before['learning_rate']} as at the last checkpoint: it counts from here on"
        )

    run.log = TrainingLog.load(old.log_path, until_step=run.trainer.optimizer.steps)
    epoch = len(run.log.held_out_losses()) + 1
    if run.trainer.epoch != epoch:
        raise InputError(
            f"{old.checkpoint_path} is of epoch {run.trainer.epoch}, but by {old.log_path} it is "
            f"{epoch}: bring back the files that belong together"
        )

    # only now, because the folder of a run that is refused stays as it was
    if get_communicator().rank == 0:
        run.check_average()
        if settings != saved:
            write_json(old.config_path, old.read_config() | {"training": asdict(settings)})
        remove_temporaries(old.path)
        remove_temporaries(old.epochs_path)
    return run


def save(model: Predictor | Module, folder: AnyPath) -> None:
    """Make a run folder of a predictor, or of a model alone, that was trained without one.

    `load` reads both; the command line needs the vocabularies of a predictor.

    Arguments:
        model: a Translator, TextClassifier, TextGenerator, or the model of one.
        folder: the folder to make.

    Raises `InputError` when the folder cannot be made, or holds a run already or a file that would
    be overwritten. `load` makes the model from npformer's own classes and its config, so a model
    with another class, or with a layer or setting that its config does not say, is refused too.

    >>> import tempfile
    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    >>> folder = f"{tempfile.mkdtemp()}/model"
    >>> save(model, folder)
    >>> load(folder).n_parameters == model.n_parameters
    True
    """
    config: Any = getattr(model, "config", None)
    if isinstance(model, Predictor):
        _check_classes(model, *model.vocabularies, *model.model.modules())
        # raises `InputError` for a vocabulary that was exchanged since, and has another size
        type(model)(model.model, *model.vocabularies)
        check_is_of_its_config(model.model)
        new = RunFolder(folder, type(model))
        parts = {part: asdict(getattr(model, part)) for part in model.parts}
        new.create(model.model.config, *model.vocabularies, **parts)
        new.save_weights(_weights_of(model.model))
        new.write_config()
        return

    predictors = {task.predictor.model_class: task.predictor for task in TASKS.values()}
    if type(model) not in predictors:
        known = ", ".join(model_class.__name__ for model_class in predictors)
        raise InputError(
            f"a {type(model).__name__} cannot be saved: expected a predictor, or one of {known}"
        )
    _check_classes(*model.modules())
    check_is_of_its_config(model)
    new = RunFolder(folder, predictors[type(model)])
    new.create(config)
    new.save_weights(_weights_of(model))
    new.write_config()


def _weights_of(model: Module) -> dict[str, np.ndarray]:
    """Return the weights by name, not copied as by `state_dict`: a model can be large."""
    return {name: to_host(parameter.data) for name, parameter in model.named_parameters()}


def load(folder: AnyPath) -> Any:
    """Return the Translator, TextClassifier or TextGenerator of a run folder.

    Of a model that was saved alone, the model is returned. "phrasebook" is the translator that
    ships with npformer, unless there is a folder of this name.

    Raises `InputError` when a file is missing or damaged.

    >>> load("phrasebook").translate(["The dog sleeps."])
    ['Der Hund schläft.']
    """
    run = RunFolder.find(folder)
    return run.load() if run.has_vocabularies() else run.load_model()


def _check_classes(*parts: object) -> None:
    """Raise `InputError` for a class of one's own: `load` would make npformer's in its place."""
    for part in parts:
        if not type(part).__module__.startswith("npformer."):
            raise InputError(
                f"a {type(part).__name__} cannot be saved: load makes objects of npformer's own "
                "classes. Save the weights, model.state_dict(), in a file of your own"
            )


def _given(
    pairs: Pairs | None, labeled: Labeled | None, texts: Sequence[str] | None
) -> dict[str, Sequence]:
    """Return the lists that were given, by name."""
    lists = {"pairs": pairs, "labeled": labeled, "texts": texts}
    return {name: examples for name, examples in lists.items() if examples is not None}


def _add_data(settings: dict, dataset: str | None, lists: dict[str, Sequence]) -> None:
    """Add to settings what they train on: a data set, a list, or the files that they name."""
    files = []
    for name in DataSettings.options():
        if name not in ("direction", "recipe") and settings.get(name) is not None:
            files.append(name)
    if len(lists) > 1 or (lists and (dataset is not None or files)):
        raise InputError(
            f"{' and '.join(lists)} cannot be trained on with other data: give one of them alone"
        )

    # absolute, so that the run can be resumed from another folder
    for name in files:
        if isinstance(settings[name], AnyPath):
            settings[name] = os.fspath(Path(settings[name]).absolute())

    if dataset is None and not files:
        dataset = next(iter(lists), DEFAULT)
    if dataset is not None:
        settings["dataset"] = dataset


def _settings_of_checkpoint(
    folder: RunFolder, checkpoint: Checkpoint, saved: TrainingSettings
) -> dict:
    """Return the settings at the last checkpoint. Raises `InputError` if config.json has others."""
    before = checkpoint.progress.get("settings")
    if not isinstance(before, dict):
        raise InputError(f"{folder.checkpoint_path} is damaged: its settings are {before!r}")
    for name, value in saved.fixed().items():
        if before.get(name, value) != value:
            raise InputError(
                f"{folder.config_path} says {name} = {value}, but the run was trained with "
                f"{before[name]}: change it back"
            )
    return before
