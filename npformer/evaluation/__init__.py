"""Metrics: BLEU and chrF, perplexity, classification report, alignment error rate, position accuracy.

Nothing here may run a model or draw.
"""

from .alignment_error_rate import alignment_baselines, alignment_error_rate, alignment_table
from .classification import ClassificationScores, score_classes
from .couplet_scores import PlaceScores, place_scores
from .language_modeling import LanguageModelScores, perplexity
from .translation import TranslationScores, moses_tokens, score, score_translations

__all__ = [
    "ClassificationScores",
    "LanguageModelScores",
    "PlaceScores",
    "TranslationScores",
    "alignment_baselines",
]
__all__ += [
    "alignment_error_rate",
    "alignment_table",
    "moses_tokens",
    "perplexity",
    "place_scores",
    "score",
]
__all__ += ["score_classes", "score_translations"]
