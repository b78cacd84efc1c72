"""A run folder: what a training leaves behind and everything else reads. `run_paths.py` says what lies where in it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, asdict, fields
from pathlib import Path

import numpy as np

from ..base.errors import InputError, MissingExtraError
from ..base.files import make_folder, read_json, write_json
from ..base.tensors import load_tensors, save_tensors
from ..models import Transformer, TransformerConfig
from ..text import AnyVocabulary, SubwordVocabulary, Vocabulary
from .paths import RunPaths


class RunFolder(RunPaths):
    """The files of one run, by name; reading raises `InputError` with one clear line when one is not as it should be.

    >>> RunFolder("no/such/run").config()
    Traceback (most recent call last):
    npformer.base.errors.InputError: no/such/run is no run folder: give the folder that `npformer train` printed
    """

    unwritten: dict | None = None  # what config.json will say

    def create(self, config: TransformerConfig, source: AnyVocabulary, target: AnyVocabulary, training: dict) -> None:
        """Make the folder and write the vocabularies; it is a run only when `complete` has written config.json.

        Raises `InputError` when it holds a run already.
        """
        self.check_is_free()
        make_folder(self.path)
        self.remove_parts()
        self.subwords_path.unlink(missing_ok=True)  # of a beginning that was killed
        if isinstance(source, SubwordVocabulary):
            write_json(self.subwords_path, source.to_json())
        else:
            write_json(self.vocabulary_path("source"), source.to_json())
            write_json(self.vocabulary_path("target"), target.to_json())
        self.unwritten = {"model": asdict(config), "training": training}

    def complete(self) -> None:
        """Write config.json, when all the rest of the run has been written."""
        write_json(self.config_path, self.unwritten)
        self.unwritten = None

    def settings(self, part: str) -> dict:
        """Return a part of config.json: "model" or "training"."""
        if self.unwritten:
            return self.unwritten[part]
        if not self.config_path.is_file():
            raise InputError(f"{self.path} is no run folder: give the folder that `npformer train` printed")
        settings = read_json(self.config_path).get(part)
        if not isinstance(settings, dict):
            raise InputError(f"{self.config_path} is damaged: it has no {part!r} settings")
        return settings

    def config(self) -> TransformerConfig:
        """Return the model's config."""
        settings = self.settings("model")
        known = {field.name: field.default for field in fields(TransformerConfig)}
        required = {name for name, default in known.items() if default is MISSING}
        for problem, names in (("lacks", required - settings.keys()), ("has unknown", settings.keys() - known.keys())):
            if names:
                raise InputError(f"{self.config_path} is damaged: the model {problem} {', '.join(sorted(names))}")
        try:
            return TransformerConfig(**settings)
        except InputError as error:
            raise InputError(f"{self.config_path} is damaged: {error}") from None

    def vocabulary(self, path: Path, kind: type[AnyVocabulary], size: int) -> AnyVocabulary:
        """Return the vocabulary in a file, which must have as many tokens as the model."""
        described = read_json(path)
        try:
            vocabulary = kind.from_json(described)
        except MissingExtraError:
            raise
        except InputError as error:
            raise InputError(f"{path} is damaged: {error}") from None
        if len(vocabulary) != size:
            raise InputError(f"{path} is damaged: it has {len(vocabulary)} tokens, the model's config says {size}")
        return vocabulary

    def vocabularies(self) -> tuple[AnyVocabulary, AnyVocabulary]:
        """Return the source and the target vocabulary; with subwords both are one."""
        config, paths = self.config(), self.vocabulary_paths()
        if paths == [self.subwords_path]:
            subwords = self.vocabulary(self.subwords_path, SubwordVocabulary, config.src_vocab_size)
            return subwords, subwords
        source, target = paths
        return (
            self.vocabulary(source, Vocabulary, config.src_vocab_size),
            self.vocabulary(target, Vocabulary, config.tgt_vocab_size),
        )

    def identity(self) -> str:
        """Return a checksum of what the weights mean nothing without: the model's config and the vocabularies."""
        described = [self.settings("model"), *map(read_json, self.vocabulary_paths())]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def check_identity(self, saved: str | None) -> None:
        """Raise `InputError` unless config and vocabularies are those with which `identity` was saved."""
        if saved != self.identity():
            raise InputError(
                f"{self.path} does not hold together: config.json or a vocabulary is not what the weights were trained "
                "with. Restore the file that was changed, or train again"
            )

    def save_weights(self, weights: dict[str, np.ndarray]) -> None:
        """Write the weights for translating."""
        save_tensors(self.weights_path, weights, {"identity": self.identity(), "epoch": None})

    def save_epoch(self, epoch: int, weights: dict[str, np.ndarray]) -> None:
        """Write the weights after an epoch."""
        make_folder(self.epochs_path)
        save_tensors(self.epoch_path(epoch), weights, {"identity": self.identity(), "epoch": epoch})

    def load_epoch(self, epoch: int) -> dict[str, np.ndarray]:
        """Return the weights after an epoch."""
        return self.load_weights(self.epoch_path(epoch), epoch)

    def load_weights(self, path: Path, epoch: int | None = None) -> dict[str, np.ndarray]:
        """Return the weights in a file of this run: those after an epoch, or those for translating."""
        weights, note = load_tensors(path)
        if "identity" not in note or note.get("epoch", epoch) != epoch:
            what = f"the weights after epoch {epoch}" if epoch else "weights for translating"
            raise InputError(f"{path} is whole, but does not hold {what}: another file took its place, bring it back")
        self.check_identity(note["identity"])
        return weights

    def load_model(self) -> Transformer:
        """Return the trained model, in eval mode."""
        config = self.config()
        weights = self.load_weights(self.weights_path)
        model = Transformer(config, rng=np.random.default_rng(0))
        try:
            model.load_state_dict(weights)
        except InputError as error:
            raise InputError(f"{self.weights_path} does not fit {self.config_path}: {error}") from None
        model.eval()
        return model
