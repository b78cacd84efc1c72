"""A run folder: a trained model as files, and those of its training.

config.json                 task, config and settings of the training; written last, so it says
                            that a run is there
source_vocabulary.json      the tokens of the source side
target_vocabulary.json      the tokens of the target side
text_vocabulary.json        the tokens of a model with one side
source.spm, target.spm, text.spm   of SentencePieces: what cuts the text, as the library
                            sentencepiece wrote it
subwords.json               byte pairs of all sides, in place of all these
labels.json                 the names of the classes, of a classifier
weights.safetensors         the weights, for using the model
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
epochs/0001.safetensors     the weights after an epoch: those of the last and of the best epochs,
                            for averaging
log.csv                     one row per update
curve.png                   a picture of the loss
lock                        empty; locked by the process that trains
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from .. import datasets
from ..models import StackConfig
from ..tasks import TASKS, Predictor
from ..text import (
    BaseVocabulary,
    BPEVocabulary,
    ByteLevelVocabulary,
    IdVocabulary,
    Labels,
    SentencePieceVocabulary,
    Vocabulary,
)
from ..utils import (
    AnyPath,
    InputError,
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
from .lock import Lock
from .settings import TrainingSettings

__all__ = ["RunFolder"]

# what a beginning that was killed may leave
VOCABULARIES = (
    "source_vocabulary.json",
    "target_vocabulary.json",
    "text_vocabulary.json",
    "source.spm",
    "target.spm",
    "text.spm",
    "subwords.json",
    "labels.json",
)
# what training writes, besides the epochs
RESULTS = ("weights.safetensors", "checkpoint.safetensors", "log.csv", "curve.png")
SHIPPED = Path(datasets.__file__).parent / "trained"  # a run folder for each model that ships


class RunFolder:
    """The files of one run, by name.

    Reading raises `InputError` with one clear line when a file is not as it should be.

    Arguments:
        path: the folder, which need not exist.
        predictor: the class of predictors that the run's task has; None: by config.json.

    >>> RunFolder("no/such/run").predictor
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/run is not a run folder: it has no config.json
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
        self.lock_path = self.path / "lock"
        self._draft: dict | None = None  # the content of config.json, until it is written
        self._lock: Lock | None = None
        if predictor is not None:
            self.predictor = predictor

    @classmethod
    def find(cls, name: AnyPath) -> "RunFolder":
        """Return the run in a folder, or the trained model that ships under a name: phrasebook.

        A folder of that name comes first. Raises `InputError` when there is neither.
        """
        if os.path.exists(name):
            return cls(name)
        shipped = sorted(path.name for path in SHIPPED.iterdir())
        if os.fspath(name) in shipped:
            return cls(SHIPPED / name)
        raise InputError(
            f"{name} is not a run folder, nor the name of a model that ships with npformer: "
            f"{', '.join(shipped)}"
        )

    @cached_property
    def predictor(self) -> type[Predictor]:
        """The class of predictors that the run's task has."""
        config = self.read_config()
        if "model_type" in config:
            raise InputError(
                f"{self.path} is a model of Hugging Face, not a run folder: "
                "npformer.interop.load reads it, npformer import makes a run of it"
            )
        name = config.get("task")
        if name not in list(TASKS):
            raise InputError(
                f"{self.config_path} is damaged: its task is {name!r}, "
                f"expected one of {', '.join(TASKS)}"
            )
        return TASKS[name].predictor

    @staticmethod
    def make_new(name: str) -> Path:
        """Make the first of runs/NAME, runs/NAME-2, ... that does not exist; return its path."""
        make_folder("runs")
        # mkdir fails for a folder that another process has just made, a check before it would not
        for number in count(1):
            path = Path("runs", f"{name}-{number}" if number > 1 else name)
            try:
                path.mkdir()
                break
            except FileExistsError:
                continue
            except OSError as error:
                raise InputError(
                    f"cannot make the folder {path}: {error.strerror}: give another one"
                ) from None
        return path

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run, or a file that one would overwrite."""
        self.check_holds_no_run()
        # next to a lock vocabularies are of a beginning that was killed
        names = RESULTS if self.lock_path.exists() else VOCABULARIES + RESULTS
        for name in names:
            if (self.path / name).exists():
                raise InputError(
                    f"{self.path / name} would be overwritten or deleted: "
                    "move it, or give another folder"
                )

    def check_holds_no_run(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            resume = ", or resume this one" if "training" in self.read_config() else ""
            raise InputError(f"{self.path} holds a run already: give another folder{resume}")
        if self.epochs_path.exists():
            raise InputError(
                f"{self.path} holds a run without its config.json: "
                "bring it back, or give another folder"
            )

    def lock(self) -> None:
        """Keep other processes from training this run, until `unlock`.

        Raises `InputError` when another one is training it, or when the folder cannot be written.
        """
        self._lock = Lock.of(self.lock_path)

    def unlock(self) -> None:
        """Let other processes train this run."""
        self._lock = None

    @contextmanager
    def beginning(self, *, is_made: bool) -> Iterator[None]:
        """Make the folder and lock it; remove what was made if the block fails.

        After the block the folder stays locked. Raises `InputError` when it is not free, or
        another process has locked it.

        Arguments:
            is_made: whether `make_new` has made the folder for this run.
        """
        self.check_is_free()
        made = [path for path in (self.path, *self.path.parents) if not path.exists()]
        if is_made:
            made = [self.path, self.path.parent]
        make_folder(self.path)
        has_begun = False
        try:
            self.lock()
            # another process may have begun a run since the first check
            self.check_is_free()
            has_begun = True
            yield
        except BaseException:
            self.unlock()
            # without the lock, what is in the folder may be another process's
            if has_begun:
                self._delete_beginning()
            for path in made:
                with suppress(OSError):  # runs/, where other runs are
                    path.rmdir()
            raise

    def _delete_beginning(self) -> None:
        """Delete what a run writes; the folder may have got other files meanwhile."""
        remove_temporaries(self.path)
        for name in (*VOCABULARIES, *RESULTS, "config.json", "lock"):
            (self.path / name).unlink(missing_ok=True)

    def create(
        self, config: StackConfig, *vocabularies: BaseVocabulary | Labels, **parts: dict
    ) -> None:
        """Make the folder and write the vocabularies; `write_config` completes it later.

        Arguments:
            config: the model's.
            vocabularies: one for each side, or none.
            parts: what config.json says besides the model.

        Raises `InputError` when the folder is not free.
        """
        self.check_is_free()
        make_folder(self.path)
        remove_temporaries(self.path)
        self.subwords_path.unlink(missing_ok=True)  # of a beginning that was killed

        of_text = [each for each in vocabularies if not isinstance(each, Labels)]
        for side, vocabulary in zip(self.predictor.sides, vocabularies, strict=False):
            path = self.vocabulary_path(side)
            if isinstance(vocabulary, BPEVocabulary) and all(v is vocabulary for v in of_text):
                path = self.subwords_path
            write_json(path, vocabulary.to_json())
            if isinstance(vocabulary, SentencePieceVocabulary):
                write_atomic(_spm_path(path), vocabulary.spm)

        self._draft = {"task": self.predictor.task, "model": asdict(config)}
        if not vocabularies:
            self._draft["vocabularies"] = False
        self._draft |= parts

    def write_config(self) -> None:
        """Write config.json, which says that a run is there."""
        write_json(self.config_path, self.read_config())
        self._draft = None

    def read_config(self) -> dict:
        """Return what config.json says, or will say."""
        if self._draft:
            return self._draft
        if not self.config_path.is_file():
            raise InputError(f"{self.path} is not a run folder: it has no config.json")
        return read_json(self.config_path)

    def read_section(self, section: str) -> dict:
        """Return a section of config.json, such as "model"."""
        settings = self.read_config().get(section)
        if not isinstance(settings, dict):
            raise InputError(f"{self.config_path} is damaged: it has no {section!r} settings")
        return settings

    def read_settings(self, section: str, settings_class: Any) -> Any:
        """Return a section of config.json as an object of a class of settings."""
        settings = self.read_section(section)
        with prefix_errors(f"{self.config_path} is damaged"):
            settings_class.check_names(settings, f"the {section}")
            return settings_class(**settings)

    def config(self) -> Any:
        """Return the model's config."""
        return self.read_settings("model", self.predictor.config_class)

    def training(self) -> TrainingSettings:
        """Return the training's settings. Raises `InputError` when they are damaged or missing."""
        if "training" not in self.read_config():
            raise InputError(
                f"{self.path} holds a model that was saved without its training: "
                "there is nothing to resume, and an evaluation needs files"
            )
        return self.read_settings("training", TrainingSettings)

    def has_vocabularies(self) -> bool:
        """Return whether the model was saved with vocabularies, or alone."""
        return self.read_config().get("vocabularies", True)

    def vocabularies(self) -> tuple:
        """Return each side's vocabulary; with subwords those of source and target are one."""
        config = self.config()
        by_path: dict[Path, Any] = {}
        for side, size in self.predictor.sides.items():
            path = self.vocabulary_path(side)
            if path not in by_path:
                by_path[path] = _load_vocabulary(path, getattr(config, size))
        return tuple(by_path[self.vocabulary_path(side)] for side in self.predictor.sides)

    def identity(self) -> str:
        """Return the SHA-256 of the model config and the vocabularies.

        They must match the weights.
        """
        described: list[dict] = [{}]
        config = self.config()
        for name in self.read_section("model"):
            # as the config has it, because a browser that copies config.json writes 0.0 as 0
            described[0][name] = getattr(config, name)

        if self.has_vocabularies():
            paths = [self.vocabulary_path(side) for side in self.predictor.sides]
            for path in dict.fromkeys(paths):
                described.append(read_json(path))
        # sorted, because an edited config.json may have its settings in another order
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def check_identity(self, saved: str | None) -> None:
        """Raise `InputError` unless config and vocabularies match a saved `identity`."""
        if saved != self.identity():
            raise InputError(
                f"{self.path} is inconsistent: config.json or a vocabulary does not match the "
                "weights. Restore the file that was changed, or train again"
            )

    def check_held_out(self, examples: Sequence) -> None:
        """Raise `InputError` unless these are the examples that the run has held out.

        A random part of files that have changed since may be what the run was trained on.
        """
        # a model that ships does not say which they were: they ship too
        if "held_out" not in self.read_config():
            return
        if self.read_section("held_out").get("sha256") != sha256_of(examples):
            raise InputError(
                f"the held-out data are not those of {self.path}: bring back the files that it "
                "was trained with"
            )

    def checkpoint_version(self) -> tuple | None:
        """Return a value that changes whenever a checkpoint is written, None before the first."""
        if not self.checkpoint_path.exists():
            return None
        status = self.checkpoint_path.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def epoch_path(self, epoch: int) -> Path:
        """Return the file of the weights after an epoch."""
        return self.epochs_path / f"{epoch:04d}.safetensors"

    def save_weights(self, weights: dict[str, np.ndarray], *, epoch: int | None = None) -> None:
        """Write the weights for using the model, or those after an epoch."""
        path = self.weights_path if epoch is None else self.epoch_path(epoch)
        make_folder(path.parent)
        save_tensors(path, weights, {"identity": self.identity()})

    def load_weights(self, path: Path) -> dict[str, np.ndarray]:
        """Return the weights in a file of this model."""
        weights, note = load_tensors(path)
        self.check_identity(note.get("identity"))
        return weights

    def load_model(self) -> Any:
        """Return the trained model, in eval mode."""
        config = self.config()
        weights = self.load_weights(self.weights_path)
        model = self.predictor.model_class(config, rng=0)
        with prefix_errors(f"{self.weights_path} does not fit {self.config_path}"):
            model.load_state_dict(weights)
        return model.eval()

    def load(self, task: str | None = None) -> Any:
        """Return the trained model with its vocabularies.

        Raises `InputError` when it is not one of this task.
        """
        if task not in (None, self.predictor.task):
            raise InputError(
                f"{self.path} holds a model of the task {self.predictor.task}: "
                f"expected one of {task}"
            )
        if not self.has_vocabularies():
            raise InputError(
                f"{self.path} holds a model without vocabularies, which cannot read text: "
                f"save a {self.predictor.__name__}, which has them"
            )
        vocabularies = self.vocabularies()  # first, because an error says which one is damaged
        predictor = self.predictor(self.load_model(), *vocabularies)
        for part, settings_class in predictor.parts.items():
            if part in self.read_config():
                setattr(predictor, part, self.read_settings(part, settings_class))
        return predictor

    def vocabulary_path(self, side: str) -> Path:
        """Return the file of the vocabulary of a side, such as "source"."""
        if side == "label":
            return self.path / "labels.json"
        if self.subwords_path.exists():
            return self.subwords_path
        return self.path / f"{side}_vocabulary.json"


def sha256_of(examples: Sequence) -> str:
    """Return the SHA-256 of examples: texts, or tuples of them."""
    return hashlib.sha256(json.dumps(list(examples)).encode()).hexdigest()


def _load_vocabulary(path: Path, size: int) -> Any:
    """Return the vocabulary in a file.

    Raises `InputError` when it is damaged or has not `size` tokens.
    """
    content = read_json(path)
    with prefix_errors(f"{path} is damaged"):
        try:
            vocabulary = _vocabulary_from_json(path, content)
        except KeyError as missing:
            raise InputError(f"it lacks {missing.args[0]}") from None
        if len(vocabulary) != size:
            raise InputError(f"it has {len(vocabulary)} tokens, the model's config says {size}")
    return vocabulary


def _vocabulary_from_json(path: Path, content: dict) -> Any:
    if content.get("tokenizer") == SentencePieceVocabulary.tokenizer:
        return SentencePieceVocabulary.from_json(content, read_bytes(_spm_path(path)))
    if content.get("tokenizer") == ByteLevelVocabulary.tokenizer:
        return ByteLevelVocabulary.from_json(content)
    if content.get("tokenizer") == IdVocabulary.tokenizer:
        return IdVocabulary.from_json(content)
    if path.name == "subwords.json" or content.get("tokenizer") == BPEVocabulary.tokenizer:
        return BPEVocabulary.from_json(content)
    if path.name == "labels.json":
        return Labels.from_json(content)
    return Vocabulary.from_json(content)


def _spm_path(path: Path) -> Path:
    return path.with_name(f"{path.name.removesuffix('_vocabulary.json')}.spm")
