"""The Transformer of figure 1, and models with the encoder or the decoder alone."""

from .classifier import Classifier, ClassifierConfig
from .config import StackConfig, TransformerConfig
from .decoder import Decoder, DecoderLayer
from .encoder import Encoder, EncoderLayer
from .language_model import LanguageModel, LanguageModelConfig
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
