"""Metrics: BLEU, chrF, perplexity, classification, alignment error rate, position accuracy.

Nothing here may draw. Attention weights alone run a model.
"""

from .alignment_error_rate import alignment_baselines, alignment_error_rate, alignment_table
from .classification import ClassificationScores, score_classes
from .language_modeling import LanguageModelScores, perplexity
from .model_attention import AttentionWeights, attention_weights
from .position_accuracy import PositionScores, position_scores
from .translation import TranslationScores, bleu_and_chrf, moses_tokens, score_translations
from .word_alignment import attention_error_rates, attention_links

__all__ = [
    "AttentionWeights",
    "ClassificationScores",
    "LanguageModelScores",
    "PositionScores",
    "TranslationScores",
    "alignment_baselines",
    "alignment_error_rate",
    "alignment_table",
    "attention_error_rates",
    "attention_links",
    "attention_weights",
    "bleu_and_chrf",
    "moses_tokens",
    "perplexity",
    "position_scores",
    "score_classes",
    "score_translations",
]
