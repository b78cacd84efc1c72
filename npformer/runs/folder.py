"""A run folder: the files of a training.

Besides the model's files, which models/model_folder.py lists, there are

config.json                 the training's settings too
checkpoint.safetensors      weights, Adam's moments and random state, for resuming
epochs/0001.safetensors     the weights after an epoch: those of the last and of the best epochs, for averaging
log.csv                     one row per update
curve.png                   a picture of the loss
"""

from contextlib import suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path

import numpy as np

from ..decoding import Predictor
from ..models.model_folder import ModelFolder
from ..tasks import TASKS
from ..utils import AnyPath, InputError, make_folder, read_json, remove_temporaries, save_tensors, write_json
from .settings import TrainingSettings


class RunFolder(ModelFolder):
    """The files of one run, by name; reading raises `InputError` with one clear line when one is not as it should be.

    >>> RunFolder("runs/copy").epoch_path(3).as_posix()
    'runs/copy/epochs/0003.safetensors'
    """

    def __init__(self, path: AnyPath, predictor: type[Predictor] | None = None):
        super().__init__(path, predictor)
        self.checkpoint_path = self.path / "checkpoint.safetensors"
        self.epochs_path = self.path / "epochs"
        self.log_path = self.path / "log.csv"
        self.curve_path = self.path / "curve.png"

    @property
    def predictor(self) -> type[Predictor]:
        """The class of predictors that the run's task has, by config.json unless it was given."""
        if self._predictor is None:
            name = self.task_name()
            if not isinstance(name, str) or name not in TASKS:
                problem = f"{self.config_path} is damaged: its task is {name!r}"
                raise InputError(f"{problem}, expected one of {', '.join(TASKS)}")
            self._predictor = TASKS[name].predictor
        return self._predictor

    @predictor.setter
    def predictor(self, predictor: type[Predictor] | None) -> None:
        self._predictor = predictor

    @classmethod
    def new(cls, name: str) -> Path:
        """Return the path of the first of runs/NAME, runs/NAME-2, ... that does not exist, made here."""
        for number in count(1):
            path = Path("runs") / (f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):
                make_folder(path, exist_ok=False)
                return path

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
        """Delete unfinished files of a process that was killed."""
        for folder in (self.path, self.epochs_path):
            remove_temporaries(folder)

    def has_training(self) -> bool:
        """Return whether the model was trained in this folder, not only saved into it."""
        return "training" in (self.unwritten or read_json(self.config_path))

    def settings(self, part: str) -> dict:
        """Return a part of config.json; in older folders the number of workers can be 0, for one found by trial."""
        settings = super().settings(part)
        return settings | {"workers": 1} if settings.get("workers") == 0 else settings

    def training(self) -> TrainingSettings:
        """Return the training's settings. Raises `InputError` when they are damaged or missing."""
        if self.config_path.is_file() and not self.has_training():
            lacks = "there is nothing to resume, and an evaluation needs files"
            raise InputError(f"{self.path} holds a model that was saved without its training: {lacks}")
        return self.described("training", TrainingSettings)

    def test_examples(self) -> list:
        """Return the test examples of the run's data set, or the held-out ones if it has no test set."""
        settings = self.training()
        data, how = settings.data_set(), {"direction": settings.direction, "seed": settings.seed}
        [examples] = data.load("test" if "test" in data.parts else "held_out", **how)
        return examples

    def change_training(self, settings: TrainingSettings) -> None:
        """Write other settings of the training into config.json."""
        write_json(self.config_path, {**read_json(self.config_path), "training": asdict(settings)})

    def save_epoch(self, epoch: int, weights: dict[str, np.ndarray]) -> None:
        """Write the weights after an epoch."""
        make_folder(self.epochs_path)
        save_tensors(self.epoch_path(epoch), weights, {"identity": self.identity(), "epoch": epoch})

    def load_epoch(self, epoch: int) -> dict[str, np.ndarray]:
        """Return the weights after an epoch."""
        return self.load_weights(self.epoch_path(epoch))
