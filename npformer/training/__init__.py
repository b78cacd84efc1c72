"""Section 5 of the paper: the learning rate, Adam, the training loop, workers that share it, and checkpoints."""

from .adam import Adam
from .averaging import average_weights, select_epochs
from .checkpoint import Checkpoint, save_checkpoint
from .distributed import Communicator, get_communicator
from .flat_parameters import FlatParameters
from .schedule import CosineSchedule, WarmupSchedule
from .trainer import StepRecord, Trainer

__all__ = [
    "Adam",
    "Checkpoint",
    "Communicator",
    "CosineSchedule",
    "FlatParameters",
    "StepRecord",
    "Trainer",
]
__all__ += ["WarmupSchedule"]
__all__ += ["average_weights", "get_communicator", "save_checkpoint", "select_epochs"]
