"""The arithmetic and the paper's boxes, one file each; every class has a `forward` and a hand-written `backward`.

Nothing here may know what a model, a vocabulary or a training is.
"""

from .add_norm import PostNorm, PreNorm
from .attention import ScaledDotProductAttention
from .dropout import Dropout
from .embedding import Embedding, Generator
from .extra import LSTM, BidirectionalLSTM, Convolution
from .extra.flash_attention import FlashAttention
from .extra.gelu import GELU
from .extra.local_attention import LocalAttention
from .extra.pooling import FirstTokenPooling, MaxPooling, MeanPooling
from .extra.silu import SiLU
from .feed_forward import FeedForward
from .layer_norm import LayerNorm
from .linear import Linear
from .multi_head_attention import CrossAttention, MultiHeadAttention, SelfAttention
from .positional_encoding import LearnedPositionalEncoding, SinusoidalPositionalEncoding
from .relu import ReLU
from .softmax import Softmax

__all__ = [
    "GELU",
    "LSTM",
    "BidirectionalLSTM",
    "Convolution",
    "CrossAttention",
    "Dropout",
    "Embedding",
    "FeedForward",
    "FirstTokenPooling",
    "FlashAttention",
    "Generator",
    "LayerNorm",
    "LearnedPositionalEncoding",
    "Linear",
    "LocalAttention",
    "MaxPooling",
    "MeanPooling",
    "MultiHeadAttention",
    "PostNorm",
    "PreNorm",
    "ReLU",
    "ScaledDotProductAttention",
    "SelfAttention",
    "SiLU",
    "SinusoidalPositionalEncoding",
    "Softmax",
]
