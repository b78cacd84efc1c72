"""The tasks: batches, objective, vocabularies, evaluation and prediction of each, behind one protocol.

A new task is one file with a subclass of `Task`, and one `register`. Nothing here may know how weights are updated.
"""

from ..layers.loss import LabelSmoothingLoss
from .batches import Batch, Batches, EpochBatches, TranslationBatch
from .classification import ClassificationBatch, ClassificationTask
from .language_modeling import LanguageModelBatch, LanguageModelTask, TextChunks
from .objective import HeldOut, Objective, held_out_scores, mean_loss
from .task import TASKS, Task, evaluate, register
from .translation import TranslationTask

register(TranslationTask())
register(ClassificationTask())
register(LanguageModelTask())

__all__ = [
    "TASKS",
    "Batch",
    "Batches",
    "ClassificationBatch",
    "EpochBatches",
    "HeldOut",
    "LabelSmoothingLoss",
]
__all__ += [
    "LanguageModelBatch",
    "Objective",
    "Task",
    "TextChunks",
    "TranslationBatch",
    "evaluate",
    "held_out_scores",
]
__all__ += ["mean_loss", "register"]
