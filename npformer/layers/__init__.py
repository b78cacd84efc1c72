"""The boxes of the paper's figure 1 and the arithmetic under them; in extra/ what is not in that figure.

To read them in order, start with attention.py.
"""

from .add_norm import PostNorm, PreNorm
from .attention import ScaledDotProductAttention
from .dropout import Dropout
from .embedding import Embedding
from .extra import LSTM, BidirectionalLSTM, Convolution
from .extra.flash_attention import FlashAttention
from .extra.gelu import GELU
from .extra.learned_positions import LearnedPositionalEncoding
from .extra.local_attention import LocalAttention
from .extra.pooling import FirstTokenPooling, MaxPooling, MeanPooling
from .extra.silu import SiLU
from .feed_forward import FeedForward
from .generator import Generator
from .layer_norm import LayerNorm
from .linear import Linear
from .multi_head_attention import CrossAttention, MultiHeadAttention, SelfAttention
from .positional_encoding import SinusoidalPositionalEncoding
from .relu import ReLU
from .softmax import Softmax

__all__ = ["GELU", "LSTM", "BidirectionalLSTM", "Convolution", "CrossAttention", "Dropout", "Embedding"]
__all__ += ["FeedForward", "FirstTokenPooling", "FlashAttention", "Generator", "LayerNorm"]
__all__ += ["LearnedPositionalEncoding", "Linear", "LocalAttention", "MaxPooling", "MeanPooling"]
__all__ += ["MultiHeadAttention", "PostNorm", "PreNorm", "ReLU", "ScaledDotProductAttention", "SelfAttention"]
__all__ += ["SiLU", "SinusoidalPositionalEncoding", "Softmax"]
