"""Label smoothing: PyTorch's cross_entropy has it, padding and mean included."""

import numpy as np
import pytest

from npformer.tasks import LabelSmoothingLoss

from .parity import TARGET, VOCAB, padded_ids
from .weights import torch


@pytest.mark.parametrize("eps", [0.0, 0.1])
@pytest.mark.parametrize("pad_id", [0, 4, -100])
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


@pytest.mark.parametrize("eps", [0.0, 0.1])
@pytest.mark.parametrize("target", [-100, 0, 2])
def test_logits_of_minus_infinity(agree, eps, target):
    """One logit is -inf: where it does not count, where another is the target, where it is."""
    logits = np.array([[1.0, 2.0, -np.inf, 0.5], [0.3, 1.0, 2.0, 3.0]])
    targets = np.array([target, 3])
    leaf = torch.tensor(logits, requires_grad=True)
    theirs = torch.nn.functional.cross_entropy(leaf, torch.tensor(targets), label_smoothing=eps)
    theirs.backward()

    loss = LabelSmoothingLoss(eps=eps, pad_id=-100)
    value = loss.forward(logits, targets)
    # a smoothed target has a share of every token, so that its loss is infinite too
    is_infinite = target == 2 or (target == 0 and eps > 0)
    if is_infinite:
        assert value == theirs.item() == np.inf
    else:
        agree("loss", value, theirs)
    agree("gradient of logits", loss.backward(), leaf.grad)
