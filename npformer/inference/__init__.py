"""Section 6.1 of the paper: from trained weights to translations."""

from .attention_weights import cross_attention_weights
from .greedy import greedy_decode
from .scores import Scores, score
from .translator import Translator

__all__ = ["Scores", "Translator", "cross_attention_weights", "greedy_decode", "score"]
