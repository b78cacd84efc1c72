"""How good a model is: BLEU and chrF, perplexity, exact match, place by place, accuracy, the alignment error rate.

`table1` measures layers instead: what they cost, and how far signals travel in them.

Nothing here may change a model, or make pictures.
"""

from .error_rate import Baselines, alignment_baselines, alignment_error_rate
from .labels import LabelEvaluation, evaluate_labels
from .places import PlaceScores, place_scores
from .running_text import TextEvaluation, evaluate_text
from .scores import HeldOut, Scores, held_out_scores, mean_loss, moses_tokens, score
from .translations import Evaluation, evaluate

__all__ = ["Baselines", "Evaluation", "HeldOut", "LabelEvaluation", "PlaceScores", "Scores", "TextEvaluation"]
__all__ += ["alignment_baselines", "alignment_error_rate", "evaluate", "evaluate_labels", "evaluate_text"]
__all__ += ["held_out_scores", "mean_loss", "moses_tokens", "place_scores", "score"]
