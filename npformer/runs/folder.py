"""A run folder: what a training leaves behind and everything else reads.

Besides the model's files, which tasks/model_folder.py names, there are

config.json                 the training's settings too
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
epochs/0001.safetensors     the weights after an epoch: those of the last and of the best epochs, for averaging
log.csv                     a row an update
curve.png                   a picture of the loss
attention.png               of attention, where the model translates, or
confusion.png               of which classes are taken for which
"""

from contextlib import suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path

import numpy as np

from ..models.model_folder import ModelFolder
from ..utils import AnyPath, InputError, make_folder, read_json, remove_temporaries, save_tensors, write_json
from .settings import TrainingSettings


class RunFolder(ModelFolder):
    """The files of one run, by name; reading raises `InputError` with one clear line when one is not as it should be.

    >>> RunFolder("runs/copy").epoch_path(3).as_posix()
    'runs/copy/epochs/0003.safetensors'
    """

    def __init__(self, path: AnyPath):
        super().__init__(path)
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.epochs_path = self.path / "epochs"
        self.log_path = self.path / "log.csv"
        self.curve_path = self.path / "curve.png"
        self.attention_path = self.path / "attention.png"
        self.confusion_path = self.path / "confusion.png"

    @classmethod
    def new(cls, name: str) -> "RunFolder":
        """Make the first of runs/NAME, runs/NAME-2, ... that does not exist, so that no other run takes it too."""
        for number in count(1):
            path = Path("runs") / (f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):
                make_folder(path, anew=True)
                return cls(path)

    def epoch_path(self, epoch: int) -> Path:
        """Return the file of the weights after an epoch."""
        return self.epochs_path / f"{epoch:04d}.safetensors"

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            raise InputError(f"{self.path} holds a run already: give another folder, or --resume {self.path}")
        if self.epochs_path.exists():
            raise InputError(f"{self.path} holds a run without its config.json: bring it back, or give another folder")

    def remove_temporaries(self) -> None:
        """Delete what a process that was killed in the middle of a write left behind."""
        for folder in (self.path, self.epochs_path):
            remove_temporaries(folder)

    def has_training(self) -> bool:
        """Tell whether the model was trained in this folder, not only saved into it."""
        return "training" in (self.unwritten or read_json(self.config_path))

    def training(self, lacks: str = ": there is none to go on with, as of an import") -> TrainingSettings:
        """Return the training's settings.

        Raises `InputError` when they are not as `train` wrote them, or not there, which ends with what is lacked.
        """
        if self.config_path.is_file() and not self.has_training():
            raise InputError(f"{self.path} holds a model that was saved without its training{lacks}")
        return self.described("training", TrainingSettings)

    def change_training(self, settings: TrainingSettings) -> None:
        """Write other settings of the training into config.json; the model's stay as they stand there."""
        write_json(self.config_path, {**read_json(self.config_path), "training": asdict(settings)})

    def save_epoch(self, epoch: int, weights: dict[str, np.ndarray]) -> None:
        """Write the weights after an epoch."""
        make_folder(self.epochs_path)
        save_tensors(self.epoch_path(epoch), weights, {"identity": self.identity(), "epoch": epoch})

    def load_epoch(self, epoch: int) -> dict[str, np.ndarray]:
        """Return the weights after an epoch."""
        return self.load_weights(self.epoch_path(epoch), epoch)
