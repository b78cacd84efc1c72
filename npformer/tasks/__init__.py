"""What is predicted and what it costs: batches that know their shares, and the objective, a model with its loss.

Nothing here may know how weights are updated, or how predictions are written out.
"""

from ..layers.loss import LabelSmoothingLoss
from .batches import Batches, EncodedPair, EpochBatches, encode_pairs, filter_pairs
from .classification import ClassificationBatch
from .language_modelling import LanguageModelBatch, TextChunks
from .objective import Objective
from .task import TASKS, Task, task_of
from .translation import TranslationBatch

__all__ = [
    "Batches",
    "EncodedPair",
    "EpochBatches",
    "LabelSmoothingLoss",
    "ClassificationBatch",
    "Objective",
    "TextChunks",
]
__all__ += ["TASKS", "Task", "LanguageModelBatch", "TranslationBatch", "encode_pairs", "task_of", "filter_pairs"]
