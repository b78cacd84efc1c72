"""RMSNorm and grouped queries against PyTorch, which has both."""

import numpy as np
import pytest

from npformer.layers import GroupedAttention, RMSNorm

from .parity import BATCH, D_MODEL, SOURCE, TARGET, compare
from .weights import Pair, torch


def test_rms_norm(agree, rng):
    ours = RMSNorm(D_MODEL, eps=1e-3, dtype="float64")
    theirs = torch.nn.RMSNorm(D_MODEL, eps=1e-3, dtype=torch.float64)
    x = rng.normal(size=(BATCH, TARGET, D_MODEL))
    x[:, 0] *= 1e-2  # squares as small as eps, which then shows
    compare(agree, rng, ours, theirs, [Pair(ours.gain, theirs.weight)], [x])


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_grouped_attention(agree, rng, groups, masked):
    mask = (
        rng.random((BATCH, 1, TARGET, SOURCE)) > 0.4 if masked else np.ones((TARGET, SOURCE), bool)
    )
    mask[..., 0] = True

    def run_theirs(*inputs):
        attention = torch.nn.functional.scaled_dot_product_attention
        return attention(*inputs, attn_mask=torch.tensor(mask), enable_gqa=True)

    inputs = [
        rng.normal(size=(BATCH, *shape))
        for shape in ((6, TARGET, 8), (groups, SOURCE, 8), (groups, SOURCE, 4))
    ]
    compare(agree, rng, GroupedAttention(groups), run_theirs, [], inputs, [mask])
