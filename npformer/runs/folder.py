"""A run folder: the files of a training.

Besides the model's files, which models/model_folder.py lists, there are

config.json                 the training's settings too
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
epochs/0001.safetensors     the weights after an epoch: those of the last and of the best epochs, for averaging
log.csv                     one row per update
curve.png                   a picture of the loss
lock                        empty; locked by the process that trains
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np

from ..decoding import Predictor
from ..models.model_folder import ModelFolder
from ..tasks import TASKS
from ..utils import AnyPath, InputError, make_folder, save_tensors
from .settings import TrainingSettings

try:
    import fcntl
except ImportError:  # on Windows, where nothing is locked
    fcntl = None


class RunFolder(ModelFolder):
    """The files of one run, by name; reading raises `InputError` with one clear line when one is not as it should be.

    >>> RunFolder("runs/copy").epoch_path(3).as_posix()
    'runs/copy/epochs/0003.safetensors'
    """

    def __init__(self, path: AnyPath, predictor: type[Predictor] | None = None):
        super().__init__(path, predictor)
        if predictor is None:
            del self.predictor  # it is then found in config.json
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.epochs_path = self.path / "epochs"
        self.log_path = self.path / "log.csv"
        self.curve_path = self.path / "curve.png"

    @cached_property
    def predictor(self) -> type[Predictor]:
        """The class of predictors that the run's task has."""
        name = self.task_name()
        if name not in list(TASKS):
            raise InputError(f"{self.config_path} is damaged: its task is {name!r}, expected one of {', '.join(TASKS)}")
        return TASKS[name].predictor

    @staticmethod
    def make_new(name: str) -> Path:
        """Make the first of the folders runs/NAME, runs/NAME-2, ... that does not exist, and return its path."""
        for number in count(1):
            path = Path("runs", f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):
                make_folder(path, exist_ok=False)
                return path

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from training this run within a block. Raises `InputError` when one is training it."""
        with open(self.path / "lock", "w") as file:
            try:
                if fcntl is not None:
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                raise InputError(f"{self.path} is being trained by another process: wait for it, or end it") from None
            yield

    def epoch_path(self, epoch: int) -> Path:
        """Return the file of the weights after an epoch."""
        return self.epochs_path / f"{epoch:04d}.safetensors"

    def save_epoch(self, epoch: int, weights: dict[str, np.ndarray]) -> None:
        """Write the weights after an epoch."""
        make_folder(self.epochs_path)
        save_tensors(self.epoch_path(epoch), weights, {"identity": self.identity(), "epoch": epoch})

    def check_is_free(self) -> None:
        """Raise `InputError` when the folder holds a run already."""
        if self.config_path.exists():
            raise InputError(f"{self.path} holds a run already: give another folder, or --resume {self.path}")
        if self.epochs_path.exists():
            raise InputError(f"{self.path} holds a run without its config.json: bring it back, or give another folder")

    def settings(self, part: str) -> dict:
        """Return a part of config.json; in older folders the number of workers can be 0, for one found by trial."""
        settings = super().settings(part)
        return settings | {"workers": 1} if settings.get("workers") == 0 else settings

    def training(self) -> TrainingSettings:
        """Return the training's settings. Raises `InputError` when they are damaged or missing."""
        if "training" not in self.content():
            lacks = "there is nothing to resume, and an evaluation needs files"
            raise InputError(f"{self.path} holds a model that was saved without its training: {lacks}")
        return self.described("training", TrainingSettings)
