"""How good a model is: BLEU and chrF, perplexity, exact match, place by place, accuracy, the alignment error rate.

`table1` measures layers instead: what they cost, and how far signals travel in them.

Nothing here may change a model, or make pictures.
"""

from .alignment_error_rate import Baselines, alignment_baselines, alignment_error_rate
from .classification import ClassificationScores, evaluate_labels
from .language_modelling import LanguageModelScores, evaluate_text
from .metrics import HeldOut, Scores, held_out_scores, mean_loss, moses_tokens, score
from .position_accuracy import PlaceScores, place_scores
from .translation import Evaluation, evaluate

__all__ = ["Baselines", "Evaluation", "HeldOut", "ClassificationScores", "PlaceScores", "Scores", "LanguageModelScores"]
__all__ += ["alignment_baselines", "alignment_error_rate", "evaluate", "evaluate_labels", "evaluate_text"]
__all__ += ["held_out_scores", "mean_loss", "moses_tokens", "place_scores", "score"]
