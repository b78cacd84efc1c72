"""What self-attention replaced: recurrent and convolutional layers (sections 1, 2 and 4, table 1). Here to compare.

No box of figure 1 is among them. Each is built, checked and tested like the layers that are: x (B, T, d_in) goes in,
with a mask (B, T) that is True at real tokens, and no real position of the output depends on padding.
"""

from .bilstm import BidirectionalLSTM
from .convolution import Convolution
from .lstm import LSTM

__all__ = ["LSTM", "BidirectionalLSTM", "Convolution"]
