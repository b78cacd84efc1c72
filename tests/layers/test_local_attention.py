"""Restricted attention is full attention with a banded mask, and makes nothing that grows with
the square of T.
"""

import tracemalloc

import numpy as np
import pytest

from npformer import layers

D_K, D_V = 5, 4
LENGTHS = [1, 2, 5, 13, 33]


def band(length, neighbors, causal):
    """Return who sees whom, by the sentence of the docstring: r neighbors, of an odd r one more
    on the left.
    """
    after = 0 if causal else neighbors // 2
    return np.array(
        [[t - (neighbors - after) <= s <= t + after for s in range(length)] for t in range(length)]
    )


def padding(length):
    """Return a mask (3, 1, 1, T): a full sentence, one half as long, and one of padding alone."""
    return (np.arange(length) < np.array([[length], [max(length // 2, 1)], [0]]))[:, None, None, :]


MASKS = {
    "no mask": lambda rng, length: None,
    "padding": lambda rng, length: padding(length),
    "(T, S)": lambda rng, length: rng.random((length, length)) > 0.4,
    "(B, 1, T, S)": lambda rng, length: rng.random((3, 1, length, length)) > 0.4,
    "(T, 1)": lambda rng, length: rng.random((length, 1)) > 0.3,
    "(S,)": lambda rng, length: rng.random(length) > 0.3,
}


def draw(rng, length, dtype="float64", leading=(3, 2)):
    """Return query, key, value and an upstream gradient."""
    return [rng.normal(size=(*leading, length, d)).astype(dtype) for d in (D_K, D_K, D_V, D_V)]


def both(length, neighbors, causal, block, kind):
    """Yield what both attentions give, in pairs: outputs, and the gradients of query, key and
    value.
    """
    rng = np.random.default_rng(length)
    *inputs, dy = draw(rng, length)
    mask = MASKS[kind](rng, length)
    seen = (
        band(length, neighbors, causal) if mask is None else band(length, neighbors, causal) & mask
    )
    restricted = layers.LocalAttention(neighbors, causal=causal, size=block)
    full = layers.ScaledDotProductAttention()
    yield restricted.forward(*inputs, mask), full.forward(*inputs, seen)
    yield from zip(restricted.backward(dy), full.backward(dy), strict=True)


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("neighbors", [1, 2, 3, 8, 50])
def test_local_attention_equals_full_with_banded_mask(neighbors, causal, kind):
    for length in LENGTHS:
        for block in (None, 1, 7, 40) if length < 33 else (None, 3):  # one key per block takes long
            for found, expected in both(length, neighbors, causal, block, kind):
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("neighbors", "causal", "expected"),
    [
        (4, False, [3, 4, 5, 6, 7]),
        (3, False, [3, 4, 5, 6]),
        (1, False, [4, 5]),
        (3, True, [2, 3, 4, 5]),
    ],
)
def test_gradient_reaches_only_visible_positions(neighbors, causal, expected):
    *inputs, dy = draw(np.random.default_rng(0), 9)
    dy[..., np.arange(9) != 5, :] = 0
    attention = layers.LocalAttention(neighbors, causal=causal, size=2)
    attention.forward(*inputs)
    _, dkey, dvalue = attention.backward(dy)
    for gradient in (dkey, dvalue):
        assert np.flatnonzero(np.abs(gradient).max((0, 1, 3))).tolist() == expected


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 4)])
def test_leading_axes_are_free(leading):
    *inputs, dy = draw(np.random.default_rng(1), 7, leading=leading)
    attention = layers.LocalAttention(3, size=2)
    y, gradients = attention.forward(*inputs), attention.backward(dy)
    for index in np.ndindex(leading):
        ones = attention.forward(*(x[index] for x in inputs)), *attention.backward(dy[index])
        for whole, one in zip((y, *gradients), ones, strict=True):
            np.testing.assert_allclose(whole[index], one, rtol=1e-12, atol=1e-14)


def test_text_of_only_padding_has_zero_output_and_gradient():
    *inputs, dy = draw(np.random.default_rng(2), 6)
    attention = layers.LocalAttention(2, size=4)
    y = attention.forward(*inputs, padding(6))
    gradients = attention.backward(dy)
    assert not y[2].any() and y[:2].any((1, 2, 3)).all()
    assert not any(gradient[2].any() for gradient in gradients)
    assert not any(gradient[1, :, 3:].any() for gradient in gradients[1:])


def peak(length, mask):
    """Return the largest memory in use during a forward and a backward, in bytes."""
    *inputs, dy = draw(np.random.default_rng(4), length, "float32", leading=(1, 1))
    attention = layers.LocalAttention(8)
    tracemalloc.start()
    try:
        attention.forward(*inputs, mask)
        attention.backward(dy)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("masked", [False, True])
def test_memory_grows_linearly_with_length(masked):
    peak(64, None)
    short, long = (
        peak(length, np.ones((1, 1, 1, length), bool) if masked else None)
        for length in (2048, 8192)
    )
    assert 3.5 * short < long < 4.5 * short
    assert long < 8192 * 8192 / 2  # even as booleans, all pairs take more


def test_dropout_of_weights_depends_only_on_generator():
    *inputs, _ = draw(np.random.default_rng(6), 12)
    drawn = [layers.LocalAttention(4, dropout=0.5, rng=seed).forward(*inputs) for seed in (0, 0, 1)]
    plain = layers.LocalAttention(4).forward(*inputs)
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.allclose(drawn[0], drawn[2]) and not np.allclose(drawn[0], plain)
    np.testing.assert_array_equal(
        layers.LocalAttention(4, dropout=0.5).eval().forward(*inputs), plain
    )


ones = np.ones((2, 6, 3))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_restricted_self_attention_equals_banded_mask(causal, masked):
    rng = np.random.default_rng(7)
    x, dy = rng.normal(size=(2, 3, 11, 6))
    made = {"d_k": 5, "bias": False, "rng": 0, "dtype": "float64"}
    restricted, full = (
        layers.SelfAttention(6, 2, attention=layers.LocalAttention(3, causal=causal), **made),
        layers.SelfAttention(6, 2, **made),
    )
    mask, seen = None, band(11, 3, causal)
    if masked:
        mask = padding(11)[:, 0]
        seen = seen & mask
    np.testing.assert_allclose(
        restricted.forward(x, mask), full.forward(x, seen), rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(restricted.backward(dy), full.backward(dy), rtol=0, atol=1e-12)
    for one, other in zip(restricted.parameters(), full.parameters(), strict=True):
        np.testing.assert_allclose(one.grad, other.grad, rtol=0, atol=1e-12)
