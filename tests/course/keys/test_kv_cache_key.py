"""The key of the exercise and the given cells against npformer's attentions and cache."""

import numpy as np
import pytest

from npformer.decoding.kv_cache import KeyValueCache
from npformer.layers import CrossAttention, SelfAttention, SinusoidalPositionalEncoding, causal_mask
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of


def with_matrices(kind, matrices, n_heads):
    layer = kind(matrices.shape[1], n_heads, bias=False, dtype="float64").eval()
    for linear, matrix in zip(
        (layer.w_query, layer.w_key, layer.w_value, layer.w_output), matrices, strict=True
    ):
        linear.weight.data[...] = matrix
    return layer


@pytest.mark.parametrize("seed", range(2))
def test_kv_cache_steps_equal_npformer(seed):
    exercise = course.load("kv_cache")
    key = module_of(exercise.key)
    for drawn in Case(exercise, seed).draws:
        given = drawn.inputs
        x, start, tokens, memory, mask = (
            given[name] for name in ("x", "start", "tokens", "memory", "mask")
        )
        to_itself = with_matrices(SelfAttention, given["W"], given["n_heads"])
        to_memory = with_matrices(CrossAttention, given["U"], given["n_heads"])
        places = SinusoidalPositionalEncoding(x.shape[2], dtype="float64")

        np.testing.assert_allclose(key.add_positions(x, start), places.forward(x, start=start))

        cache, n_all = KeyValueCache(), start + x.shape[1]
        cache.append(given["keys"], given["values"])
        cache.append(*to_itself.project(x, x))
        expected = to_itself.attend(x, cache.keys, cache.values, causal_mask(n_all)[start:])
        found = key.self_attention_step(x, given["W"], given["keys"], given["values"])
        for one, other in zip(found, (expected, cache.keys, cache.values), strict=True):
            np.testing.assert_allclose(one, other)

        for one, other in zip(
            key.project_memory(memory, given["U"], given["n_heads"]),
            to_memory.project(memory, memory),
            strict=True,
        ):
            np.testing.assert_allclose(one, other)
        of_memory = given["memory_keys"], given["memory_values"], mask
        expected = to_memory.forward(x, memory, mask[:, None])
        np.testing.assert_allclose(key.cross_attention_step(x, given["U"], *of_memory), expected)

        y = places.forward(tokens)
        y = y + to_itself.forward(y, causal_mask(y.shape[1]))
        y = y + to_memory.forward(y, memory, mask[:, None])
        np.testing.assert_allclose(
            key.decode_one_by_one(tokens, given["W"], given["U"], *of_memory), y
        )
