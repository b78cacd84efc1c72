"""Section 6.1 of the paper: from a trained model to translations, classes and texts.

Nothing here may compute what a layer computes, except the softmax of search and sampling, or judge what comes out.
"""

from .beam import Hypothesis, Search, beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .predictor import Predictor, decode_batched
from .sampling import Sampler, sample
from .text_classifier import Prediction, TextClassifier
from .text_generator import TextGenerator
from .translator import Translation, Translator

__all__ = [
    "CachedDecoder",
    "Hypothesis",
    "Prediction",
    "Predictor",
    "Sampler",
    "Search",
    "TextClassifier",
]
__all__ += [
    "TextGenerator",
    "Translation",
    "Translator",
    "beam_search",
    "decode_batched",
    "greedy_decode",
]
__all__ += ["sample"]
