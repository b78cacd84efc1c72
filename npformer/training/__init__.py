"""Section 5 of the paper: the learning rate, Adam, the loop, workers that share it, and checkpoints.

Nothing here may know what is learnt: a task hands over batches and an objective.
"""

from .adam import Adam
from .averaging import average_weights, select_epochs
from .checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from .flat_parameters import FlatParameters
from .log import TrainingLog
from .schedule import CosineSchedule, WarmupSchedule
from .trainer import StepRecord, Trainer

__all__ = [
    "Adam",
    "Checkpoint",
    "CosineSchedule",
    "FlatParameters",
    "StepRecord",
    "Trainer",
    "TrainingLog",
    "WarmupSchedule",
]
__all__ += ["average_weights", "load_checkpoint", "save_checkpoint", "select_epochs"]
