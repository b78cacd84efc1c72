"""An int is a seed everywhere, 0 too; and one seed is never used twice inside a layer."""

import numpy as np
import pytest

import npformer as npf
from npformer import layers
from npformer.decoding import sample
from npformer.models import Classifier, ClassifierConfig

DTYPE = {"dtype": "float64"}
MAKE = {
    "Linear": lambda rng: layers.Linear(4, 4, rng=rng, **DTYPE),
    "Embedding": lambda rng: layers.Embedding(9, 4, rng=rng, **DTYPE),
    "Generator": lambda rng: layers.Generator(9, 4, rng=rng, **DTYPE),
    "LearnedPositionalEncoding": lambda rng: layers.LearnedPositionalEncoding(
        4, max_len=9, rng=rng, **DTYPE
    ),
    "Dropout": lambda rng: layers.Dropout(0.5, rng=rng),
    "ScaledDotProductAttention": lambda rng: layers.ScaledDotProductAttention(dropout=0.5, rng=rng),
    "FlashAttention": lambda rng: layers.FlashAttention(dropout=0.5, rng=rng),
    "LocalAttention": lambda rng: layers.LocalAttention(2, dropout=0.5, rng=rng),
    "MultiHeadAttention": lambda rng: layers.MultiHeadAttention(4, 2, rng=rng, **DTYPE),
    "SelfAttention": lambda rng: layers.SelfAttention(4, 2, rng=rng, **DTYPE),
    "CrossAttention": lambda rng: layers.CrossAttention(4, 2, rng=rng, **DTYPE),
    "GroupedQueryAttention": lambda rng: layers.GroupedQueryAttention(4, 2, 1, rng=rng, **DTYPE),
    "SwiGLU": lambda rng: layers.SwiGLU(4, 4, rng=rng, **DTYPE),
    "FeedForward": lambda rng: layers.FeedForward(4, 4, rng=rng, **DTYPE),
    "LSTM": lambda rng: layers.LSTM(4, 4, rng=rng, **DTYPE),
    "BidirectionalLSTM": lambda rng: layers.BidirectionalLSTM(4, 4, rng=rng, **DTYPE),
    "Convolution": lambda rng: layers.Convolution(4, 4, rng=rng, **DTYPE),
    "PostNorm": lambda rng: layers.PostNorm(layers.ReLU(), 4, dropout=0.5, rng=rng, **DTYPE),
    "PreNorm": lambda rng: layers.PreNorm(layers.ReLU(), 4, dropout=0.5, rng=rng, **DTYPE),
    "Transformer": lambda rng: npf.Transformer(
        npf.TransformerConfig.tiny(
            src_vocab_size=9, tgt_vocab_size=9, norm="pre", positions="learned"
        ),
        rng=rng,
    ),
    "Classifier, lstm": lambda rng: classifier("lstm", rng),
    "Classifier, convolution": lambda rng: classifier("convolution", rng),
}


def classifier(encoder, rng):
    sizes = dict(vocab_size=9, n_classes=3, d_model=4, d_ff=4, n_heads=2, n_encoder_layers=2)
    return Classifier(ClassifierConfig(**sizes, encoder=encoder), rng=rng)


every_layer = pytest.mark.parametrize("name", MAKE)


def drawn(layer):
    """All that a layer drew, and what it is going to draw."""
    return [array.tobytes() for array in layer.state_dict().values()], [
        str(rng.bit_generator.state) for rng in layer.generators()
    ]


@every_layer
@pytest.mark.parametrize("seed", [0, 7, np.int64(7)])
def test_seed_equals_numpy_generator_of_it(name, seed):
    make = MAKE[name]
    assert drawn(make(seed)) == drawn(make(seed)) == drawn(make(np.random.default_rng(seed)))
    assert drawn(make(seed)) != drawn(make(8))


@every_layer
def test_missing_seed_gives_different_results(name):
    assert drawn(MAKE[name](None)) != drawn(MAKE[name](None))


@every_layer
def test_matrices_of_one_seed_differ(name):
    matrices = [p.data.ravel() for p in MAKE[name](7).parameters() if p.data.ndim > 1]
    shapes = {}
    for matrix in matrices:
        shape = shapes.setdefault(matrix.size, [])
        ranks = np.abs(matrix) / np.abs(matrix).max()  # another gain would not hide the same draws
        assert not any(np.allclose(ranks, other) for other in shape)
        shape.append(ranks)


@every_layer
def test_dropout_layers_share_generator_of_weights(name):
    assert len(MAKE[name](7).generators()) <= 1


def test_sample_accepts_seeds():
    model = MAKE["Transformer"](0)
    src = np.array([[4, 5, 3], [6, 3, 0]])
    drawn = [
        sample(model, src, rng=rng, max_extra_tokens=20)
        for rng in (0, np.random.default_rng(0), 0, 1)
    ]
    assert drawn[0] == drawn[1] == drawn[2] != drawn[3]
