"""Section 6.1 of the paper: from trained weights to translations, greedily, by beam search, or at random.

And what else a trained model is used for: to name a text's class, and to go on with a text. Nothing here may compute
what a layer computes, but for the softmax of search and sampling, or judge what comes out.
"""

from .batching import decode_many
from .beam import beam_search
from .cached_decoder import CachedDecoder
from .greedy import greedy_decode
from .hypotheses import Hypothesis
from .sampling import Sampler, sample
from .text_classifier import Prediction, TextClassifier
from .text_generator import TextGenerator
from .translator import Translation, Translator

LEARNT = {kind.task: kind for kind in (Translator, TextClassifier, TextGenerator)}  # what is learnt at each task

__all__ = [
    "LEARNT",
    "CachedDecoder",
    "Prediction",
    "Hypothesis",
    "TextClassifier",
    "Sampler",
    "Translation",
    "Translator",
]
__all__ += ["TextGenerator", "beam_search", "decode_many", "greedy_decode", "sample"]
