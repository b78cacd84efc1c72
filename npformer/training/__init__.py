"""Section 5 of the paper: Adam, the learning rate, the training loop, its workers, checkpoints."""

from .adam import Adam
from .averaging import average_weights, select_epochs
from .checkpoint import Checkpoint, save_checkpoint
from .distributed import Communicator, get_communicator
from .schedule import CosineSchedule, WarmupSchedule
from .trainer import StepRecord, Trainer

__all__ = [
    "Adam",
    "Checkpoint",
    "Communicator",
    "CosineSchedule",
    "StepRecord",
    "Trainer",
    "WarmupSchedule",
    "average_weights",
    "get_communicator",
    "save_checkpoint",
    "select_epochs",
]
