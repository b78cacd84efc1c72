"""The arithmetic and the paper's boxes, one file each; every class has a `forward` and a hand-written `backward`.

Nothing here may know what a model, a vocabulary or a training is.
"""

from .add_norm import PostNorm, PreNorm
from .attention import ScaledDotProductAttention
from .blockwise_attention import BlockwiseAttention
from .dropout import Dropout
from .embedding import Embedding, Generator
from .feed_forward import FeedForward
from .gelu import GELU
from .layer_norm import LayerNorm
from .linear import Linear
from .multi_head_attention import CrossAttention, MultiHeadAttention, SelfAttention
from .pooling import FirstPooling, MaxPooling, MeanPooling
from .positional_encoding import LearnedPositionalEncoding, SinusoidalPositionalEncoding
from .relu import ReLU
from .replaced import LSTM, BidirectionalLSTM, Convolution
from .restricted_attention import RestrictedAttention
from .silu import SiLU
from .softmax import Softmax

__all__ = [
    "GELU",
    "LSTM",
    "BidirectionalLSTM",
    "BlockwiseAttention",
    "Convolution",
    "CrossAttention",
    "Dropout",
    "Embedding",
    "FeedForward",
    "FirstPooling",
    "Generator",
    "LayerNorm",
    "LearnedPositionalEncoding",
    "Linear",
    "MaxPooling",
    "MeanPooling",
    "MultiHeadAttention",
    "PostNorm",
    "PreNorm",
    "ReLU",
    "RestrictedAttention",
    "ScaledDotProductAttention",
    "SelfAttention",
    "SiLU",
    "SinusoidalPositionalEncoding",
    "Softmax",
]
