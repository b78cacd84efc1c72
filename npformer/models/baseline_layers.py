"""Encoder layers with what self-attention replaced, as baselines of a classifier."""

from ..layers import BidirectionalLSTM, Convolution, ReLU
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .sublayers import make_add_norm


class RecurrentLayer(Module):
    """A bidirectional LSTM, d_model / 2 each way, in place of self-attention and feed-forward network.

    With d_ff = d_model it has as many weights as an EncoderLayer: 6 d_model^2.
    """

    def __init__(self, config: StackConfig, *, rng: Rng):
        lstm = BidirectionalLSTM(config.d_model, config.d_model // 2, rng=rng, dtype=config.dtype)
        self.lstm = make_add_norm(lstm, config, rng)

    def forward(self, x, mask=None):  # (B, S, D), (B, 1, S)
        return self.lstm.forward(x, None if mask is None else mask[:, 0])  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        return self.lstm.backward(dy)


class ConvolutionalLayer(Module):
    """Two convolutions of width 3 with a ReLU, in place of self-attention and feed-forward network.

    With d_ff = d_model they have as many weights as an EncoderLayer: 6 d_model^2.
    """

    def __init__(self, config: StackConfig, *, rng: Rng):
        self.convolution_1, self.convolution_2 = (
            make_add_norm(RectifiedConvolution(config, rng=rng), config, rng) for _ in range(2)
        )

    def forward(self, x, mask=None):  # (B, S, D), (B, 1, S)
        mask = None if mask is None else mask[:, 0]  # (B, S)
        return self.convolution_2.forward(self.convolution_1.forward(x, mask), mask)  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        return self.convolution_1.backward(self.convolution_2.backward(dy))


class RectifiedConvolution(Module):
    """A convolution of width 3 from d_model to d_model, and a ReLU."""

    def __init__(self, config: StackConfig, *, rng: Rng):
        self.convolution = Convolution(
            config.d_model, config.d_model, width=3, rng=rng, dtype=config.dtype
        )
        self.relu = ReLU()

    def forward(self, x, mask=None):  # (B, S, D), (B, S)
        return self.relu.forward(self.convolution.forward(x, mask))  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        return self.convolution.backward(self.relu.backward(dy))
