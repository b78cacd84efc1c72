"""RMSNorm, SwiGLU, rotary positions and grouped queries: what each claims, and its errors."""

import re

import numpy as np
import pytest

from npformer import InputError, layers
from npformer import slow_formulas as slow


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def test_rms_norm_equals_formula_and_keeps_no_length():
    norm, x = layers.RMSNorm(5, eps=0.25, dtype="float64"), draw(3, 5)
    norm.gain.data = draw(5, seed=1)
    np.testing.assert_allclose(norm.forward(x), slow.rms_norm(norm.gain.data, x, 0.25), rtol=1e-14)
    unscaled = layers.RMSNorm(5, eps=1e-30, dtype="float64")
    np.testing.assert_allclose(unscaled.forward(7 * x), unscaled.forward(x), rtol=1e-14)


def test_swiglu_equals_formula():
    network, x = layers.SwiGLU(4, 3, rng=0, dtype="float64"), draw(2, 4)
    weights = (linear.weight.data for linear in (network.gate, network.linear_1, network.linear_2))
    np.testing.assert_allclose(network.forward(x), slow.swiglu(*weights, x), rtol=1e-13)
    assert network.n_parameters == 3 * 4 * 3  # no bias
    assert layers.SwiGLU(4, 3, bias=True).n_parameters == 3 * 4 * 3 + 3 + 3 + 4


ROTATIONS = [{}, {"base": 7.5}, {"pairs": "halves"}, {"base": 7.5, "pairs": "halves"}]


@pytest.mark.parametrize("settings", ROTATIONS, ids=str)
def test_rotation_equals_formula(settings):
    rotary = layers.RotaryPositionalEncoding(6, max_len=20, **settings, dtype="float64")
    x = draw(2, 7, 6)
    expected = [slow.rotate(one, 4, **settings) for one in x]
    np.testing.assert_allclose(rotary.forward(x, 4), expected, rtol=1e-12)


@pytest.mark.parametrize("settings", ROTATIONS, ids=str)
@pytest.mark.parametrize(
    "attention",
    [
        None,
        layers.ScaledDotProductAttention(causal=True),
        layers.FlashAttention(block_size=2, causal=True),
        layers.LocalAttention(3, block_size=2, causal=True),
        layers.GroupedAttention(2, causal=True),
        layers.GroupedAttention(2, attention=layers.FlashAttention(block_size=2, causal=True)),
    ],
    ids=lambda attention: type(attention).__name__,
)
def test_rotary_attention_gives_any_attention_rotated_queries_and_keys(attention, settings):
    rotary = layers.RotaryAttention(6, attention=attention, **settings, dtype="float64")
    is_grouped = isinstance(attention, layers.GroupedAttention)
    query, key, value = draw(2, 4, 5, 6), draw(2, 4, 5, 6, seed=1), draw(2, 4, 5, 3, seed=2)
    if is_grouped:
        key, value = key[:, :2], value[:, :2]

    turn = layers.RotaryPositionalEncoding(6, **settings, dtype="float64").forward
    plain = attention or layers.ScaledDotProductAttention()
    expected = plain.forward(turn(query), turn(key), value)
    np.testing.assert_array_equal(rotary.forward(query, key, value), expected)
    assert rotary.causal == plain.causal


def test_rotary_scores_depend_on_distance_only():
    rotary, value = layers.RotaryAttention(8, dtype="float64"), np.eye(9)
    # the same at every position
    query, key = (np.tile(draw(8, seed=seed), (9, 1)) for seed in (1, 2))
    scores = np.log(rotary.forward(query, key, value))  # up to a constant in each row
    steps = scores[:, 1:] - scores[:, :-1]
    for distance in range(-7, 8):
        np.testing.assert_allclose(np.ptp(np.diagonal(steps, distance)), 0, atol=1e-12)
    assert np.ptp(steps) > 0.1


def test_rotary_attention_takes_as_many_positions_as_max_len():
    x = draw(1, 600, 2)
    assert layers.RotaryAttention(2, max_len=600, dtype="float64").forward(x, x, x).shape == x.shape
    with pytest.raises(InputError, match="got 600 positions, more than max_len = 512"):
        layers.RotaryAttention(2, dtype="float64").forward(x, x, x)


def test_last_queries_with_all_keys_equal_last_rows():
    rotary = layers.RotaryAttention(8, causal=True, dtype="float64")
    query, key, value = draw(3, 2, 9, 8)
    whole = rotary.forward(query, key, value)
    np.testing.assert_allclose(rotary.forward(query[:, 7:], key, value), whole[:, 7:], rtol=1e-12)


def test_grouped_attention_equals_attention_with_repeated_heads():
    query, key, value = draw(2, 6, 5, 4), draw(2, 3, 7, 4, seed=1), draw(2, 3, 7, 2, seed=2)
    found = layers.GroupedAttention(3).forward(query, key, value)
    for head in range(6):
        expected = layers.ScaledDotProductAttention().forward(
            query[:, head], key[:, head // 2], value[:, head // 2]
        )
        np.testing.assert_allclose(found[:, head], expected, rtol=1e-12)


def test_groups_of_one_head_are_multi_head_attention():
    grouped = layers.GroupedQueryAttention(12, 4, 4, causal=True, rng=0, dtype="float64")
    causal = layers.ScaledDotProductAttention(causal=True)
    full = layers.SelfAttention(12, 4, attention=causal, rng=1, dtype="float64")
    full.load_state_dict(grouped.state_dict())
    x = draw(3, 5, 12)
    np.testing.assert_array_equal(grouped.forward(x), full.forward(x))


def test_heads_of_grouped_queries_have_any_size():
    attention = layers.GroupedQueryAttention(12, 4, 2, d_k=5, d_v=7, bias=False, rng=0)
    shapes = {name: parameter.data.shape for name, parameter in attention.named_parameters()}
    assert shapes == {
        "w_query.weight": (12, 20),
        "w_key.weight": (12, 10),
        "w_value.weight": (12, 14),
        "w_output.weight": (28, 12),
    }


def test_grouped_queries_use_the_given_attention_and_start():
    grouped = layers.GroupedAttention(2, causal=True)
    rotary = layers.RotaryAttention(4, attention=grouped)
    attention = layers.GroupedQueryAttention(16, 4, 2, attention=rotary, causal=True, rng=0)
    assert attention.attention is rotary
    weights = [
        layers.GroupedQueryAttention(256, 8, 2, init=init, rng=0).w_key.weight.data
        for init in ("glorot", "per_head")
    ]
    assert weights[0].var() == pytest.approx(1 / 512, rel=0.05)
    assert weights[1].var() == pytest.approx(2 / (256 + 32), rel=0.05)


@pytest.mark.parametrize("groups", [1, 2, 8])
def test_projections_of_few_groups_start_with_the_variance_of_all_heads(groups):
    attention = layers.GroupedQueryAttention(256, 8, groups, d_v=96, rng=0)
    queries = attention.w_query.weight.data
    keys = attention.w_key.weight.data
    values = attention.w_value.weight.data
    assert keys.shape == (256, 32 * groups)
    assert values.shape == (256, 96 * groups)
    # half of 2 / (d_in + d_out) with d_out of all 8 heads
    assert queries.var() == pytest.approx(1 / (256 + 8 * 32), rel=0.05)
    assert keys.var() == pytest.approx(1 / (256 + 8 * 32), rel=0.05)
    assert values.var() == pytest.approx(1 / (256 + 8 * 96), rel=0.05)


x, heads = np.ones((2, 5, 8)), np.ones((2, 4, 5, 8))
ERRORS = {
    "RMSNorm(4) got x of shape (2, 5, 8): expected last axis 4": lambda: layers.RMSNorm(4).forward(
        x
    ),
    "eps = 0: expected a number above 0": lambda: layers.RMSNorm(4, eps=0),
    "d_k = 5 is odd: rotary positions rotate pairs of features": lambda: (
        layers.RotaryPositionalEncoding(5)
    ),
    "RotaryPositionalEncoding(4) got x of shape (2, 5, 8): expected last axis 4 (d_k)": lambda: (
        layers.RotaryPositionalEncoding(4).forward(x)
    ),
    "RotaryPositionalEncoding(8) got 5 positions, more than max_len = 3": lambda: (
        layers.RotaryAttention(8, max_len=3).forward(x, x, x)
    ),
    "base = 0: expected a number above 0": lambda: layers.RotaryPositionalEncoding(4, base=0),
    "pairs = 'thirds': expected one of neighbors, halves": lambda: layers.RotaryAttention(
        4, pairs="thirds"
    ),
    "RotaryAttention() got query (2, 5, 8), key (2, 4, 8), value (2, 4, 8): expected": lambda: (
        layers.RotaryAttention(8).forward(x, x[:, 1:], x[:, 1:])
    ),
    "causal=True, but the attention is not causal": lambda: layers.GroupedQueryAttention(
        8, 4, 2, attention=layers.GroupedAttention(2), causal=True
    ),
    "expected (..., H, T, d_k), and G = 3 heads of keys": lambda: layers.GroupedAttention(
        3
    ).forward(heads, heads, heads),
    "GroupedAttention() got query (2, 5, 8), key": lambda: layers.GroupedAttention(3).forward(
        x, x, heads
    ),
    "n_heads = 4 is not divisible by n_groups = 3": lambda: layers.GroupedQueryAttention(8, 4, 3),
}


@pytest.mark.parametrize("message", ERRORS)
def test_error_names_what_was_given(message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        ERRORS[message]()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("setting", [{"causal": True}, {"dropout": 0.5}], ids=str)
@pytest.mark.parametrize("kind", [layers.RotaryAttention, layers.GroupedAttention])
def test_causal_and_dropout_are_those_of_a_given_attention(kind, setting):
    with pytest.raises(InputError, match="those of the attention: give them to it"):
        kind(2, attention=layers.ScaledDotProductAttention(), **setting)
