"""What lies where in a run folder.

config.json                 the model's config and the training's settings; written last, so it says that a run is there
source_vocabulary.json      the tokens of the source side, and
target_vocabulary.json      the tokens of the target side, or instead of both
subwords.json               the subwords of both sides, as the library tokenizers writes them
weights.safetensors         the weights, for translating
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
epochs/0001.safetensors     the weights after an epoch: those of the last and of the best epochs, for averaging
log.csv                     a row an update
curve.png, attention.png    the pictures
"""

from __future__ import annotations

import os
from pathlib import Path

from ..base.errors import InputError
from ..base.files import remove_parts


class RunPaths:
    """The files of one run, by name.

    >>> RunPaths("runs/copy").epoch_path(3).as_posix()
    'runs/copy/epochs/0003.safetensors'
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        self.config_path = self.path / "config.json"
        self.subwords_path = self.path / "subwords.json"
        self.weights_path = self.path / "weights.safetensors"
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.epochs_path = self.path / "epochs"
        self.log_path = self.path / "log.csv"
        self.curve_path = self.path / "curve.png"
        self.attention_path = self.path / "attention.png"

    def vocabulary_path(self, side: str) -> Path:
        """Return the file of the "source" or "target" vocabulary."""
        return self.path / f"{side}_vocabulary.json"

    def epoch_path(self, epoch: int) -> Path:
        """Return the file of the weights after an epoch."""
        return self.epochs_path / f"{epoch:04d}.safetensors"

    def vocabulary_paths(self) -> list[Path]:
        """Return the files that hold the vocabularies. Raises `InputError` when there is none."""
        both = [self.vocabulary_path(side) for side in ("source", "target")]
        if not any(path.exists() for path in (self.subwords_path, *both)):
            raise InputError(
                f"{self.path} has lost its vocabularies: bring back subwords.json, or source_vocabulary.json and "
                "target_vocabulary.json, whichever it had"
            )
        return [self.subwords_path] if self.subwords_path.exists() else both

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            raise InputError(
                f"{self.path} holds a run already: give another folder, or go on with --resume {self.path}"
            )
        if self.epochs_path.exists():
            raise InputError(
                f"{self.path} holds a run without its config.json: bring that back, or give another folder"
            )

    def remove_parts(self) -> None:
        """Delete what a process that was killed in the middle of a write left behind."""
        for folder in (self.path, self.epochs_path):
            remove_parts(folder)
