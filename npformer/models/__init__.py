"""Figure 1 of the paper: the encoder, the decoder, and the Transformer that joins them.

Nothing here may know of text, of losses, or of how weights are found.
"""

from .config import TransformerConfig
from .decoder import Decoder, DecoderLayer
from .encoder import Encoder, EncoderLayer
from .masks import causal_mask, padding_mask
from .transformer import Transformer

__all__ = ["Decoder", "DecoderLayer", "Encoder", "EncoderLayer", "Transformer", "TransformerConfig"]
__all__ += ["causal_mask", "padding_mask"]
