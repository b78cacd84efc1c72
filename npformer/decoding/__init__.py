"""Section 6.1 of the paper: from a trained model to the ids of translations.

Nothing here may compute what a layer computes, except the softmax of search and sampling, or judge
the translations.
"""

from .beam import BeamSearchConfig, Hypothesis, beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .sampling import Sampler, sample

__all__ = [
    "BeamSearchConfig",
    "CachedDecoder",
    "Hypothesis",
    "Sampler",
    "beam_search",
    "greedy_decode",
    "sample",
]
