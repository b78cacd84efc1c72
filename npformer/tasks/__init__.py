"""The tasks: batches, objective, vocabularies, scores and prediction of each, behind one protocol.

A new task is one file with a subclass of `Task` and one of `Predictor`, and one `register`: it can
then be trained and evaluated. Nothing here may know how weights are updated, or of a terminal.
"""

from ..layers.loss import LabelSmoothingLoss
from .batches import Batch, Batches, EpochBatches, TranslationBatch
from .classification import ClassificationBatch, ClassificationTask
from .language_modeling import LanguageModelBatch, LanguageModelTask, TextChunks
from .objective import HeldOut, Objective, held_out_scores, mean_loss
from .predictor import Predictor, decode_batched
from .task import TASKS, Task, evaluate, register
from .text_classifier import Prediction, TextClassifier
from .text_generator import TextGenerator
from .translation import TranslationTask, translation_batches
from .translator import Translation, Translator

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
    "LanguageModelBatch",
    "Objective",
    "Prediction",
    "Predictor",
    "Task",
    "TextChunks",
    "TextClassifier",
    "TextGenerator",
    "Translation",
    "TranslationBatch",
    "Translator",
    "decode_batched",
    "evaluate",
    "held_out_scores",
    "mean_loss",
    "register",
    "translation_batches",
]
