"""What self-attention replaced, GELU and SiLU, against PyTorch: packed sequences there are masks
here.
"""

import numpy as np
import pytest

from npformer.layers import (
    GELU,
    LSTM,
    BidirectionalLSTM,
    Convolution,
    FeedForward,
    GELUTanh,
    SiLU,
)

from . import weights
from .parity import BATCH, D_FF, D_MODEL, SOURCE, compare, real_positions
from .weights import Pair, torch


def packed(layer, lengths):
    """Return a function of x (B, T, D) that runs a recurrent layer on packed sequences, and pads
    its output.
    """

    def run(x):
        bags = torch.nn.utils.rnn.pack_padded_sequence(
            x, lengths, batch_first=True, enforce_sorted=False
        )
        y, _ = torch.nn.utils.rnn.pad_packed_sequence(
            layer(bags)[0], batch_first=True, total_length=SOURCE
        )
        return y

    return run


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("kind", [LSTM, BidirectionalLSTM])
def test_lstm(agree, rng, kind, padded):
    both = kind is BidirectionalLSTM
    ours = kind(D_MODEL, D_FF, rng=rng, dtype="float64")
    theirs = torch.nn.LSTM(D_MODEL, D_FF, batch_first=True, bidirectional=both, dtype=torch.float64)
    pairs = (weights.bidirectional if both else weights.lstm)(ours, theirs)
    x, real = rng.normal(size=(BATCH, SOURCE, D_MODEL)), real_positions(rng, SOURCE)
    if padded:
        compare(agree, rng, ours, packed(theirs, torch.tensor(real.sum(1))), pairs, [x], [real])
    else:
        compare(agree, rng, ours, lambda x: theirs(x)[0], pairs, [x])


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths:UserWarning")
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("width", "dilation"), [(1, 1), (3, 1), (4, 1), (3, 2), (2, 3), (5, 4)])
def test_convolution(agree, rng, width, dilation, masked, causal):
    ours = Convolution(
        D_MODEL, D_FF, width=width, dilation=dilation, causal=causal, rng=rng, dtype="float64"
    )
    weight = torch.zeros((D_FF, D_MODEL, width), dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(D_FF, dtype=torch.float64, requires_grad=True)
    real = real_positions(rng, SOURCE) if masked else np.ones((BATCH, SOURCE), bool)

    def theirs(x):
        x = (x * torch.tensor(real)[..., None]).swapaxes(1, 2)
        if not causal:
            return torch.nn.functional.conv1d(
                x, weight, bias, dilation=dilation, padding="same"
            ).swapaxes(1, 2)
        x = torch.nn.functional.pad(x, ((width - 1) * dilation, 0))
        return torch.nn.functional.conv1d(x, weight, bias, dilation=dilation).swapaxes(1, 2)

    pairs = [
        Pair(ours.weight, weight, lambda tensor: tensor.permute(2, 1, 0)),
        Pair(ours.bias, bias),
    ]
    x = rng.normal(size=(BATCH, SOURCE, D_MODEL))
    compare(agree, rng, ours, theirs, pairs, [x], [real] if masked else [])


@pytest.mark.parametrize(("kind", "approximate"), [(GELU, "none"), (GELUTanh, "tanh")])
def test_gelu(agree, rng, kind, approximate):
    x = 4 * rng.normal(size=(BATCH, SOURCE, D_MODEL))
    x[0, 0, :4] = 0.0, -0.0, 20, -20
    compare(agree, rng, kind(), torch.nn.GELU(approximate), [], [x])


def test_silu(agree, rng):
    x = 4 * rng.normal(size=(BATCH, SOURCE, D_MODEL))
    x[0, 0, :6] = 0.0, -0.0, 20, -20, 200, -200
    compare(agree, rng, SiLU(), torch.nn.SiLU(), [], [x])


@pytest.mark.parametrize("name", ["gelu", "silu"])
def test_feed_forward_with_other_activations(agree, rng, name):
    ours = FeedForward(D_MODEL, D_FF, activation=name, rng=rng, dtype="float64")
    theirs = torch.nn.TransformerEncoderLayer(D_MODEL, 2, D_FF, dtype=torch.float64)
    x = rng.normal(size=(BATCH, SOURCE, D_MODEL))

    def run(x):
        return theirs.linear2(getattr(torch.nn.functional, name)(theirs.linear1(x)))

    compare(agree, rng, ours, run, weights.feed_forward(ours, theirs), [x])
