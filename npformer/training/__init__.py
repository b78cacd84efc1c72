"""Section 5 of the paper."""

from .adam import Adam
from .loss import LabelSmoothingLoss
from .schedule import WarmupSchedule

__all__ = ["Adam", "LabelSmoothingLoss", "WarmupSchedule"]
