"""Label smoothing: PyTorch's cross_entropy has it, padding and mean included."""

import pytest

from npformer.tasks import LabelSmoothingLoss

from .parity import TARGET, VOCAB, padded_ids
from .weights import torch


@pytest.mark.parametrize("eps", [0.0, 0.1])
@pytest.mark.parametrize("pad_id", [0, 4])
@pytest.mark.parametrize("dloss", [1.0, 2.5])
def test_cross_entropy(agree, rng, eps, pad_id, dloss):
    targets = padded_ids(rng, TARGET, VOCAB, pad_id)
    logits = 4 * rng.normal(size=(*targets.shape, VOCAB))
    leaf = torch.tensor(logits, requires_grad=True)
    flat_targets = torch.tensor(targets).flatten()
    theirs = torch.nn.functional.cross_entropy(
        leaf.flatten(0, 1), flat_targets, ignore_index=pad_id, label_smoothing=eps
    )
    (theirs * dloss).backward()

    loss = LabelSmoothingLoss(eps=eps, pad_id=pad_id)
    agree("loss", loss.forward(logits, targets), theirs)
    dlogits = loss.backward(dloss)
    agree("gradient of logits", dlogits, leaf.grad)
