"""How good a model is: BLEU and chrF, perplexity, exact match, the alignment error rate.

Nothing here may change a model, or draw.
"""

from .error_rate import Baselines, alignment_baselines, alignment_error_rate
from .scores import Scores, mean_loss, moses_tokens, score
from .translations import Evaluation, evaluate

__all__ = ["Baselines", "Evaluation", "Scores"]
__all__ += ["alignment_baselines", "alignment_error_rate", "evaluate", "mean_loss", "moses_tokens", "score"]
