"""A run folder: a trained model as files, and those of its training.

config.json                 task, config and settings of the training; written last, so it says that a run is there
source_vocabulary.json      the tokens of the source side
target_vocabulary.json      the tokens of the target side
text_vocabulary.json        the tokens of a model with one side
source.spm, target.spm, text.spm   of SentencePieces: what cuts the text, as the library sentencepiece wrote it
subwords.json               of byte pairs, in place of all these: the merges
labels.json                 the names of the classes, of a classifier
weights.safetensors         the weights, for using the model
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
epochs/0001.safetensors     the weights after an epoch: those of the last and of the best epochs, for averaging
log.csv                     one row per update
curve.png                   a picture of the loss
lock                        empty; locked by the process that trains
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from ..models import StackConfig
from ..module import Module
from ..tasks import TASKS, Predictor
from ..text import AnyVocabulary, Labels, SentencePieceVocabulary, SubwordVocabulary, Vocabulary
from ..utils import (
    AnyPath,
    InputError,
    check_names,
    load_tensors,
    make_folder,
    prefix_errors,
    read_json,
    remove_temporaries,
    save_tensors,
    write_atomic,
    write_json,
)
from ..utils.files import read_bytes
from .settings import TrainingSettings

try:
    from fcntl import LOCK_EX, LOCK_NB, lockf
except ImportError:  # on Windows and in the browser, where nothing is locked
    lockf = None


class RunFolder:
    """The files of one run, by name; reading raises `InputError` with one clear line when one is not as it should be.

    `predictor` is the class of predictors that the run's task has: by config.json, unless it is given.

    >>> RunFolder("no/such/run").predictor
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/run is not a run folder: give the folder that `npformer train` printed
    """

    def __init__(self, path: AnyPath, predictor: type[Predictor] | None = None):
        self.path = Path(path)
        self.config_path = self.path / "config.json"
        self.subwords_path = self.path / "subwords.json"
        self.weights_path = self.path / "weights.safetensors"
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.epochs_path = self.path / "epochs"
        self.log_path = self.path / "log.csv"
        self.curve_path = self.path / "curve.png"
        self._draft: dict | None = None  # the content of config.json, until it is written
        if predictor is not None:
            self.predictor = predictor

    @cached_property
    def predictor(self) -> type[Predictor]:
        """The class of predictors that the run's task has."""
        name = self.content().get("task")
        if name not in list(TASKS):
            raise InputError(
                f"{self.config_path} is damaged: its task is {name!r}, expected one of {', '.join(TASKS)}"
            )
        return TASKS[name].predictor

    @staticmethod
    def make_new(name: str) -> Path:
        """Make the first of the folders runs/NAME, runs/NAME-2, ... that does not exist, and return its path."""
        for number in count(1):
            path = Path("runs", f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):
                path.mkdir(parents=True)
                return path

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            resume = f", or --resume {self.path}" if "training" in self.content() else ""
            raise InputError(f"{self.path} holds a run already: give another folder{resume}")
        if self.epochs_path.exists():
            raise InputError(
                f"{self.path} holds a run without its config.json: bring it back, or give another folder"
            )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from training this run within a block. Raises `InputError` when one is training it."""
        with open(self.path / "lock", "w") as file:
            try:
                if lockf is not None:
                    lockf(file, LOCK_EX | LOCK_NB)
            except (BlockingIOError, PermissionError):
                raise InputError(
                    f"{self.path} is being trained by another process: wait for it, or end it"
                ) from None
            yield

    def create(
        self, config: StackConfig, *vocabularies: AnyVocabulary | Labels, **parts: dict
    ) -> None:
        """Make the folder and write the vocabularies, if any; when the rest is written, `write_config` completes it.

        `parts` are what config.json says besides the model. Raises `InputError` when the folder holds a run already.
        """
        self.check_is_free()
        make_folder(self.path)
        remove_temporaries(self.path)
        self.subwords_path.unlink(missing_ok=True)  # of a beginning that was killed
        for side, vocabulary in zip(self.predictor.sides, vocabularies, strict=False):
            cut = isinstance(vocabulary, SubwordVocabulary)
            _save_vocabulary(self.subwords_path if cut else self.vocabulary_path(side), vocabulary)
        bare = {} if vocabularies else {"vocabularies": False}
        self._draft = {"task": self.predictor.task, "model": asdict(config), **bare, **parts}

    def write_config(self) -> None:
        """Write config.json, which says that a run is there."""
        write_json(self.config_path, self._draft)
        self._draft = None

    def content(self) -> dict:
        """Return what config.json says, or will say."""
        if self._draft:
            return self._draft
        if not self.config_path.is_file():
            raise InputError(
                f"{self.path} is not a run folder: give the folder that `npformer train` printed"
            )
        return read_json(self.config_path)

    def described(self, part: str, kind: type) -> Any:
        """Return a part of config.json as the dataclass of settings that it describes."""
        settings = self.settings(part)
        with prefix_errors(f"{self.config_path} is damaged"):
            check_names(kind, settings, f"the {part}")
            return kind(**settings)

    def config(self) -> StackConfig:
        """Return the model's config."""
        return self.described("model", self.predictor.config_class)

    def training(self) -> TrainingSettings:
        """Return the training's settings. Raises `InputError` when they are damaged or missing."""
        if "training" not in self.content():
            lacks = "there is nothing to resume, and an evaluation needs files"
            raise InputError(
                f"{self.path} holds a model that was saved without its training: {lacks}"
            )
        return self.described("training", TrainingSettings)

    def has_vocabularies(self) -> bool:
        """Return whether the model was saved with vocabularies, or alone."""
        return self.content().get("vocabularies", True)

    def vocabularies(self) -> tuple:
        """Return each side's vocabulary; with subwords those of source and target are one."""
        config, sides = self.config(), self.predictor.sides
        sizes = {self.vocabulary_path(side): getattr(config, size) for side, size in sides.items()}
        vocabularies = {path: _load_vocabulary(path, size) for path, size in sizes.items()}
        return tuple(vocabularies[self.vocabulary_path(side)] for side in sides)

    def identity(self) -> str:
        """Return a checksum of what the weights mean nothing without: the model's config and the vocabularies."""
        paths = map(self.vocabulary_path, self.predictor.sides if self.has_vocabularies() else ())
        config, own = self.config(), self.settings("model").items()
        # as the config has them, because a browser that copies config.json writes 0.0 as 0
        model = {
            name: getattr(config, name) if getattr(config, name, ...) == x else x for name, x in own
        }
        described = [model, *map(read_json, dict.fromkeys(paths))]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def check_identity(self, saved: str | None) -> None:
        """Raise `InputError` unless config and vocabularies are those with which `identity` was saved."""
        if saved != self.identity():
            why = "does not hold together: config.json or a vocabulary is not what the weights were trained with"
            raise InputError(
                f"{self.path} {why}. Restore the file that was changed, or train again"
            )

    def epoch_path(self, epoch: int) -> Path:
        """Return the file of the weights after an epoch."""
        return self.epochs_path / f"{epoch:04d}.safetensors"

    def save_weights(self, weights: dict[str, np.ndarray], *, epoch: int | None = None) -> None:
        """Write the weights for using the model, or those after an epoch."""
        path = self.weights_path if epoch is None else self.epoch_path(epoch)
        make_folder(path.parent)
        save_tensors(path, weights, {"identity": self.identity(), "epoch": epoch})

    def load_weights(self, path: Path) -> dict[str, np.ndarray]:
        """Return the weights in a file of this model."""
        weights, note = load_tensors(path)
        self.check_identity(note.get("identity"))
        return weights

    def load_model(self) -> Module:
        """Return the trained model, in eval mode."""
        config = self.config()
        weights = self.load_weights(self.weights_path)
        model = self.predictor.model_class(config, rng=0)
        with prefix_errors(f"{self.weights_path} does not fit {self.config_path}"):
            model.load_state_dict(weights)
        return model.eval()

    def load(self, task: str | None = None) -> Predictor:
        """Return the trained model with its vocabularies. Raises `InputError` when it is not one of this task."""
        if task not in (None, self.predictor.task):
            raise InputError(
                f"{self.path} holds a model of the task {self.predictor.task}: expected one of {task}"
            )
        if not self.has_vocabularies():
            saved = f"save a {self.predictor.__name__}, which has them"
            raise InputError(
                f"{self.path} holds a model without vocabularies, which cannot read text: {saved}"
            )
        vocabularies = self.vocabularies()  # first, because an error says which one is damaged
        predictor = self.predictor(self.load_model(), *vocabularies)
        for part, kind in predictor.parts.items():
            if part in self.content():
                setattr(predictor, part, self.described(part, kind))
        return predictor

    def settings(self, part: str) -> dict:
        """Return a part of config.json, such as "model"."""
        settings = self.content().get(part)
        if not isinstance(settings, dict):
            raise InputError(f"{self.config_path} is damaged: it has no {part!r} settings")
        return settings

    def vocabulary_path(self, side: str) -> Path:
        """Return the file of the vocabulary of a side, such as "source"."""
        if side == "label":
            return self.path / "labels.json"
        return (
            self.subwords_path
            if self.subwords_path.exists()
            else self.path / f"{side}_vocabulary.json"
        )


def _save_vocabulary(path: Path, vocabulary) -> None:
    """Write a vocabulary, or the names of classes."""
    write_json(path, vocabulary.to_json())
    if isinstance(vocabulary, SentencePieceVocabulary):
        write_atomic(_spm_path(path), vocabulary.spm)


def _load_vocabulary(path: Path, size: int):
    """Return the vocabulary in a file. Raises `InputError` when it is damaged or has not `size` tokens."""
    kind = {"subwords.json": SubwordVocabulary, "labels.json": Labels}.get(path.name, Vocabulary)
    content = read_json(path)
    with prefix_errors(f"{path} is damaged"):
        try:
            if content.get("unit") == SentencePieceVocabulary.unit:
                vocabulary = SentencePieceVocabulary.from_json(content, read_bytes(_spm_path(path)))
            else:
                vocabulary = kind.from_json(content)
        except KeyError as missing:
            raise InputError(f"it lacks {missing.args[0]}") from None
        if len(vocabulary) != size:
            raise InputError(f"it has {len(vocabulary)} tokens, the model's config says {size}")
    return vocabulary


def _spm_path(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix('_vocabulary.json')}.spm")
