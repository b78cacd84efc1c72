"""The boxes of the paper's figure 1 and the arithmetic under them; in extra/ what is not in that figure.

To read them in order, start with attention.py.
"""

from .add_norm import PostNorm, PreNorm
from .attention import ScaledDotProductAttention
from .dropout import Dropout
from .embedding import Embedding
from .extra.bilstm import BidirectionalLSTM
from .extra.convolution import Convolution
from .extra.flash_attention import FlashAttention
from .extra.gelu import GELU
from .extra.grouped_query_attention import GroupedAttention, GroupedQueryAttention
from .extra.learned_positions import LearnedPositionalEncoding
from .extra.local_attention import LocalAttention
from .extra.lstm import LSTM
from .extra.pooling import FirstTokenPooling, MaxPooling, MeanPooling
from .extra.rms_norm import RMSNorm
from .extra.rotary_positions import RotaryAttention, RotaryPositionalEncoding
from .extra.silu import SiLU
from .extra.swiglu import SwiGLU
from .feed_forward import FeedForward
from .generator import Generator
from .layer_norm import LayerNorm
from .linear import Linear
from .multi_head_attention import CrossAttention, MultiHeadAttention, SelfAttention
from .positional_encoding import SinusoidalPositionalEncoding
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
]
__all__ += [
    "FirstTokenPooling",
    "FlashAttention",
    "Generator",
    "GroupedAttention",
    "GroupedQueryAttention",
]
__all__ += [
    "LayerNorm",
    "LearnedPositionalEncoding",
    "Linear",
    "LocalAttention",
    "MaxPooling",
    "MeanPooling",
]
__all__ += ["MultiHeadAttention", "PostNorm", "PreNorm", "RMSNorm", "ReLU", "RotaryAttention"]
__all__ += ["RotaryPositionalEncoding", "ScaledDotProductAttention", "SelfAttention", "SiLU"]
__all__ += ["SinusoidalPositionalEncoding", "Softmax", "SwiGLU"]
