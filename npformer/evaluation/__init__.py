"""Metrics: BLEU, chrF, perplexity, classification, alignment error rate, position accuracy.

Nothing here may run a model or draw.
"""

from .alignment_error_rate import alignment_baselines, alignment_error_rate, alignment_table
from .classification import ClassificationScores, score_classes
from .language_modeling import LanguageModelScores, perplexity
from .position_accuracy import PositionScores, position_scores
from .translation import TranslationScores, bleu_and_chrf, moses_tokens, score_translations

__all__ = [
    "ClassificationScores",
    "LanguageModelScores",
    "PositionScores",
    "TranslationScores",
    "alignment_baselines",
    "alignment_error_rate",
    "alignment_table",
    "bleu_and_chrf",
    "moses_tokens",
    "perplexity",
    "position_scores",
    "score_classes",
    "score_translations",
]
