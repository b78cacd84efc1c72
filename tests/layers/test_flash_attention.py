"""FlashAttention is the plain attention, in memory that does not grow with the square of T."""

import tracemalloc

import numpy as np
import pytest

from npformer import InputError, layers

D_K, D_V = 5, 4
LENGTHS = [(1, 1), (2, 7), (7, 7), (13, 29), (33, 33)]  # queries and keys
BLOCKS = [1, 3, 7, 8, 40]
MASKS = {
    "no mask": lambda rng, t, s: None,
    "padding": lambda rng, t, s: padding(s),
    "(T, S)": lambda rng, t, s: rng.random((t, s)) > 0.4,
    "(B, 1, T, S)": lambda rng, t, s: rng.random((3, 1, t, s)) > 0.4,
    "(B, H, T, S)": lambda rng, t, s: rng.random((3, 2, t, s)) > 0.4,
    "(T, 1)": lambda rng, t, s: rng.random((t, 1)) > 0.3,
    "(S,)": lambda rng, t, s: rng.random(s) > 0.3,
}


def padding(length):
    """Return a mask (3, 1, 1, S): a full sentence, one half as long, and one of padding alone."""
    return (np.arange(length) < np.array([[length], [max(length // 2, 1)], [0]]))[:, None, None, :]


def draw(rng, t, s, dtype="float64", leading=(3, 2)):
    """Return query, key, value and an upstream gradient; scores of size 10, so that peaks move
    from block to block.
    """
    shapes = (t, D_K), (s, D_K), (s, D_V), (t, D_V)
    query, *rest = (rng.normal(size=(*leading, *shape)) for shape in shapes)
    return [x.astype(dtype) for x in (5 * query, *rest)]


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", BLOCKS)
def test_flash_attention_equals_plain_attention(block, causal, kind, lengths=LENGTHS):
    for t, s in lengths if block > 1 else lengths[:3]:  # one key per block takes long
        rng = np.random.default_rng([t, s])
        *inputs, dy = draw(rng, t, s)
        mask = MASKS[kind](rng, t, s)
        blockwise = layers.FlashAttention(causal=causal, block=block)
        plain = layers.ScaledDotProductAttention(causal=causal)
        np.testing.assert_allclose(
            blockwise.forward(*inputs, mask), plain.forward(*inputs, mask), rtol=0, atol=1e-12
        )
        for one, other in zip(blockwise.backward(dy), plain.backward(dy), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [layers.ScaledDotProductAttention, layers.FlashAttention])
@pytest.mark.parametrize("t", [0, 4])
def test_attention_without_keys_is_rejected(kind, t):
    *inputs, _ = draw(np.random.default_rng(0), t, 0)
    with pytest.raises(InputError, match="S above 0"):
        kind().forward(*inputs)


@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention_equals_plain_at_default_block(causal):
    test_flash_attention_equals_plain_attention(
        layers.FlashAttention().block, causal, "padding", [(600, 700)]
    )


@pytest.mark.parametrize("kind", [layers.ScaledDotProductAttention, layers.FlashAttention])
def test_causal_equals_past_mask_for_last_queries(kind):
    *inputs, dy = draw(np.random.default_rng(0), 5, 8)
    past = np.arange(8) <= 3 + np.arange(5)[:, None]
    causal, masked = kind(causal=True), kind()
    np.testing.assert_array_equal(causal.forward(*inputs), masked.forward(*inputs, past))
    for one, other in zip(causal.backward(dy), masked.backward(dy), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)


@pytest.mark.parametrize("block", [1, 2, 3, 4, 9])
def test_gradient_reaches_only_visible_positions(block):
    """The gradient of position t comes to 0 .. t, be it the first or the last of its block."""
    *inputs, dy = draw(np.random.default_rng(0), 9, 9)
    inputs[0] /= 100  # so that all weights are alike, and none vanishes
    attention = layers.FlashAttention(causal=True, block=block)
    for t in range(1, 9):
        attention.forward(*inputs)
        for gradient in attention.backward(dy * (np.arange(9) == t)[:, None])[1:]:
            assert np.flatnonzero(np.abs(gradient).max((0, 1, 3))).tolist() == [*range(t + 1)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_text_of_only_padding_has_zero_output_and_gradient(dtype):
    *inputs, dy = draw(np.random.default_rng(2), 6, 6, dtype)
    attention = layers.FlashAttention(block=4)
    y = attention.forward(*inputs, padding(6))
    gradients = attention.backward(dy)
    assert not y[2].any() and y[:2].any((1, 2, 3)).all()
    assert not any(gradient[2].any() for gradient in gradients)
    assert not any(gradient[1, :, 3:].any() for gradient in gradients[1:])
    assert all(np.isfinite(x).all() for x in (y, *gradients))


@pytest.mark.parametrize("block", [2, 5])
def test_large_scores_do_not_overflow(block):
    *inputs, dy = draw(np.random.default_rng(3), 9, 9, "float32")
    inputs[0] *= 1000
    plain, blockwise = layers.ScaledDotProductAttention(), layers.FlashAttention(block=block)
    np.testing.assert_allclose(
        blockwise.forward(*inputs), plain.forward(*inputs), rtol=1e-4, atol=1e-5
    )
    assert all(np.isfinite(x).all() for x in blockwise.backward(dy))


def peak(length, mask, **settings):
    """Return the largest memory in use during a forward and a backward, in bytes."""
    *inputs, dy = draw(np.random.default_rng(4), length, length, "float32", leading=(1, 1))
    attention = layers.FlashAttention(block=64, rng=0, **settings)
    tracemalloc.start()
    try:
        attention.forward(*inputs, mask)
        attention.backward(dy)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("settings", [{}, {"causal": True}, {"dropout": 0.1}], ids=str)
def test_cache_grows_linearly_with_length(settings, masked):
    peak(64, None)
    short, long = (
        peak(length, np.ones((1, 1, 1, length), bool) if masked else None, **settings)
        for length in (512, 2048)
    )
    assert long < 4.5 * short
    assert long < 2048 * 2048 / 4  # even as booleans, all pairs take four times as much


def test_dropout_masks_differ_between_tiles_and_forwards():
    """With values that are a unit matrix, the outputs are the weights as dropout left them."""
    n, seen = 64, set()
    query, key, value = (
        np.zeros((2, n, 4)),
        np.zeros((2, n, 4)),
        np.broadcast_to(np.eye(n), (2, n, n)),
    )
    attention = layers.FlashAttention(dropout=0.25, block=16, rng=0)
    for _ in range(2):
        kept = attention.forward(query, key, value) * n
        assert set(np.unique(kept.round(9))) == {0, round(1 / 0.75, 9)}
        assert abs((kept == 0).mean() - 0.25) < 0.02
        seen |= {
            kept[0, i : i + 16, j : j + 16].tobytes()
            for i in range(0, n, 16)
            for j in range(0, n, 16)
        }
    assert len(seen) == 2 * 4 * 4
    plain = layers.ScaledDotProductAttention().forward(query, key, value)
    np.testing.assert_allclose(attention.eval().forward(query, key, value), plain)


def test_backward_uses_dropout_masks_of_forward():
    """Dvalue is the transposed weights times dy, and forward shows the weights."""
    n = 24
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(n, 4)), rng.normal(size=(n, 4)), np.eye(n)
    attention = layers.FlashAttention(dropout=0.5, block=5, causal=True, rng=1)
    weights = attention.forward(query, key, value)
    attention.dropout.rng.random(7)  # what others draw from the generator meanwhile
    np.testing.assert_allclose(attention.backward(np.eye(n))[2], weights.T, atol=1e-14)


def test_dropout_depends_only_on_the_generator():
    *inputs, _ = draw(np.random.default_rng(6), 12, 12)
    drawn = [
        layers.FlashAttention(dropout=0.5, rng=seed, block=5).forward(*inputs) for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.allclose(drawn[0], drawn[2])


ones = np.ones((2, 6, 3))
WRONG = {
    "block = 0: expected an integer >= 1": lambda: layers.FlashAttention(block=0),
    "expected at least as many keys as queries, because it is causal": lambda: (
        layers.FlashAttention(causal=True).forward(ones, ones[:, :5], ones[:, :5])
    ),
    "FlashAttention() got a mask of shape (5,): expected one that broadcasts to (2, 6, 6)": lambda: (
        layers.FlashAttention().forward(ones, ones, ones, np.ones(5, bool))
    ),
}


@pytest.mark.parametrize("expected", WRONG)
def test_errors(expected):
    with pytest.raises(InputError) as caught:
        WRONG[expected]()
    assert expected in str(caught.value) and "\n" not in str(caught.value)
