"""What is predicted and what it costs: batches that know their shares, and the objective, a model with its loss.

Nothing here may know how weights are updated, or how predictions are written out.
"""

from .batches import Batches, EncodedPair, EpochCut, encode_pairs, usable_pairs
from .classification import LabelledBatch
from .language_modelling import Stretches, TextBatch
from .loss import LabelSmoothingLoss
from .objective import Objective
from .task import TASKS, Task, task_of
from .translation import TranslationBatch

__all__ = ["Batches", "EncodedPair", "EpochCut", "LabelSmoothingLoss", "LabelledBatch", "Objective", "Stretches"]
__all__ += ["TASKS", "Task", "TextBatch", "TranslationBatch", "encode_pairs", "task_of", "usable_pairs"]
