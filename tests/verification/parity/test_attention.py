"""Attention against nn.MultiheadAttention and F.scaled_dot_product_attention, with every kind of
mask.
"""

import math

import numpy as np
import pytest

from npformer.layers import (
    CrossAttention,
    FlashAttention,
    LocalAttention,
    MultiHeadAttention,
    ScaledDotProductAttention,
    SelfAttention,
)

from . import weights
from .parity import BATCH, D_MODEL, HEADS, SOURCE, TARGET, compare, real_positions
from .weights import torch

D_K, D_V = 8, 10


def draw_masks(rng, kind, n_keys):
    """Return which keys are real (B, S) and which each query may see (T, S), as far as `kind`
    asks for them.
    """
    real = real_positions(rng, n_keys) if kind in ("padding", "both") else None
    seen = np.tril(np.ones((TARGET, n_keys), dtype=bool)) if kind in ("causal", "both") else None
    return real, seen


def join(real, seen):
    """Combine both masks as npformer wants them: one array, or None."""
    masks = [
        mask for mask in (None if real is None else real[:, None, :], seen) if mask is not None
    ]
    return np.logical_and.reduce(np.broadcast_arrays(*masks)) if masks else None


def hidden(mask):
    """Turn a mask round: True = may not attend."""
    return None if mask is None else torch.tensor(~mask)


masks = pytest.mark.parametrize("masks", ["none", "padding", "causal", "both"])
WAYS = {
    "self": (SelfAttention, lambda x: (x, x, x), [TARGET]),
    "cross": (CrossAttention, lambda x, memory: (x, memory, memory), [TARGET, SOURCE]),
    "separate": (MultiHeadAttention, lambda *arrays: arrays, [TARGET, SOURCE, SOURCE]),
}


@masks
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_multi_head_attention(agree, rng, way, bias, masks):
    kind, roles, lengths = WAYS[way]
    ours = kind(D_MODEL, HEADS, bias=bias, rng=rng, dtype="float64")
    theirs = torch.nn.MultiheadAttention(
        D_MODEL, HEADS, bias=bias, batch_first=True, dtype=torch.float64
    )
    real, seen = draw_masks(rng, masks, lengths[-1])

    def run_theirs(*inputs):
        return theirs(
            *roles(*inputs),
            key_padding_mask=hidden(real),
            attn_mask=hidden(seen),
            need_weights=False,
        )[0]

    inputs = [rng.normal(size=(BATCH, length, D_MODEL)) for length in lengths]
    pairs = weights.attention(ours, theirs)
    compare(agree, rng, ours, run_theirs, pairs, inputs, [join(real, seen)])


@masks
def test_multi_head_attention_with_d_k_and_d_v(agree, rng, masks):
    ours = MultiHeadAttention(D_MODEL, HEADS, d_k=D_K, d_v=D_V, rng=rng, dtype="float64")
    sizes = (
        (D_MODEL, HEADS * D_K),
        (D_MODEL, HEADS * D_K),
        (D_MODEL, HEADS * D_V),
        (HEADS * D_V, D_MODEL),
    )
    theirs = [torch.nn.Linear(*size, dtype=torch.float64) for size in sizes]
    mask = join(*draw_masks(rng, masks, SOURCE))

    def run_theirs(*inputs):
        *projections, w_output = theirs
        projected = [
            w(x).unflatten(-1, (HEADS, -1)) for w, x in zip(projections, inputs, strict=True)
        ]
        scores = torch.einsum("bthd,bshd->bhts", *projected[:2]) / math.sqrt(D_K)
        if mask is not None:
            scores = scores.masked_fill(~torch.tensor(mask).unsqueeze(-3), -torch.inf)
        return w_output(
            torch.einsum("bhts,bshd->bthd", scores.softmax(-1), projected[2]).flatten(2)
        )

    inputs = [rng.normal(size=(BATCH, length, D_MODEL)) for length in (TARGET, SOURCE, SOURCE)]
    our_linears = ours.w_query, ours.w_key, ours.w_value, ours.w_output
    pairs = [pair for two in zip(our_linears, theirs, strict=True) for pair in weights.linear(*two)]
    compare(agree, rng, ours, run_theirs, pairs, inputs, [mask])


@masks
def test_scaled_dot_product_attention(agree, rng, masks):
    mask = join(*draw_masks(rng, masks, SOURCE))
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]  # all heads share it

    def run_theirs(*inputs):
        may_attend = None if mask is None else torch.tensor(mask)
        return torch.nn.functional.scaled_dot_product_attention(*inputs, attn_mask=may_attend)

    inputs = [
        rng.normal(size=(BATCH, HEADS, *rest))
        for rest in ((TARGET, D_K), (SOURCE, D_K), (SOURCE, D_V))
    ]
    compare(agree, rng, ScaledDotProductAttention(), run_theirs, [], inputs, [mask])


@masks
@pytest.mark.parametrize("block", [2, 256])
def test_blockwise_attention(agree, rng, block, masks):
    # (B, 1, 1, S)
    real = real_positions(rng, TARGET)[:, None, None] if masks in ("padding", "both") else None
    causal = masks in ("causal", "both")

    def run_theirs(*inputs):
        if real is None:
            return torch.nn.functional.scaled_dot_product_attention(*inputs, is_causal=causal)
        may_attend = torch.tensor(real & np.tri(TARGET, dtype=bool) if causal else real)
        return torch.nn.functional.scaled_dot_product_attention(*inputs, attn_mask=may_attend)

    inputs = [rng.normal(size=(BATCH, HEADS, TARGET, d)) for d in (D_K, D_K, D_V)]
    compare(
        agree, rng, FlashAttention(causal=causal, block_size=block), run_theirs, [], inputs, [real]
    )


@masks
@pytest.mark.parametrize(
    ("neighbors", "causal", "block"), [(4, False, 3), (3, False, None), (3, True, 2)]
)
def test_restricted_attention(agree, rng, neighbors, causal, block, masks):
    length, after = 11, 0 if causal else neighbors // 2
    # (B, 1, 1, S)
    real = real_positions(rng, length)[:, None, None] if masks in ("padding", "both") else None
    # more than causal hides
    seen = rng.random((length, length)) > 0.3 if masks in ("causal", "both") else None
    mask = (
        None
        if real is None and seen is None
        else np.logical_and(*(True if m is None else m for m in (real, seen)))
    )
    band = torch.ones(length, length, dtype=torch.bool).triu(after - neighbors).tril(after)
    may_attend = band if mask is None else band & torch.tensor(mask)

    def run_theirs(*inputs):
        return torch.nn.functional.scaled_dot_product_attention(
            *inputs, attn_mask=may_attend
        ).nan_to_num()

    inputs = [rng.normal(size=(BATCH, HEADS, length, d)) for d in (D_K, D_K, D_V)]
    compare(
        agree,
        rng,
        LocalAttention(neighbors, causal=causal, block_size=block),
        run_theirs,
        [],
        inputs,
        [mask],
    )
