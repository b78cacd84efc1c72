"""Layers that are not in figure 1: other attentions, activations and poolings, and what self-attention replaced."""

from .bilstm import BidirectionalLSTM
from .convolution import Convolution
from .lstm import LSTM

__all__ = ["LSTM", "BidirectionalLSTM", "Convolution"]
