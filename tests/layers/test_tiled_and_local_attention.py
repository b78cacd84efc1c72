"""FlashAttention and LocalAttention are the plain attention, of any shapes, dtypes, layouts and
masks, in memory that does not grow with the square of T.
"""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npformer import InputError, layers
from tests.layers.drawn_arrays import TOLERANCES, dtypes, in_layout, layouts, leading_axes, seeds
from tests.property_test import property_test

# OpenBLAS for AVX-512 raises this flag now and then for narrow matrices, without a cause
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered in matmul")

D_K, D_V = 5, 4
BOTH = {
    "flash": lambda **how: layers.FlashAttention(block_size=4, **how),
    "local": lambda **how: layers.LocalAttention(4, block_size=4, **how),
}
each_of_both = pytest.mark.parametrize("make", BOTH.values(), ids=BOTH)


def past(t, s):
    """Return which keys are not after the queries, which are the last t of s positions."""
    return np.arange(s) <= s - t + np.arange(t)[:, None]


def band(length, neighbors, causal):
    """Return who sees whom, by the sentence of the docstring: r neighbors, of an odd r one more
    on the left.
    """
    after = 0 if causal else neighbors // 2
    gap = np.arange(length) - np.arange(length)[:, None]
    return (gap >= after - neighbors) & (gap <= after)


def padding(length):
    """Return a mask (3, 1, 1, S): a full sentence, one half as long, and one of padding alone."""
    return (np.arange(length) < np.array([[length], [max(length // 2, 1)], [0]]))[:, None, None, :]


def draw_arrays(rng, t, s, dtype="float64", leading=(3, 2), d_k=D_K, d_v=D_V):
    """Return query, key, value and an upstream gradient; scores of size 10, so that peaks move
    from block to block.
    """
    shapes = (t, d_k), (s, d_k), (s, d_v), (t, d_v)
    query, *rest = (rng.normal(size=(*leading, *shape)) for shape in shapes)
    return [x.astype(dtype) for x in (5 * query, *rest)]


@st.composite
def flash_attentions(draw):
    """Draw a FlashAttention, the numbers of its queries and keys, and which keys a query sees."""
    t = draw(st.integers(1, 33))
    s = draw(st.integers(1, 33))
    causal = draw(st.booleans())
    if causal:
        s += t
    attention = layers.FlashAttention(block_size=draw(st.integers(1, 40)), causal=causal)
    return attention, t, s, past(t, s) if causal else np.ones((t, s), bool)


@st.composite
def local_attentions(draw):
    """Draw a LocalAttention, and the same of it."""
    length = draw(st.integers(1, 33))
    neighbors = draw(st.integers(1, 50))
    causal = draw(st.booleans())
    size = draw(st.none() | st.integers(1, 40))
    attention = layers.LocalAttention(neighbors, causal=causal, block_size=size)
    return attention, length, length, band(length, neighbors, causal)


@st.composite
def mask_shapes(draw, whole):
    """Draw the shape of a mask that broadcasts to a whole shape (..., T, S), or None."""
    shape = [draw(st.sampled_from([1, n])) for n in whole]
    n_axes = draw(st.integers(0, len(whole)))
    return tuple(shape[len(whole) - n_axes :]) or None


@pytest.mark.parametrize("attentions", [flash_attentions(), local_attentions()], ids=BOTH)
@property_test
@given(data=st.data())
def test_attention_equals_plain_attention_with_mask(attentions, data):
    attention, t, s, seen = data.draw(attentions)
    leading, dtype = data.draw(leading_axes), data.draw(dtypes)
    d_k, d_v = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    rng = np.random.default_rng(data.draw(seeds))
    arrays = draw_arrays(rng, t, s, dtype, leading, d_k, d_v)
    arrays = [in_layout(x, data.draw(layouts)) for x in arrays]
    mask, shape = None, data.draw(mask_shapes((*leading, t, s)))
    if shape is not None:
        mask = in_layout(rng.random(shape) > 0.4, data.draw(layouts))
        seen = seen & mask

    *inputs, dy = arrays
    plain = layers.ScaledDotProductAttention()
    expected = plain.forward(*inputs, seen), *plain.backward(dy)
    came = attention.forward(*inputs, mask), *attention.backward(dy)
    for one, other in zip(came, expected, strict=True):
        assert one.dtype == dtype
        np.testing.assert_allclose(one, other, rtol=0, atol=TOLERANCES[dtype])


def test_causal_plain_attention_equals_mask_of_the_past():
    *inputs, dy = draw_arrays(np.random.default_rng(0), 5, 8)
    causal, masked = (layers.ScaledDotProductAttention(causal=c) for c in (True, False))
    np.testing.assert_array_equal(causal.forward(*inputs), masked.forward(*inputs, past(5, 8)))
    for one, other in zip(causal.backward(dy), masked.backward(dy), strict=True):
        np.testing.assert_array_equal(one, other)


def test_default_block_is_smaller_than_a_long_text():
    """Of 128 positions: two whole tiles on each side, and a part of one."""
    *inputs, dy = draw_arrays(np.random.default_rng(0), 300, 310, leading=(1, 1))
    flash, plain = layers.FlashAttention(causal=True), layers.ScaledDotProductAttention(causal=True)
    assert flash.block_size < 150
    np.testing.assert_allclose(flash.forward(*inputs), plain.forward(*inputs), rtol=0, atol=1e-12)
    for one, other in zip(flash.backward(dy), plain.backward(dy), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", [layers.ScaledDotProductAttention, layers.FlashAttention])
@pytest.mark.parametrize("t", [0, 4])
def test_attention_without_keys_is_rejected(kind, t):
    *inputs, _ = draw_arrays(np.random.default_rng(0), t, 0)
    with pytest.raises(InputError, match="S above 0"):
        kind().forward(*inputs)


def positions_reached(attention, inputs, dy, t):
    """Return the positions to which the gradient of position t comes, by key and by value."""
    attention.forward(*inputs)
    _, dkey, dvalue = attention.backward(dy * (np.arange(len(dy[0, 0])) == t)[:, None])
    return [np.flatnonzero(np.abs(x).max((0, 1, 3))).tolist() for x in (dkey, dvalue)]


@pytest.mark.parametrize("block", [1, 2, 3, 4, 9])
def test_gradient_of_flash_reaches_only_the_past(block):
    """The gradient of position t comes to 0 .. t, be it the first or the last of its block."""
    *inputs, dy = draw_arrays(np.random.default_rng(0), 9, 9)
    inputs[0] /= 100  # so that all weights are alike, and none vanishes
    attention = layers.FlashAttention(causal=True, block_size=block)
    for t in range(1, 9):
        assert positions_reached(attention, inputs, dy, t) == [[*range(t + 1)]] * 2


@pytest.mark.parametrize(
    ("neighbors", "causal", "expected"),
    [
        (4, False, [3, 4, 5, 6, 7]),
        (3, False, [3, 4, 5, 6]),
        (1, False, [4, 5]),
        (3, True, [2, 3, 4, 5]),
    ],
)
def test_gradient_of_local_reaches_only_neighbors(neighbors, causal, expected):
    *inputs, dy = draw_arrays(np.random.default_rng(0), 9, 9)
    attention = layers.LocalAttention(neighbors, causal=causal, block_size=2)
    assert positions_reached(attention, inputs, dy, 5) == [expected] * 2


def test_local_takes_few_queries_in_eval_mode_and_causal_alone():
    query, key, value, _ = draw_arrays(np.random.default_rng(0), 9, 9)
    newest = query[..., 7:, :]
    attention = layers.LocalAttention(3, causal=True).eval()
    mask = padding(9)
    y = attention.forward(newest, key, value, mask)
    whole = attention.forward(query, key, value, mask)
    np.testing.assert_allclose(y, whole[..., 7:, :], rtol=0, atol=1e-12)

    for wrong in (attention.train(), layers.LocalAttention(3).eval()):
        with pytest.raises(InputError, match="expected one sequence, of length T"):
            wrong.forward(newest, key, value)


@each_of_both
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_text_of_only_padding_has_zero_output_and_gradient(make, dtype):
    *inputs, dy = draw_arrays(np.random.default_rng(2), 6, 6, dtype)
    attention = make()
    y = attention.forward(*inputs, padding(6))
    gradients = attention.backward(dy)
    assert not y[2].any() and y[:2].any((1, 2, 3)).all()
    assert not any(gradient[2].any() for gradient in gradients)
    assert not any(gradient[1, :, 3:].any() for gradient in gradients[1:])
    assert all(np.isfinite(x).all() for x in (y, *gradients))


@pytest.mark.parametrize("block", [2, 5])
def test_large_scores_do_not_overflow(block):
    *inputs, dy = draw_arrays(np.random.default_rng(3), 9, 9, "float32")
    inputs[0] *= 1000
    plain, blockwise = layers.ScaledDotProductAttention(), layers.FlashAttention(block_size=block)
    np.testing.assert_allclose(
        blockwise.forward(*inputs), plain.forward(*inputs), rtol=1e-4, atol=1e-5
    )
    assert all(np.isfinite(x).all() for x in blockwise.backward(dy))


def peak(attention, length, masked):
    """Return the largest memory in use during a forward and a backward, in bytes."""
    *inputs, dy = draw_arrays(np.random.default_rng(4), length, length, "float32", leading=(1, 1))
    mask = np.ones((1, 1, 1, length), bool) if masked else None
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
def test_memory_of_flash_grows_linearly_with_length(settings, masked):
    attention = layers.FlashAttention(block_size=64, rng=0, **settings)
    peak(attention, 64, masked)
    short, long = (peak(attention, length, masked) for length in (512, 2048))
    assert long < 4.5 * short
    assert long < 2048 * 2048 / 4  # even as booleans, all pairs take four times as much


@pytest.mark.parametrize("masked", [False, True])
def test_memory_of_local_grows_linearly_with_length(masked):
    attention = layers.LocalAttention(8)
    peak(attention, 64, masked)
    short, long = (peak(attention, length, masked) for length in (2048, 8192))
    assert 3.5 * short < long < 4.5 * short
    assert long < 8192 * 8192 / 2  # even as booleans, all pairs take more


def test_dropout_masks_differ_between_tiles_and_forwards():
    """With values that are a unit matrix, the outputs are the weights as dropout left them."""
    n, seen = 64, set()
    query, key, value = (
        np.zeros((2, n, 4)),
        np.zeros((2, n, 4)),
        np.broadcast_to(np.eye(n), (2, n, n)),
    )
    attention = layers.FlashAttention(dropout=0.25, block_size=16, rng=0)
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


@each_of_both
def test_backward_uses_dropout_masks_of_forward(make):
    """Dvalue is the transposed weights times dy, and forward shows the weights."""
    n = 24
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(n, 4)), rng.normal(size=(n, 4)), np.eye(n)
    attention = make(dropout=0.5, causal=True, rng=1)
    weights = attention.forward(query, key, value)
    attention.dropout.rng.random(7)  # what others draw from the generator meanwhile
    np.testing.assert_allclose(attention.backward(np.eye(n))[2], weights.T, atol=1e-14)


@each_of_both
def test_dropout_depends_only_on_the_generator(make):
    *inputs, _ = draw_arrays(np.random.default_rng(6), 12, 12)
    drawn = [make(dropout=0.5, rng=seed).forward(*inputs) for seed in (0, 0, 1)]
    plain = make().forward(*inputs)
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.allclose(drawn[0], drawn[2]) and not np.allclose(drawn[0], plain)
    np.testing.assert_array_equal(make(dropout=0.5).eval().forward(*inputs), plain)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_local_self_attention_equals_banded_mask(causal, masked):
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


ones = np.ones((2, 6, 3))
WRONG = {
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
