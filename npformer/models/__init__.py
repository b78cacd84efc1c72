"""The Transformer of figure 1, and models with the encoder or the decoder alone."""

from ..layers.attention import causal_mask
from .classifier import Classifier, ClassifierConfig
from .config import StackConfig, TransformerConfig
from .decoder import Decoder, DecoderLayer
from .encoder import Encoder, EncoderLayer
from .language_model import LanguageModel, LanguageModelConfig
from .masks import padding_mask, target_mask
from .transformer import Transformer

__all__ = [
    "Classifier",
    "ClassifierConfig",
    "Decoder",
    "DecoderLayer",
    "Encoder",
    "EncoderLayer",
    "StackConfig",
]
__all__ += ["LanguageModel", "LanguageModelConfig", "Transformer", "TransformerConfig"]
__all__ += ["causal_mask", "padding_mask", "target_mask"]
