"""The arithmetic: each layer against its PyTorch counterpart."""

import math

import pytest

from npformer.layers import Embedding, Generator, LayerNorm, Linear, Softmax

from . import weights
from .parity import BATCH, D_FF, D_MODEL, TARGET, VOCAB, compare, padded_ids
from .weights import Pair, torch


def test_layer_norm(agree, rng):
    ours = LayerNorm(D_MODEL, dtype="float64")
    theirs = torch.nn.LayerNorm(D_MODEL, eps=1e-6, dtype=torch.float64)
    x = rng.normal(size=(BATCH, TARGET, D_MODEL))
    x[:, 0] *= 1e-3  # a variance as small as eps, which then shows
    compare(agree, rng, ours, theirs, weights.layer_norm(ours, theirs), [x])


@pytest.mark.parametrize("bias", [True, False])
def test_linear(agree, rng, bias):
    ours = Linear(D_MODEL, D_FF, bias=bias, rng=rng, dtype="float64")
    theirs = torch.nn.Linear(D_MODEL, D_FF, bias=bias, dtype=torch.float64)
    x = rng.normal(size=(BATCH, TARGET, D_MODEL))
    compare(agree, rng, ours, theirs, weights.linear(ours, theirs), [x])


@pytest.mark.parametrize("masked", [True, False])
def test_softmax(agree, rng, masked):
    x = 3 * rng.normal(size=(BATCH, TARGET, D_MODEL))
    mask = rng.random((BATCH, 1, D_MODEL)) < (0.6 if masked else 1)
    mask[..., 0] = True

    def theirs(x):
        return x.masked_fill(~torch.tensor(mask), -torch.inf).softmax(-1)

    compare(agree, rng, Softmax(), theirs, [], [x], [mask] if masked else [])


def test_embedding(agree, rng):
    ours = Embedding(VOCAB, D_MODEL, rng=rng, dtype="float64")
    theirs = torch.nn.Embedding(VOCAB, D_MODEL, dtype=torch.float64)
    ids = padded_ids(rng, TARGET, VOCAB, pad_id=0)
    pairs = [Pair(ours.table, theirs.weight)]
    compare(agree, rng, ours, lambda ids: theirs(ids) * math.sqrt(D_MODEL), pairs, [ids])


@pytest.mark.parametrize("bias", [True, False])
def test_generator(agree, rng, bias):
    ours = Generator(VOCAB, D_MODEL, bias=bias, rng=rng, dtype="float64")
    theirs = torch.nn.Linear(D_MODEL, VOCAB, bias=bias, dtype=torch.float64)
    x = rng.normal(size=(BATCH, TARGET, D_MODEL))
    pairs = [Pair(ours.table, theirs.weight), *([Pair(ours.bias, theirs.bias)] if bias else [])]
    compare(agree, rng, ours, theirs, pairs, [x])
