"""Attention by blocks is the plain attention, and makes nothing that grows with the square of T."""

import tracemalloc

import numpy as np
import pytest

from npformer import InputError, layers
from npformer.layers.extra.tiles import Tiles

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
    """Return query, key, value and an upstream gradient; scores of size 10, so that peaks move from block to block."""
    shapes = (t, D_K), (s, D_K), (s, D_V), (t, D_V)
    query, *rest = (rng.normal(size=(*leading, *shape)) for shape in shapes)
    return [x.astype(dtype) for x in (5 * query, *rest)]


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block", BLOCKS)
def test_it_is_the_plain_attention(block, causal, kind, lengths=LENGTHS):
    for t, s in lengths:
        rng = np.random.default_rng([t, s])
        *inputs, dy = draw(rng, t, s)
        mask = MASKS[kind](rng, t, s)
        blockwise = layers.FlashAttention(causal=causal, block=block)
        plain = layers.ScaledDotProductAttention(causal=causal)
        np.testing.assert_allclose(blockwise.forward(*inputs, mask), plain.forward(*inputs, mask), rtol=0, atol=1e-12)
        for one, other in zip(blockwise.backward(dy), plain.backward(dy), strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("t", "leading"), [(0, (3, 2)), (0, ()), (0, (0, 2)), (5, (0, 2))], ids=str)
@pytest.mark.parametrize("causal", [False, True])
def test_without_queries_or_heads_it_is_the_plain_attention_too(t, leading, causal):
    *inputs, dy = draw(np.random.default_rng(0), t, 5, "float32", leading)
    found = []
    for kind in (layers.FlashAttention, layers.ScaledDotProductAttention):
        attention = kind(causal=causal)
        found.append([attention.forward(*inputs), *attention.backward(dy)])
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype == np.float32
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", [layers.ScaledDotProductAttention, layers.FlashAttention])
@pytest.mark.parametrize("t", [0, 4])
def test_without_any_key_there_is_nothing_to_attend_to(kind, t):
    *inputs, _ = draw(np.random.default_rng(0), t, 0)
    with pytest.raises(InputError, match="S above 0"):
        kind().forward(*inputs)


@pytest.mark.parametrize("causal", [False, True])
def test_it_is_the_plain_attention_at_the_default_block(causal):
    test_it_is_the_plain_attention(layers.FlashAttention().block, causal, "padding", [(600, 700)])


@pytest.mark.parametrize("kind", [layers.ScaledDotProductAttention, layers.FlashAttention])
def test_causal_is_a_mask_of_the_past_where_the_queries_are_the_last(kind):
    *inputs, dy = draw(np.random.default_rng(0), 5, 8)
    past = np.arange(8) <= 3 + np.arange(5)[:, None]
    causal, masked = kind(causal=True), kind()
    np.testing.assert_array_equal(causal.forward(*inputs), masked.forward(*inputs, past))
    for one, other in zip(causal.backward(dy), masked.backward(dy), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)


@pytest.mark.parametrize("block", [1, 2, 3, 4, 9])
def test_who_sees_whom(block):
    """The gradient of position t comes to 0 .. t, be it the first or the last of its block."""
    *inputs, dy = draw(np.random.default_rng(0), 9, 9)
    inputs[0] /= 100  # so that all weights are alike, and none vanishes
    attention = layers.FlashAttention(causal=True, block=block)
    for t in range(1, 9):
        attention.forward(*inputs)
        for gradient in attention.backward(dy * (np.arange(9) == t)[:, None])[1:]:
            assert np.flatnonzero(np.abs(gradient).max((0, 1, 3))).tolist() == [*range(t + 1)]


def tiles_of(t, s, **settings):
    return [(queries, tile.keys) for queries, row in Tiles((2, t, s), None, **settings) for tile in row]


@pytest.mark.parametrize(("t", "s"), [(9, 9), (4, 9)])
def test_tiles_in_the_future_are_left_out_and_all_others_come_once(t, s):
    count = np.zeros((2, t, s), int)
    for (heads, rows), (same, columns) in tiles_of(t, s, causal=True, block=2):
        assert heads == same
        count[heads, rows, columns] += 1
        assert columns.start <= s - t + rows.stop - 1
    past = np.arange(s) <= s - t + np.arange(t)[:, None]
    assert count.max() == 1 and (count[:, past] == 1).all()
    assert sum(1 for _ in tiles_of(t, s, causal=False, block=2)) == -(-t // 2) * -(-s // 2)


def test_tiles_that_all_see_hide_nothing_and_cost_no_mask():
    rows = [list(row) for _, row in Tiles((1, 8, 8), None, causal=True, block=2)]
    assert [[tile.hidden is None for tile in row] for row in rows] == [[True] * i + [False] for i in range(4)]
    assert all(tile.hidden.shape[-2] == 1 for _, row in Tiles((3, 8, 8), padding(8)[:, 0], causal=False, block=2)
               for tile in row)  # fmt: skip


def test_tiles_of_few_heads_fit_the_cache():
    [*queries] = [queries for queries, _ in Tiles((5, 8, 4096, 4096), None, causal=False, block=256)]
    assert max(heads.stop - heads.start for heads, _ in queries) == 2  # 2 * 256 * 256 scores are 512 KiB
    [*queries] = [queries for queries, _ in Tiles((5, 8, 25, 25), None, causal=False, block=256)]
    assert len(queries) == 1


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 4)])
def test_leading_axes_are_free(leading):
    *inputs, dy = draw(np.random.default_rng(1), 7, 9, leading=leading)
    mask = np.random.default_rng(2).random((*leading, 7, 9)) > 0.3
    attention = layers.FlashAttention(block=4)
    y, gradients = attention.forward(*inputs, mask), attention.backward(dy)
    for index in np.ndindex(leading):
        ones = attention.forward(*(x[index] for x in inputs), mask[index]), *attention.backward(dy[index])
        for whole, one in zip((y, *gradients), ones, strict=True):
            np.testing.assert_allclose(whole[index], one, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_text_of_padding_has_zeros_and_no_gradient(dtype):
    *inputs, dy = draw(np.random.default_rng(2), 6, 6, dtype)
    attention = layers.FlashAttention(block=4)
    y = attention.forward(*inputs, padding(6))
    gradients = attention.backward(dy)
    assert not y[2].any() and y[:2].any((1, 2, 3)).all()
    assert not any(gradient[2].any() for gradient in gradients)
    assert not any(gradient[1, :, 3:].any() for gradient in gradients[1:])
    assert all(np.isfinite(x).all() for x in (y, *gradients))


@pytest.mark.parametrize("block", [2, 5])
def test_scores_that_would_overflow_do_not(block):
    *inputs, dy = draw(np.random.default_rng(3), 9, 9, "float32")
    inputs[0] *= 1000
    plain, blockwise = layers.ScaledDotProductAttention(), layers.FlashAttention(block=block)
    np.testing.assert_allclose(blockwise.forward(*inputs), plain.forward(*inputs), rtol=1e-4, atol=1e-5)
    assert all(np.isfinite(x).all() for x in blockwise.backward(dy))


def test_float32_stays_float32():
    *inputs, dy = draw(np.random.default_rng(3), 10, 10, "float32")
    attention = layers.FlashAttention(block=3, dropout=0.25, rng=0)
    y = attention.forward(*inputs, padding(10))
    assert all(x.dtype == "float32" for x in attention._memory[1] if hasattr(x, "dtype"))
    assert all(x.dtype == "float32" for x in (y, *attention.backward(dy)))


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
def test_memory_grows_with_the_length_and_not_with_its_square(settings, masked):
    peak(64, None)
    short, long = (
        peak(length, np.ones((1, 1, 1, length), bool) if masked else None, **settings) for length in (512, 2048)
    )
    assert long < 4.5 * short
    assert long < 2048 * 2048 / 4  # even as booleans, all pairs take four times as much


def test_a_full_mask_is_read_block_by_block():
    *inputs, dy = draw(np.random.default_rng(4), 1024, 1024, "float32", leading=(4, 2))
    mask = np.broadcast_to(np.tri(1024, dtype=bool), (4, 1, 1024, 1024))  # copied once, it would be 4 MiB, or 8
    attention = layers.FlashAttention(block=64)
    tracemalloc.start()
    try:
        attention.forward(*inputs, mask)
        attention.backward(dy)
        assert tracemalloc.get_traced_memory()[1] < 3 << 20
    finally:
        tracemalloc.stop()


def test_dropout_drops_so_many_weights_anew_in_each_tile_and_each_forward():
    """With values that are a unit matrix, the outputs are the weights as dropout left them."""
    n, seen = 64, set()
    query, key, value = np.zeros((2, n, 4)), np.zeros((2, n, 4)), np.broadcast_to(np.eye(n), (2, n, n))
    attention = layers.FlashAttention(dropout=0.25, block=16, rng=0)
    for _ in range(2):
        kept = attention.forward(query, key, value) * n
        assert set(np.unique(kept.round(9))) == {0, round(1 / 0.75, 9)}
        assert abs((kept == 0).mean() - 0.25) < 0.02
        seen |= {kept[h, i : i + 16, j : j + 16].tobytes() for h in (0, 1) for i in range(0, n, 16)
                 for j in range(0, n, 16)}  # fmt: skip
    assert len(seen) == 2 * 2 * 4 * 4
    plain = layers.ScaledDotProductAttention().forward(query, key, value)
    np.testing.assert_allclose(attention.eval().forward(query, key, value), plain)


def test_backward_has_the_masks_of_forward():
    """Dvalue is the transposed weights times dy, and forward shows the weights."""
    n = 24
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(n, 4)), rng.normal(size=(n, 4)), np.eye(n)
    attention = layers.FlashAttention(dropout=0.5, block=5, causal=True, rng=1)
    weights = attention.forward(query, key, value)
    attention.dropout.rng.random(7)  # what others draw from the generator meanwhile
    np.testing.assert_allclose(attention.backward(np.eye(n))[2], weights.T, atol=1e-14)


def test_dropout_draws_from_the_generator():
    *inputs, _ = draw(np.random.default_rng(6), 12, 12)
    drawn = [layers.FlashAttention(dropout=0.5, rng=seed, block=5).forward(*inputs) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.allclose(drawn[0], drawn[2])


def test_short_texts_go_the_plain_way_and_each_backward_knows_which_it_was():
    attention = layers.FlashAttention(plain_below=8, block=3)
    for t in (7, 8, 7):
        *inputs, dy = draw(np.random.default_rng(t), t, 9)
        plain = layers.ScaledDotProductAttention()
        y, expected = attention.forward(*inputs), plain.forward(*inputs)
        assert (attention.softmax._memory is not None) is (t < 8)
        assert np.array_equal(y, expected) or t == 8
        np.testing.assert_allclose(y, expected, atol=1e-13)
        for one, other in zip(attention.backward(dy), plain.backward(dy), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-13)


def test_of_two_forwards_the_second_counts_whichever_way_it_went():
    attention = layers.FlashAttention(plain_below=8, block=3)
    for first, second in ((7, 8), (8, 7)):
        *before, _ = draw(np.random.default_rng(0), first, 9)
        *inputs, dy = draw(np.random.default_rng(1), second, 9)
        plain = layers.ScaledDotProductAttention()
        attention.forward(*before), attention.forward(*inputs), plain.forward(*inputs)
        for one, other in zip(attention.backward(dy), plain.backward(dy), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-13)


ones = np.ones((2, 6, 3))
WRONG = {
    "block = 0: expected a whole number, 1 or more": lambda: layers.FlashAttention(block=0),
    "FlashAttention(causal) got query (2, 6, 3) and key (2, 5, 3): expected keys of the queries' own": lambda: (
        layers.FlashAttention(causal=True).forward(ones, ones[:, :5], ones[:, :5])
    ),
    "ScaledDotProductAttention(causal) got query (2, 6, 3) and key (2, 5, 3): expected keys of the": lambda: (
        layers.ScaledDotProductAttention(causal=True).forward(ones, ones[:, :5], ones[:, :5])
    ),
    "FlashAttention() got query (2, 6, 3), key (2, 6, 3), value (2, 5, 3): expected": lambda: (
        layers.FlashAttention().forward(ones, ones, ones[:, :5])
    ),
    "FlashAttention() got a mask of shape (5,): expected one that broadcasts to (2, 6, 6)": lambda: (
        layers.FlashAttention().forward(ones, ones, ones, np.ones(5, bool))
    ),
    "ScaledDotProductAttention(causal) got a mask of type float64: expected an array of booleans": lambda: (
        layers.ScaledDotProductAttention(causal=True).forward(ones, ones, ones, np.ones(6))
    ),
}


@pytest.mark.parametrize("expected", WRONG)
def test_what_does_not_fit_is_refused_in_one_line(expected):
    with pytest.raises(InputError) as caught:
        WRONG[expected]()
    assert expected in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("blockwise_from", [None, 3])
@pytest.mark.parametrize("kind", [layers.MultiHeadAttention, layers.SelfAttention, layers.CrossAttention])
def test_multi_head_attention_hands_length_dropout_and_generator_on(kind, blockwise_from):
    attention = kind(6, 2, dropout=0.25, blockwise_from=blockwise_from, rng=0)
    expected = layers.ScaledDotProductAttention if blockwise_from is None else layers.FlashAttention
    assert type(attention.attention) is expected and attention.attention.dropout.p == 0.25
    assert blockwise_from is None or attention.attention.plain_below == 3
    assert len(attention.generators()) == 1


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_self_attention_by_blocks_is_the_plain_one(causal, masked):
    x, dy = np.random.default_rng(7).normal(size=(2, 3, 300, 6))
    made = {"d_k": 5, "causal": causal, "rng": 0, "dtype": "float64"}
    plain, by_blocks = layers.SelfAttention(6, 2, **made), layers.SelfAttention(6, 2, blockwise_from=0, **made)
    mask = padding(300)[:, 0] if masked else None
    np.testing.assert_allclose(by_blocks.forward(x, mask), plain.forward(x, mask), rtol=0, atol=1e-12)
    np.testing.assert_allclose(by_blocks.backward(dy), plain.backward(dy), rtol=0, atol=1e-12)
    for one, other in zip(by_blocks.parameters(), plain.parameters(), strict=True):
        np.testing.assert_allclose(one.grad, other.grad, rtol=0, atol=1e-10)


@pytest.mark.parametrize("endless", ["query", "dy"])
def test_what_is_no_number_is_no_warning(endless):
    layer, (query, key, value, dy) = layers.FlashAttention(block=3), draw(np.random.default_rng(0), 7, 7)
    {"query": query, "dy": dy}[endless][0, 0, 0, 0] = np.inf
    y, (dquery, *_) = layer.forward(query, key, value), layer.backward(dy)
    assert np.isnan(y).any() == (endless == "query") and np.isnan(dquery[0, 0, 0]).all()
    assert np.isfinite(y[0, 1]).all() and np.isfinite(dquery[0, 1]).all()
