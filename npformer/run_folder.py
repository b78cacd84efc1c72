"""A run folder: what a training leaves behind and everything else reads.

config.json                 the model's config and the training's settings
source_vocabulary.json      the tokens of the source side
target_vocabulary.json      the tokens of the target side
weights.safetensors         the weights, for translating
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
log.csv                     a row an update
curve.png, attention.png    the pictures
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import MISSING, asdict, fields
from pathlib import Path

import numpy as np

from .errors import InputError
from .files import make_folder, read_json, write_json
from .model import Transformer, TransformerConfig
from .tensors import load_tensors, save_tensors
from .text import Vocabulary


class RunFolder:
    """The files of one run, by name; reading raises `InputError` with one clear line when one is not as it should be.

    >>> RunFolder("no/such/run").config()
    Traceback (most recent call last):
    npformer.errors.InputError: no/such/run is no run folder: give the folder that `npformer train` printed
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        self.config_path = self.path / "config.json"
        self.weights_path = self.path / "weights.safetensors"
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.log_path = self.path / "log.csv"
        self.curve_path = self.path / "curve.png"
        self.attention_path = self.path / "attention.png"

    def vocabulary_path(self, side: str) -> Path:
        """Return the file of the "source" or "target" vocabulary."""
        return self.path / f"{side}_vocabulary.json"

    def create(self, config: TransformerConfig, source: Vocabulary, target: Vocabulary, training: dict) -> None:
        """Make the folder and write down what the run is. Raises `InputError` when it holds a run already."""
        self.check_is_free()
        make_folder(self.path)
        write_json(self.vocabulary_path("source"), source.to_json())
        write_json(self.vocabulary_path("target"), target.to_json())
        write_json(self.config_path, {"model": asdict(config), "training": training})

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            raise InputError(
                f"{self.path} holds a run already: give another folder, or go on with --resume {self.path}"
            )

    def settings(self, part: str) -> dict:
        """Return a part of config.json: "model" or "training"."""
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

    def vocabulary(self, side: str, size: int) -> Vocabulary:
        """Return the "source" or "target" vocabulary, which must have as many tokens as the model."""
        path = self.vocabulary_path(side)
        described = read_json(path)
        try:
            vocabulary = Vocabulary.from_json(described)
        except InputError as error:
            raise InputError(f"{path} is damaged: {error}") from None
        if len(vocabulary) != size:
            raise InputError(f"{path} is damaged: it has {len(vocabulary)} tokens, the model's config says {size}")
        return vocabulary

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Return the source and the target vocabulary."""
        config = self.config()
        return self.vocabulary("source", config.src_vocab_size), self.vocabulary("target", config.tgt_vocab_size)

    def identity(self) -> str:
        """Return a checksum of what the weights mean nothing without: the model's config and both vocabularies."""
        described = [self.settings("model"), *(read_json(self.vocabulary_path(side)) for side in ("source", "target"))]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def check_identity(self, saved: str | None) -> None:
        """Raise `InputError` unless config and vocabularies are those with which `identity` was saved."""
        if saved != self.identity():
            raise InputError(
                f"{self.path} does not hold together: config.json or a vocabulary is not what the weights were trained "
                "with. Restore the file that was changed, or train again"
            )

    def save_weights(self, model: Transformer) -> None:
        """Write the weights for translating."""
        save_tensors(self.weights_path, model.state_dict(), {"identity": self.identity()})

    def load_model(self) -> Transformer:
        """Return the trained model, in eval mode."""
        config = self.config()
        weights, note = load_tensors(self.weights_path)
        self.check_identity(note.get("identity"))
        model = Transformer(config, rng=np.random.default_rng(0))
        try:
            model.load_state_dict(weights)
        except InputError as error:
            raise InputError(f"{self.weights_path} does not fit {self.config_path}: {error}") from None
        model.eval()
        return model
