"""Section 6.1 of the paper: from a trained model to translations, classes and texts.

Nothing here may compute what a layer computes, except the softmax of search and sampling, or judge what comes out.
"""

from .beam import Hypothesis, Search, beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .sampling import Sampler, sample

__all__ = [
    "CachedDecoder",
    "Hypothesis",
    "Sampler",
    "Search",
    "beam_search",
    "greedy_decode",
    "sample",
]
