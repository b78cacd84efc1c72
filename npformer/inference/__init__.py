"""Section 6.1 of the paper: from trained weights to translations."""

from .alignment import attention_error_rates, attention_links
from .alignment_error_rate import Baselines, alignment_baselines, alignment_error_rate
from .attention_weights import AttentionWeights, attention_weights
from .beam import beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .hypotheses import Hypothesis
from .many import decode_many
from .sampling import sample
from .scores import Scores, moses_tokens, score
from .sentence_attention import SentenceAttention, sentence_attention
from .translator import Translation, Translator

__all__ = [
    "AttentionWeights",
    "Baselines",
    "CachedDecoder",
    "Hypothesis",
    "Scores",
    "SentenceAttention",
    "Translation",
    "Translator",
    "alignment_baselines",
    "alignment_error_rate",
    "attention_error_rates",
    "attention_links",
    "attention_weights",
    "beam_search",
    "decode_many",
    "greedy_decode",
    "moses_tokens",
    "sample",
    "score",
    "sentence_attention",
]
