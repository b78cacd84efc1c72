"""Section 5 of the paper: batches, loss, learning rate, Adam, the loop, and checkpoints."""

from .adam import Adam
from .batches import Batch, Batches
from .checkpoint import load_checkpoint, save_checkpoint
from .flat import FlatParameters
from .log import TrainingLog
from .loss import LabelSmoothingLoss
from .schedule import WarmupSchedule
from .trainer import StepRecord, Trainer, mean_loss

__all__ = [
    "Adam",
    "Batch",
    "Batches",
    "FlatParameters",
    "LabelSmoothingLoss",
    "StepRecord",
    "Trainer",
    "TrainingLog",
    "WarmupSchedule",
    "load_checkpoint",
    "mean_loss",
    "save_checkpoint",
]
