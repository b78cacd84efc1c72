"""Encoder layers with what self-attention replaced, as baselines of a classifier."""

from ..layers import BidirectionalLSTM, Convolution, ReLU
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .sublayers import make_add_norm


class RecurrentLayer(Module):
    """A bidirectional LSTM in place of self-attention and feed-forward network.

    Each direction has d_model / 2 features. With d_ff = d_model it has as many weights as an
    EncoderLayer: 6 d_model^2. x is (B, S, D), mask (B, 1, S).
    """

    def __init__(self, config: StackConfig, *, rng: Rng):
        lstm = BidirectionalLSTM(config.d_model, config.d_model // 2, rng=rng, dtype=config.dtype)
        self.lstm = make_add_norm(lstm, config, rng)

    def forward(self, x, mask=None):  # (B, S, D), (B, 1, S)
        # the mask is that of attention, which has an axis for the queries
        if mask is not None:
            mask = mask[:, 0]  # (B, S)
        return self.lstm.forward(x, mask)  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        return self.lstm.backward(dy)


class ConvolutionalLayer(Module):
    """Two convolutions of width 3 with a ReLU in place of self-attention and feed-forward network.

    With d_ff = d_model they have as many weights as an EncoderLayer: 6 d_model^2. x is (B, S, D),
    mask (B, 1, S).
    """

    def __init__(self, config: StackConfig, *, rng: Rng):
        self.convolution_1 = make_add_norm(RectifiedConvolution(config, rng=rng), config, rng)
        self.convolution_2 = make_add_norm(RectifiedConvolution(config, rng=rng), config, rng)

    def forward(self, x, mask=None):  # (B, S, D), (B, 1, S)
        if mask is not None:
            mask = mask[:, 0]  # (B, S)
        x = self.convolution_1.forward(x, mask)  # (B, S, D)
        return self.convolution_2.forward(x, mask)  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        dy = self.convolution_2.backward(dy)
        return self.convolution_1.backward(dy)


class RectifiedConvolution(Module):
    """A convolution of width 3 from d_model to d_model, and a ReLU. x is (B, S, D), mask (B, S)."""

    def __init__(self, config: StackConfig, *, rng: Rng):
        d_model = config.d_model
        self.convolution = Convolution(d_model, d_model, width=3, rng=rng, dtype=config.dtype)
        self.relu = ReLU()

    def forward(self, x, mask=None):  # (B, S, D), (B, S)
        y = self.convolution.forward(x, mask)  # (B, S, D)
        return self.relu.forward(y)  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        dy = self.relu.backward(dy)
        return self.convolution.backward(dy)
