"""Section 6.1 of the paper: from trained weights to translations."""

from .attention_weights import cross_attention_weights
from .beam import beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .hypotheses import Hypothesis
from .many import decode_many
from .sampling import sample
from .scores import Scores, moses_tokens, score
from .translator import Translation, Translator

__all__ = [
    "CachedDecoder",
    "Hypothesis",
    "Scores",
    "Translation",
    "Translator",
    "beam_search",
    "cross_attention_weights",
    "decode_many",
    "greedy_decode",
    "moses_tokens",
    "sample",
    "score",
]
