"""What is predicted and what it costs: batches that know their shares, and objectives, a model with its loss.

Nothing here may know how weights are updated, or how predictions are written out.
"""

from .batches import Batch, Batches
from .loss import LabelSmoothingLoss

__all__ = ["Batch", "Batches", "LabelSmoothingLoss"]
