"""Figure 1 of the paper and its relatives: the Transformer of both columns, and each column alone.

Nothing here may know of text, of losses, or of how weights are found.
"""

from .classifier import Classifier, ClassifierConfig
from .config import StackConfig, TransformerConfig
from .decoder import Decoder, DecoderLayer
from .empty_init import undrawn
from .encoder import Encoder, EncoderLayer
from .language_model import LanguageModel, LanguageModelConfig
from .masks import causal_mask, padding_mask, target_mask
from .transformer import Transformer

__all__ = ["Classifier", "ClassifierConfig", "Decoder", "DecoderLayer", "Encoder", "EncoderLayer", "StackConfig"]
__all__ += ["LanguageModel", "LanguageModelConfig", "Transformer", "TransformerConfig"]
__all__ += ["causal_mask", "padding_mask", "target_mask", "undrawn"]
