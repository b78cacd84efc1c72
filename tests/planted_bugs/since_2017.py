"""Bugs of the layers since 2017."""

from functools import partial

import test_since_2017 as since

from npformer.layers import (
    GroupedAttention,
    GroupedQueryAttention,
    RMSNorm,
    RotaryAttention,
    SwiGLU,
)
from npformer.layers import RotaryPositionalEncoding as Rotary

from .plant import bug, gradients

GROUPS = "self.n_groups, heads // self.n_groups, length, d).sum(-3)"
SINCE_2017 = [
    bug(
        "RMSNorm: the mean is subtracted, as in LayerNorm",
        partial(since.test_rms_norm_equals_formula_and_keeps_no_length),
        (RMSNorm, "forward", "row_mean(x * x)", "(row_mean(x * x) - row_mean(x) ** 2)"),
    ),
    bug(
        "RMSNorm.backward: the root counts as a constant",
        gradients("RMSNorm"),
        (RMSNorm, "backward", "(dxhat - xhat * row_mean(dxhat * xhat))", "dxhat"),
    ),
    bug(
        "SwiGLU.backward: dx through the gate alone",
        gradients("SwiGLU"),
        (SwiGLU, "backward", "return dx + self", "return self"),
    ),
    bug(
        "rotation.backward: turned further, not back",
        gradients("RotaryPositionalEncoding"),
        (Rotary, "backward", "-sin", "sin"),
    ),
    bug(
        "rotation: start is ignored",
        partial(since.test_rotation_equals_formula),
        (Rotary, "forward", "self.sin[start:end]", "self.sin[: end - start]"),
        (Rotary, "forward", "self.cos[start:end]", "self.cos[: end - start]"),
    ),
    bug(
        "RotaryAttention: queries begin at position 0",
        partial(since.test_last_queries_with_all_keys_equal_last_rows),
        (RotaryAttention, "forward", "key.shape[-2] - query.shape[-2]", "0"),
    ),
    bug(
        "RotaryAttention.backward: dkey is not rotated",
        gradients("RotaryAttention"),
        (RotaryAttention, "backward", "self.key_rotation.backward(dkey)", "dkey"),
    ),
    bug(
        "GroupedAttention: heads interleaved",
        partial(since.test_grouped_attention_equals_attention_with_repeated_heads),
        (GroupedAttention, "forward", "key.repeat(n, -3)", "key[..., [*range(groups)] * n, :, :]"),
    ),
    bug(
        "GroupedAttention.backward: heads summed across groups",
        gradients("GroupedAttention"),
        (
            GroupedAttention,
            "_sum_shared",
            GROUPS,
            "heads // self.n_groups, self.n_groups, length, d).sum(-4)",
        ),
    ),
    bug(
        "GroupedQueryAttention: causal is ignored",
        partial(since.test_groups_of_one_head_are_multi_head_attention),
        (GroupedQueryAttention, "__init__", "causal=causal", "causal=False"),
    ),
]
