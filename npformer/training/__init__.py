"""Section 5 of the paper: batches, loss, learning rate, Adam, the loop, and checkpoints."""

from .adam import Adam
from .averaging import average_weights, chosen_epochs
from .batches import Batch, Batches
from .checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from .flat import FlatParameters
from .log import TrainingLog
from .loss import LabelSmoothingLoss
from .schedule import WarmupSchedule
from .trainer import StepRecord, Trainer, mean_loss
from .workers import Workers

__all__ = [
    "Adam",
    "Batch",
    "Batches",
    "Checkpoint",
    "FlatParameters",
    "LabelSmoothingLoss",
    "StepRecord",
    "Trainer",
    "TrainingLog",
    "WarmupSchedule",
    "Workers",
    "average_weights",
    "chosen_epochs",
    "load_checkpoint",
    "mean_loss",
    "save_checkpoint",
]
