"""Texts laid one behind the other: the same attention, without the places of padding."""

import numpy as np
import pytest
from npformer.layers.packing import PackedMask, Packing, keys_of, queries_of

from npformer import InputError
from npformer.layers import CrossAttention, SelfAttention

LENGTHS, MEMORY_LENGTHS, D = (4, 1, 6), (2, 5, 0), 8


def real(lengths):
    return np.arange(max(lengths)) < np.array(lengths)[:, None]


def vectors(lengths, seed=0):
    """Return vectors (B, T, D), those of padding far from the others."""
    x = np.random.default_rng(seed).normal(size=(len(lengths), max(lengths), D))
    x[~real(lengths)] = 1e3
    return x


def test_packed_and_unpacked_again():
    packing, x = Packing(real(LENGTHS)), vectors(LENGTHS)
    packed = packing.pack(x)
    assert packing.n == 11 and packed.shape == (11, D)
    np.testing.assert_array_equal(packed, np.concatenate([x[i, :n] for i, n in enumerate(LENGTHS)]))
    np.testing.assert_array_equal(packing.unpack(packed), np.where(real(LENGTHS)[..., None], x, 0))


def test_without_padding_nothing_is_copied():
    packing, x = Packing(np.ones((2, 3), bool)), np.zeros((2, 3, D))
    packed = packing.pack(x)
    assert packing.n == 6 and packed.shape == (6, D) and np.shares_memory(packed, x)
    unpacked = packing.unpack(packed)
    assert unpacked.shape == (2, 3, D) and np.shares_memory(unpacked, x)


@pytest.mark.parametrize("mask", [np.ones((2, 3)), np.ones((2, 1, 3), bool), [[True]]])
def test_what_does_not_say_what_is_real_is_refused(mask):
    with pytest.raises(InputError, match=r"what is real came as .*: expected booleans \(B, T\)") as caught:
        Packing(mask)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lengths", [LENGTHS, (6, 6, 6)])
@pytest.mark.parametrize("shape", [(3, 5, D), (2, 6, D), (18, D), (6, 3)])
def test_what_does_not_fit_the_texts_is_refused(lengths, shape):
    packing, x = Packing(real(lengths)), np.zeros(shape)
    with pytest.raises(InputError, match=r"pack got x of shape .*: expected \(3, 6\) first"):
        packing.pack(x)
    with pytest.raises(InputError, match=rf"unpack got x of shape .*: expected {packing.n} first"):
        packing.unpack(x[: packing.n - 1])


@pytest.mark.parametrize("settings", [{}, {"causal": True}, {"neighbours": 2}, {"blockwise_from": 0}], ids=str)
def test_self_attention(settings):
    plain, packed = (SelfAttention(D, 2, rng=0, dtype="float64", **settings) for _ in range(2))
    packing, x = Packing(real(LENGTHS)), vectors(LENGTHS)
    mask = PackedMask(packing, packing)
    y, expected = packed.forward(packing.pack(x), mask), plain.forward(x, real(LENGTHS)[:, None])
    np.testing.assert_allclose(y, packing.pack(expected), rtol=1e-12, atol=1e-13)
    dy = np.random.default_rng(1).normal(size=y.shape)
    dx, expected = packed.backward(dy), plain.backward(packing.unpack(dy))
    np.testing.assert_allclose(dx, packing.pack(expected), rtol=1e-10, atol=1e-12)
    for p, wanted in zip(packed.parameters(), plain.parameters(), strict=True):
        np.testing.assert_allclose(p.grad, wanted.grad, rtol=1e-10, atol=1e-11)


def test_cross_attention():
    plain, packed = (CrossAttention(D, 2, rng=0, dtype="float64") for _ in range(2))
    queries, keys = Packing(real(LENGTHS)), Packing(real(MEMORY_LENGTHS))
    x, memory = vectors(LENGTHS), vectors(MEMORY_LENGTHS, seed=2)
    y = packed.forward(queries.pack(x), keys.pack(memory), PackedMask(queries, keys))
    expected = plain.forward(x, memory, real(MEMORY_LENGTHS)[:, None])
    np.testing.assert_allclose(y, queries.pack(expected), rtol=1e-12, atol=1e-13)
    dy = np.random.default_rng(1).normal(size=y.shape)
    found, wanted = packed.backward(dy), plain.backward(queries.unpack(dy))
    for dx, expected, packing in zip(found, wanted, (queries, keys), strict=True):
        np.testing.assert_allclose(dx, packing.pack(expected), rtol=1e-10, atol=1e-12)


def test_who_is_packed():
    queries, keys = Packing(real(LENGTHS)), Packing(real(MEMORY_LENGTHS))
    mask = PackedMask(queries, keys)
    assert queries_of(mask) is queries and keys_of(mask) is keys and mask.padding.shape == (3, 1, 5)
    assert queries_of(None) is None and keys_of(real(LENGTHS)) is None


@pytest.mark.parametrize("x, memory", [((10, D), (7, D)), ((11, D), (8, D)), ((11, D), (7, 4)), ((1, 11, D), (7, D))])
def test_what_is_not_packed_as_said_is_refused(x, memory):
    mask = PackedMask(Packing(real(LENGTHS)), Packing(real(MEMORY_LENGTHS)))
    with pytest.raises(InputError, match=r"expected \(11, D\), \(7, D\), \(7, D\), as packed") as caught:
        CrossAttention(D, 2, rng=0).forward(np.zeros(x, "float32"), np.zeros(memory, "float32"), mask)
    assert "\n" not in str(caught.value)
