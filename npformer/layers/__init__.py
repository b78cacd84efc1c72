"""The boxes of the paper's figure 1 and the arithmetic under them.

What is not in that figure is in extra/; a config chooses it, and figure 1's boxes do not need it.

To read them in order, start with attention.py.
"""

from .activations import GELU, GELUTanh, ReLU, SiLU
from .add_norm import PostNorm, PreNorm
from .attention import ScaledDotProductAttention
from .dropout import Dropout
from .embedding import Embedding
from .extra.bilstm import BidirectionalLSTM
from .extra.convolution import Convolution
from .extra.flash_attention import FlashAttention
from .extra.grouped_query_attention import GroupedAttention, GroupedQueryAttention
from .extra.learned_positions import LearnedPositionalEncoding
from .extra.local_attention import LocalAttention
from .extra.lstm import LSTM
from .extra.pooling import FirstTokenPooling, MaxPooling, MeanPooling
from .extra.rms_norm import RMSNorm
from .extra.rotary_positions import RotaryAttention, RotaryPositionalEncoding
from .extra.swiglu import SwiGLU
from .feed_forward import FeedForward
from .generator import Generator
from .layer_norm import LayerNorm
from .linear import Linear
from .loss import LabelSmoothingLoss
from .masks import causal_mask, padding_mask, target_padding_mask
from .multi_head_attention import CrossAttention, MultiHeadAttention, SelfAttention
from .positional_encoding import SinusoidalPositionalEncoding
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
    "GELUTanh",
    "Generator",
    "GroupedAttention",
    "GroupedQueryAttention",
    "LabelSmoothingLoss",
    "LayerNorm",
    "LearnedPositionalEncoding",
    "Linear",
    "LocalAttention",
    "MaxPooling",
    "MeanPooling",
    "MultiHeadAttention",
    "PostNorm",
    "PreNorm",
    "RMSNorm",
    "ReLU",
    "RotaryAttention",
    "RotaryPositionalEncoding",
    "ScaledDotProductAttention",
    "SelfAttention",
    "SiLU",
    "SinusoidalPositionalEncoding",
    "Softmax",
    "SwiGLU",
    "causal_mask",
    "padding_mask",
    "target_padding_mask",
]
