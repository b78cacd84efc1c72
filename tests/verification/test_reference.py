"""The values of every forward against slow formulas written a second time.

A bug that stands in forward and backward alike passes every gradient check; here it does not.
"""

import numpy as np
import pytest

from npformer import Transformer, TransformerConfig, layers
from npformer import slow_formulas as slow
from npformer.layers import causal_mask, padding_mask
from tests.small_models import disturb

B, T, S, D, H, D_K, D_V, F, V = 3, 7, 8, 6, 2, 5, 4, 9, 11
DOUBLE = {"dtype": "float64"}


def randomize_parameters(layer, rng):
    """Return the layer with weights, gains and biases of order 1."""
    disturb(layer, rng, 0.5)
    return layer


def close(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12)


def test_multi_head_attention():
    rng = np.random.default_rng(0)
    query, memory = rng.normal(size=(B, T, D)), rng.normal(size=(B, S, D))
    mask = rng.random((B, T, S)) > 0.3
    mask[1, 2] = False
    attention = randomize_parameters(
        layers.MultiHeadAttention(D, H, d_k=D_K, d_v=D_V, rng=rng, **DOUBLE), rng
    )
    y = attention.forward(query, memory, memory, mask)
    for b in range(B):
        close(y[b], slow.multi_head(attention.state_dict(), H, query[b], memory[b], mask[b]))


def test_scaled_dot_product_attention():
    rng = np.random.default_rng(1)
    query, key, value = (
        rng.normal(size=(T, D_K)),
        rng.normal(size=(S, D_K)),
        rng.normal(size=(S, D_V)),
    )
    y = layers.ScaledDotProductAttention().forward(query, key, value)
    close(y, slow.head(query, key, value, np.ones((T, S), bool)))


def test_softmax():
    x = np.random.default_rng(2).normal(size=(T, S))
    mask = np.arange(S) < np.arange(T)[:, None]  # the first row sees nothing
    y = layers.Softmax().forward(x, mask)
    close(y, [slow.softmax(*row) for row in zip(x, mask, strict=True)])
    assert (y[0] == 0).all() and (y[~mask] == 0).all()


def test_softmax_of_large_scores():
    for row in [1e4, 1e4 - 1, -1e4], [-1e4, -1e4 - 1, -2e4]:
        close(layers.Softmax().forward(np.array([row])), [slow.softmax(row, [True] * 3)])
        # 1 and exp(-1), by hand
        close(slow.softmax(row, [True] * 3), [0.7310585786300049, 0.2689414213699951, 0])
        assert slow.softmax(row, [False, True, False]) == [0, 1, 0]


def test_formula_of_the_loss_takes_large_logits():
    # -log p is log(1 + exp(-1)) of the first, and 1 more of the second
    for logits in np.array([[[800.0, 799.0]], [[-800.0, -801.0]]]):
        found = slow.label_smoothing_loss(logits, [0], eps=0.2, pad_id=9)
        close(found, 0.3132616875182228 + 0.1)


def test_formula_of_the_sigmoid_takes_large_numbers():
    numbers = [-1000.0, -1.0, 0.0, 1.0, 1000.0]
    found = [slow.sigmoid(number) for number in numbers]
    close(found, [0, 0.2689414213699951, 0.5, 0.7310585786300049, 1])


def test_formula_of_a_linear_map_refuses_other_widths():
    with pytest.raises(ValueError, match="shorter"):
        slow.linear(np.ones((3, 2)), np.zeros(2), np.ones((1, 4)))


@pytest.mark.parametrize("eps", [1e-6, 0.5])
def test_layer_norm(eps):
    rng = np.random.default_rng(3)
    norm = randomize_parameters(layers.LayerNorm(D, eps=eps, **DOUBLE), rng)
    x = rng.normal(2, 3, (T, D))
    close(norm.forward(x), slow.layer_norm(norm.state_dict(), x, eps))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_add_norm_and_feed_forward(norm):
    rng = np.random.default_rng(4)
    sublayer = layers.FeedForward(D, F, rng=rng, **DOUBLE)
    kind = layers.PreNorm if norm == "pre" else layers.PostNorm
    layer = randomize_parameters(kind(sublayer, D, dropout=0, **DOUBLE), rng)
    x = rng.normal(size=(T, D))
    close(sublayer.forward(x), slow.feed_forward(sublayer.state_dict(), x))
    close(layer.forward(x), slow.add_norm(layer.state_dict(), x, slow.feed_forward, norm == "pre"))


def test_embedding_generator_and_positions():
    rng = np.random.default_rng(5)
    ids = rng.integers(0, V, S)
    embedding = layers.Embedding(V, D, rng=rng, **DOUBLE)
    positions = layers.SinusoidalPositionalEncoding(D, max_len=S, **DOUBLE)
    x = positions.forward(embedding.forward(ids))
    close(x, slow.embed(embedding.table.data, ids))
    close(layers.Generator(V, D, table=embedding.table).forward(x), x @ embedding.table.data.T)


def test_learned_positions():
    positions = layers.LearnedPositionalEncoding(D, max_len=S, **DOUBLE)
    close(positions.forward(np.ones((B, T, D))), [1 + positions.table.data[:T]] * B)


def test_dropout():
    x = np.random.default_rng(6).uniform(1, 2, (200, 300))
    y = layers.Dropout(0.25, rng=np.random.default_rng(7)).forward(x)
    kept = y != 0
    close(y[kept], x[kept] / 0.75)
    assert abs(kept.mean() - 0.75) < 0.01 and abs(y.mean() - x.mean()) < 0.02


def test_masks():
    ids = np.array([[4, 5, 0], [6, 0, 0]])
    assert padding_mask(ids, 0).tolist() == [[[True, True, False]], [[True, False, False]]]
    assert causal_mask(T).tolist() == [[j <= t for j in range(T)] for t in range(T)]


@pytest.mark.parametrize(("norm", "start_id"), [("post", 2), ("pre", 2), ("post", 0)])
def test_transformer(norm, start_id):
    sizes = dict(src_vocab_size=V, tgt_vocab_size=V, d_model=D, d_ff=F, n_heads=H, d_k=D_K, d_v=D_V)
    config = TransformerConfig(
        **sizes,
        n_encoder_layers=2,
        n_decoder_layers=2,
        dropout=0,
        norm=norm,
        start_id=start_id,
        **DOUBLE,
    )
    rng = np.random.default_rng(8)
    model = randomize_parameters(Transformer(config, rng=rng), rng)
    src, tgt = rng.integers(1, V, (B, S)), rng.integers(1, V, (B, T))
    src[1, 5:], tgt[2, 4:] = 0, 0
    tgt[:, 0] = start_id
    logits = model.forward(src, tgt)
    for b in range(B):
        close(logits[b], slow.transformer(model.state_dict(), config, src[b], tgt[b]))
