"""A trained model as files: its config, its vocabularies and its weights.

config.json                 the task and the model's config; written last, so it says that a model is there
source_vocabulary.json      the tokens of the source side
target_vocabulary.json      the tokens of the target side
text_vocabulary.json        the tokens of a model with one side
source.spm, target.spm, text.spm   of SentencePieces: what cuts the text, as the library sentencepiece wrote it
subwords.json               of byte pairs, in place of all these: as the library tokenizers writes them
labels.json                 the names of the classes, of a classifier
weights.safetensors         the weights, for using the model
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..module import Module
from ..text import AnyVocabulary, Labels, SubwordVocabulary
from ..text.vocabulary_files import load_vocabulary, save_vocabulary
from ..utils import InputError, check_names, load_tensors, prefix_errors, save_tensors
from ..utils.files import AnyPath, make_folder, read_json, remove_temporaries, write_json
from . import StackConfig

RENAMED = {"reader": "encoder", "recompute": "gradient_checkpointing", "neighbours": "neighbors"}  # since older folders


class ModelFolder:
    """The files of one model, by name; reading raises `InputError` with one clear line when one is not as it should be.

    `predictor` is the class of predictors that the model is for: its `task`, `model_class`, `config_class` and `sides`
    are used. Without it only the task can be read.

    >>> ModelFolder("no/such/run").task_name()
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/run is not a run folder: give the folder that `npformer train` printed
    """

    unwritten: dict | None = None  # the content of config.json, until it is written

    def __init__(self, path: AnyPath, predictor=None):
        self.path, self.predictor = Path(path), predictor
        self.config_path = self.path / "config.json"
        self.subwords_path = self.path / "subwords.json"
        self.weights_path = self.path / "weights.safetensors"

    def vocabulary_path(self, side: str) -> Path:
        """Return the file of a side's vocabulary, such as "source", unless it is of subwords."""
        return self.path / ("labels.json" if side == "label" else f"{side}_vocabulary.json")

    def vocabulary_paths(self) -> list[Path]:
        """Return the file of each side's vocabulary."""
        cut, sides = self.subwords_path.exists(), self.predictor.sides
        return [self.subwords_path if cut and side != "label" else self.vocabulary_path(side) for side in sides]

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            raise InputError(f"{self.path} holds a run already: give another folder")

    def create(self, config: StackConfig, *vocabularies: AnyVocabulary | Labels, **parts: dict) -> None:
        """Make the folder and write each side's vocabulary; it holds a model once `complete` has written config.json.

        `parts` are what config.json says besides the model. Raises `InputError` when the folder holds a run already.
        """
        self.check_is_free()
        make_folder(self.path)
        remove_temporaries(self.path)
        self.subwords_path.unlink(missing_ok=True)  # of a beginning that was killed
        for side, vocabulary in zip(self.predictor.sides, vocabularies, strict=True):
            cut = isinstance(vocabulary, SubwordVocabulary)
            save_vocabulary(self.subwords_path if cut else self.vocabulary_path(side), vocabulary)
        self.unwritten = {"task": self.predictor.task, "model": asdict(config), **parts}

    def complete(self) -> None:
        """Write config.json, when all the rest has been written."""
        write_json(self.config_path, self.unwritten)
        self.unwritten = None

    def content(self) -> dict:
        """Return what config.json says, or will say."""
        if self.unwritten:
            return self.unwritten
        if not self.config_path.is_file():
            raise InputError(f"{self.path} is not a run folder: give the folder that `npformer train` printed")
        return read_json(self.config_path)

    def task_name(self) -> str:
        """Return the name of the model's task; older folders, which do not have it, are of translation."""
        return self.content().get("task", "translation")

    def check_task(self) -> None:
        """Raise `InputError` unless the model is of the predictor's task."""
        if (name := self.task_name()) != self.predictor.task:
            raise InputError(f"{self.path} holds a model of the task {name}: expected one of {self.predictor.task}")

    def settings(self, part: str) -> dict:
        """Return a part of config.json, such as "model"."""
        settings = self.content().get(part)
        if not isinstance(settings, dict):
            raise InputError(f"{self.config_path} is damaged: it has no {part!r} settings")
        return settings

    def described(self, part: str, kind: type):
        """Return a part of config.json as the dataclass of settings that it describes."""
        settings = self.settings(part)
        settings = {RENAMED.get(name, name): value for name, value in settings.items()}
        if settings.get("attention") == "blockwise":
            settings["attention"] = "flash"
        with prefix_errors(f"{self.config_path} is damaged"):
            check_names(kind, settings, f"the {part}")
            return kind(**settings)

    def config(self) -> StackConfig:
        """Return the model's config."""
        return self.described("model", self.predictor.config_class)

    def vocabularies(self) -> tuple:
        """Return each side's vocabulary; with subwords those of source and target are one."""
        config, paths, sizes = self.config(), self.vocabulary_paths(), self.predictor.sides.values()
        found = {}
        for path, size in zip(paths, sizes, strict=True):
            found[path] = found.get(path) or load_vocabulary(path, getattr(config, size))
        return tuple(found[path] for path in paths)

    def identity(self) -> str:
        """Return a checksum of what the weights mean nothing without: the model's config and the vocabularies."""
        described = [self.settings("model"), *map(read_json, dict.fromkeys(self.vocabulary_paths()))]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def check_identity(self, saved: str | None) -> None:
        """Raise `InputError` unless config and vocabularies are those with which `identity` was saved."""
        if saved != self.identity():
            why = "does not hold together: config.json or a vocabulary is not what the weights were trained with"
            raise InputError(f"{self.path} {why}. Restore the file that was changed, or train again")

    def save_weights(self, weights: dict[str, np.ndarray]) -> None:
        """Write the weights for using the model."""
        save_tensors(self.weights_path, weights, {"identity": self.identity(), "epoch": None})

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
