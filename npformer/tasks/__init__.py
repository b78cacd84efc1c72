"""What is predicted and what it costs: batches that know their shares, and objectives, a model with its loss.

Nothing here may know how weights are updated, or how predictions are written out.
"""

from .batches import Batches, EncodedPair, EpochCut, encode_pairs, usable_pairs
from .loss import LabelSmoothingLoss
from .translation import TranslationBatch, TranslationObjective

__all__ = ["Batches", "EncodedPair", "EpochCut", "LabelSmoothingLoss", "TranslationBatch", "TranslationObjective"]
__all__ += ["encode_pairs", "usable_pairs"]
