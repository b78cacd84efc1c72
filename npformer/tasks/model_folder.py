"""A trained model as files: its config, its vocabularies and its weights.

config.json                 the model's config; written last, so it says that a model is there
source_vocabulary.json      the tokens of the source side, and
target_vocabulary.json      the tokens of the target side, or instead of both
subwords.json               the subwords of both sides, as the library tokenizers writes them
weights.safetensors         the weights, for translating
"""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..base import InputError, blamed, check_names, load_tensors, save_tensors
from ..base.files import AnyPath, make_folder, read_json, remove_parts, write_json
from ..models import Transformer, TransformerConfig
from ..text import AnyVocabulary, SubwordVocabulary, Vocabulary


class ModelFolder:
    """The files of one model, by name; reading raises `InputError` with one clear line when one is not as it should be.

    >>> ModelFolder("no/such/run").config()
    Traceback (most recent call last):
    npformer.base.errors.InputError: no/such/run is no run folder: give the folder that `npformer train` printed
    """

    unwritten: dict | None = None  # what config.json will say

    def __init__(self, path: AnyPath):
        self.path = Path(path)
        self.config_path = self.path / "config.json"
        self.subwords_path = self.path / "subwords.json"
        self.weights_path = self.path / "weights.safetensors"

    def vocabulary_path(self, side: str) -> Path:
        """Return the file of the "source" or "target" vocabulary."""
        return self.path / f"{side}_vocabulary.json"

    def vocabulary_paths(self) -> list[Path]:
        """Return the files that hold the vocabularies. Raises `InputError` when there is none."""
        both = [self.vocabulary_path(side) for side in ("source", "target")]
        if not any(path.exists() for path in (self.subwords_path, *both)):
            files = "subwords.json, or source_vocabulary.json and target_vocabulary.json"
            raise InputError(f"{self.path} has lost its vocabularies: bring back {files}, whichever it had")
        return [self.subwords_path] if self.subwords_path.exists() else both

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            raise InputError(f"{self.path} holds a run already: give another folder, or --resume {self.path}")

    def create(self, config: TransformerConfig, source: AnyVocabulary, target: AnyVocabulary, **parts: dict) -> None:
        """Make the folder and write the vocabularies; it holds a model only when `complete` has written config.json.

        `parts` are what config.json says besides the model. Raises `InputError` when the folder holds a run already.
        """
        self.check_is_free()
        make_folder(self.path)
        remove_parts(self.path)
        self.subwords_path.unlink(missing_ok=True)  # of a beginning that was killed
        if isinstance(source, SubwordVocabulary):
            write_json(self.subwords_path, source.to_json())
        else:
            write_json(self.vocabulary_path("source"), source.to_json())
            write_json(self.vocabulary_path("target"), target.to_json())
        self.unwritten = {"model": asdict(config), **parts}

    def complete(self) -> None:
        """Write config.json, when all the rest has been written."""
        write_json(self.config_path, self.unwritten)
        self.unwritten = None

    def settings(self, part: str) -> dict:
        """Return a part of config.json, such as "model"."""
        if self.unwritten:
            return self.unwritten[part]
        if not self.config_path.is_file():
            raise InputError(f"{self.path} is no run folder: give the folder that `npformer train` printed")
        settings = read_json(self.config_path).get(part)
        if not isinstance(settings, dict):
            raise InputError(f"{self.config_path} is damaged: it has no {part!r} settings")
        return settings

    def described(self, part: str, kind: type):
        """Return a part of config.json as the dataclass of settings that it describes."""
        settings = self.settings(part)
        with blamed(f"{self.config_path} is damaged"):
            check_names(kind, settings, f"the {part}")
            return kind(**settings)

    def config(self) -> TransformerConfig:
        """Return the model's config."""
        return self.described("model", TransformerConfig)

    def vocabulary(self, path: Path, kind: type[AnyVocabulary], size: int) -> AnyVocabulary:
        """Return the vocabulary in a file, which must have as many tokens as the model."""
        described = read_json(path)
        with blamed(f"{path} is damaged"):
            vocabulary = kind.from_json(described)
            if len(vocabulary) != size:
                raise InputError(f"it has {len(vocabulary)} tokens, the model's config says {size}")
        return vocabulary

    def vocabularies(self) -> tuple[AnyVocabulary, AnyVocabulary]:
        """Return the source and the target vocabulary; with subwords both are one."""
        config, paths = self.config(), self.vocabulary_paths()
        kind = SubwordVocabulary if paths == [self.subwords_path] else Vocabulary
        sizes = config.src_vocab_size, config.tgt_vocab_size
        found = [self.vocabulary(path, kind, size) for path, size in zip(paths, sizes, strict=False)]
        return found[0], found[-1]

    def identity(self) -> str:
        """Return a checksum of what the weights mean nothing without: the model's config and the vocabularies."""
        described = [self.settings("model"), *map(read_json, self.vocabulary_paths())]
        return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()

    def check_identity(self, saved: str | None) -> None:
        """Raise `InputError` unless config and vocabularies are those with which `identity` was saved."""
        if saved != self.identity():
            why = "does not hold together: config.json or a vocabulary is not what the weights were trained with"
            raise InputError(f"{self.path} {why}. Restore the file that was changed, or train again")

    def save_weights(self, weights: dict[str, np.ndarray]) -> None:
        """Write the weights for translating."""
        save_tensors(self.weights_path, weights, {"identity": self.identity(), "epoch": None})

    def load_weights(self, path: Path, epoch: int | None = None) -> dict[str, np.ndarray]:
        """Return the weights in a file of this model: those after an epoch, or those for translating."""
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
        model = Transformer(config, rng=0)
        with blamed(f"{self.weights_path} does not fit {self.config_path}"):
            model.load_state_dict(weights)
        return model.eval()
