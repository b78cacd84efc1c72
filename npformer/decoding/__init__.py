"""Section 6.1 of the paper: from trained weights to translations, greedily, by beam search, or at random.

Nothing here may compute what a layer computes, or judge what comes out.
"""

from .beam import beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .hypotheses import Hypothesis
from .many import decode_many
from .sampling import sample
from .translator import Translation, Translator

__all__ = ["CachedDecoder", "Hypothesis", "Translation", "Translator"]
__all__ += ["beam_search", "decode_many", "greedy_decode", "sample"]
