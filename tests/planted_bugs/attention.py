"""Bugs of attention, in one head and in many."""

from functools import partial

import test_reference as reference
import test_whole_model as whole

from npformer.layers import (
    CrossAttention,
    MultiHeadAttention,
    ScaledDotProductAttention,
    SelfAttention,
)

from .plant import bug, gradients

ATTENTION = [
    bug(
        "attention.backward: dK not transposed back",
        gradients("SelfAttention"),
        (
            ScaledDotProductAttention,
            "backward",
            "dscores.swapaxes(-1, -2) @ query",
            "dscores @ query",
        ),
    ),
    bug(
        "attention.backward: dV not transposed back",
        gradients("SelfAttention"),
        (ScaledDotProductAttention, "backward", "weights.swapaxes(-1, -2) @ dy", "weights @ dy"),
    ),
    bug(
        "attention.backward: no 1 / sqrt(d_k)",
        gradients("ScaledDotProductAttention"),
        (ScaledDotProductAttention, "backward", "dscores *= 1 / math.sqrt(d_k)", ""),
    ),
    bug(
        "attention: sqrt(d_v) for sqrt(d_k) in both directions",
        reference.test_scaled_dot_product_attention,
        (ScaledDotProductAttention, "forward", "d_k = query.shape[-1]", "d_k = value.shape[-1]"),
        (ScaledDotProductAttention, "backward", "d_k = query.shape[-1]", "d_k = value.shape[-1]"),
    ),
    bug(
        "attention.backward: dW of the value path without the dropout mask",
        gradients("ScaledDotProductAttention with dropout"),
        (
            ScaledDotProductAttention,
            "forward",
            "self.remember(weights @ value, query, key, value, weights)",
            "self.remember(weights @ value, query, key, value, self.softmax._cache[1][0])",
        ),
    ),
    bug(
        "attention.backward: dropout on the weights forgotten",
        gradients("ScaledDotProductAttention with dropout"),
        (ScaledDotProductAttention, "backward", "self.dropout.backward(dweights)", "dweights"),
    ),
    bug(
        "attention.backward: dquery and dkey the wrong way round",
        gradients("SelfAttention"),
        (
            ScaledDotProductAttention,
            "backward",
            "return dquery, dkey, dvalue",
            "return dkey, dquery, dvalue",
        ),
    ),
    bug(
        "heads split by reshape without the transpose",
        gradients("MultiHeadAttention"),
        (
            MultiHeadAttention,
            "_split",
            "return heads.swapaxes(1, 2)",
            "return heads.reshape(batch, self.n_heads, length, -1)",
        ),
    ),
    bug(
        "heads split and merged without the transpose",
        reference.test_multi_head_attention,
        (
            MultiHeadAttention,
            "_split",
            "return heads.swapaxes(1, 2)",
            "return heads.reshape(batch, self.n_heads, length, -1)",
        ),
        (
            MultiHeadAttention,
            "_merge",
            "x = x.swapaxes(1, 2)",
            "",
        ),
    ),
    bug(
        "heads interleaved, not side by side, in both directions",
        reference.test_multi_head_attention,
        (
            MultiHeadAttention,
            "_split",
            "return heads.swapaxes(1, 2)",
            "return x.reshape(batch, length, -1, self.n_heads).transpose(0, 3, 1, 2)",
        ),
        (MultiHeadAttention, "_merge", "x.swapaxes(1, 2)", "x.transpose(0, 2, 3, 1)"),
    ),
    bug(
        "SelfAttention.backward: the value's way forgotten",
        gradients("SelfAttention"),
        (SelfAttention, "backward", "dquery + dkey + dvalue", "dquery + dkey"),
    ),
    bug(
        "CrossAttention.backward: the key's way forgotten",
        gradients("CrossAttention"),
        (CrossAttention, "backward", "dkey + dvalue", "dvalue"),
    ),
    bug(
        "CrossAttention: query and memory swapped, so that outputs see the future",
        partial(whole.test_causality, whole.SETTINGS[0]),
        (
            CrossAttention,
            "forward",
            "forward(x, memory, memory, mask)",
            "forward(memory, x, x, mask)",
        ),
    ),
    bug(
        "CrossAttention: the values are the target's, so that outputs see the future",
        partial(whole.test_causality, whole.SETTINGS[1]),
        (
            CrossAttention,
            "forward",
            "forward(x, memory, memory, mask)",
            "forward(x, memory, x, mask)",
        ),
    ),
    bug(
        "MultiHeadAttention: keys projected by W^V and values by W^K, in both directions",
        reference.test_multi_head_attention,
        (MultiHeadAttention, "project", "self.w_key.forward(key)", "self.w_value.forward(key)"),
        (MultiHeadAttention, "project", "self.w_value.forward(value)", "self.w_key.forward(value)"),
        (MultiHeadAttention, "backward", "self.w_key.backward(", "self.w_value.backward("),
        (
            MultiHeadAttention,
            "backward",
            "dvalue = self.w_value.backward(",
            "dvalue = self.w_key.backward(",
        ),
    ),
    bug(
        "MultiHeadAttention.attend: the mask forgotten",
        reference.test_multi_head_attention,
        (MultiHeadAttention, "attend", "forward(q, k, v, mask)", "forward(q, k, v)"),
    ),
]
