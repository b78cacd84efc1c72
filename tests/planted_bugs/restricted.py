"""Bugs of restricted attention: windows, who is whose neighbour, and where the setting arrives."""

from functools import partial

import test_kv_cache as cached
import test_local_attention as restricted
import test_whole_model as whole

from npformer.decoding.cached_decoder import CachedDecoderLayer
from npformer.layers import LocalAttention
from npformer.models import DecoderLayer

from .plant import bug, gradients

EQUAL = partial(restricted.test_local_attention_equals_full_with_banded_mask, 3, False)
SYMMETRIC = gradients("LocalAttention")
WITH_DROPOUT = gradients("LocalAttention, causal, dropout")
EVERY_STEP = partial(cached.test_cached_step_equals_whole_prefix, dtype="float64", src=cached.SRC)

RESTRICTED = [
    bug(
        "restricted attention: what is in the window and not in the neighborhood is seen",
        partial(EQUAL, "no mask"),
        (
            LocalAttention,
            "_window_mask",
            "(query - self.before <= key) & (key <= query + self.after) & ",
            "",
        ),
    ),
    bug(
        "restricted attention: the zeros in front of the sequence have a share in the softmax",
        partial(EQUAL, "no mask"),
        (LocalAttention, "_window_mask", " & (key >= 0)", ""),
    ),
    bug(
        "restricted attention: the zeros behind the sequence have a share in the softmax",
        partial(EQUAL, "no mask"),
        (LocalAttention, "_window_mask", " & (key < length)", ""),
    ),
    bug(
        "restricted attention: the mask forgotten",
        partial(EQUAL, "padding"),
        (LocalAttention, "_window_mask", "return near & mask", "return near | mask"),
    ),
    bug(
        "restricted attention: the mask read with queries and keys exchanged",
        partial(EQUAL, "(T, S)"),
        (
            LocalAttention,
            "_window_mask",
            "mask[..., query, key]",
            "mask[..., key, query]",
        ),
    ),
    bug(
        "restricted attention: causal sees the future, in both directions",
        partial(restricted.test_gradient_reaches_only_visible_positions, 3, True, [2, 3, 4, 5]),
        (LocalAttention, "__init__", "0 if causal else neighbors // 2", "neighbors // 2"),
    ),
    bug(
        "restricted attention: of an odd r one more on the right",
        partial(restricted.test_gradient_reaches_only_visible_positions, 3, False, [3, 4, 5, 6]),
        (LocalAttention, "__init__", "neighbors // 2", "(neighbors + 1) // 2"),
    ),
    bug(
        "restricted attention.backward: no 1 / sqrt(d_k)",
        SYMMETRIC,
        (LocalAttention, "backward", "dscores *= 1 / math.sqrt(query.shape[-1])", ""),
    ),
    bug(
        "restricted attention.backward: dropout on the weights forgotten",
        WITH_DROPOUT,
        (LocalAttention, "backward", "self.dropout.backward(dweights)", "dweights"),
    ),
    bug(
        "blocks.sum_windows: where windows overlap, the last overwrites the others",
        SYMMETRIC,
        (LocalAttention, "_sum_windows", "+= dx", "= dx"),
    ),
    bug(
        "blocks.sum_windows: gradients arrive `before` positions late",
        SYMMETRIC,
        (LocalAttention, "_sum_windows", "self.before : self.before + length", ": length"),
    ),
    bug(
        "decoder layer: restricted, it sees the future, for no mask hides it",
        partial(whole.test_causality, {"neighbors": 3}),
        (DecoderLayer, "__init__", "causal=True", "causal=False"),
    ),
    bug(
        "cached decoder: the neighborhood is one position too narrow",
        partial(EVERY_STEP, {"neighbors": 3, "n_decoder_layers": 2}),
        (CachedDecoderLayer, "read", "length - self.neighbors)", "length + 1 - self.neighbors)"),
    ),
    bug(
        "cached decoder: what is read at once counts its neighbors from the first token read",
        partial(cached.test_cached_text_in_chunks_equals_whole_text, 3, (5, 8, 12)),
        (CachedDecoderLayer, "read", "n_keys - length - self.neighbors)", "-self.neighbors)"),
    ),
]
