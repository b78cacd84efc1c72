"""What training differentiates: a model and its loss, in one."""

import numpy as np
import pytest

from npformer import InputError, Module
from npformer.layers import Linear
from npformer.tasks import (
    Batches,
    ClassificationBatch,
    LabelSmoothingLoss,
    Objective,
    TranslationBatch,
    held_out_scores,
)

BATCH = TranslationBatch.of([[4, 5], [6]], [[7, 8, 9], [10]])


def test_model_with_another_pad_id_is_rejected(make_model):
    with pytest.raises(
        InputError, match=r"the model's pad_id is 1, but batches are padded with 0, .* pad_id=0"
    ) as caught:
        Objective(make_model(pad_id=1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_objective_equals_model_followed_by_loss(make_model, eps):
    """What is left out is padding: the loss does not count it, and no gradient comes from there."""
    model, other = (make_model(dropout=0.0, dtype="float64") for _ in range(2))
    objective, loss = Objective(model, label_smoothing=eps), LabelSmoothingLoss(eps=eps)
    value = objective.forward(BATCH)
    assert value == pytest.approx(
        loss.forward(other.forward(BATCH.src, BATCH.tgt_in), BATCH.tgt_out), rel=1e-13
    )
    assert objective.backward() is None
    other.backward(loss.backward())
    for p, wanted in zip(model.parameters(), other.parameters(), strict=True):
        np.testing.assert_allclose(p.grad, wanted.grad, rtol=1e-10, atol=1e-14)


def test_loss_and_gradient_of_shares_sum_to_whole(make_model):
    whole, parts = (Objective(make_model(dropout=0.0, dtype="float64")) for _ in range(2))
    total, value = 0.0, whole.forward(BATCH)
    whole.backward()
    assert [share.n_tokens for share in BATCH.split(2)] == [4, 2] and BATCH.n_tokens == 6
    assert len(BATCH.split(5)) == 2
    for share in BATCH.split(2):
        total += parts.forward(share, BATCH.n_tokens)
        parts.backward()
    assert total == pytest.approx(value, rel=1e-12)
    for p, wanted in zip(parts.parameters(), whole.parameters(), strict=True):
        np.testing.assert_allclose(p.grad, wanted.grad, rtol=1e-9, atol=1e-13)


def test_share_of_only_padding_has_zero_loss_and_gradient(make_model):
    objective = Objective(make_model(dropout=0.0))
    empty = TranslationBatch(BATCH.src, BATCH.tgt_in, np.zeros_like(BATCH.tgt_out))
    assert objective.forward(empty, 6) == 0
    objective.backward()
    assert not any(p.grad.any() for p in objective.parameters())


class OwnClassifier(Module):
    """Any other classifier than npformer's, without a config."""

    def __init__(self):
        self.linear = Linear(1, 3, rng=0, dtype="float64")

    def forward(self, ids):  # (B, S)
        return self.linear.forward(ids[:, 1:2] / 100)  # (B, 3)

    def backward(self, dlogits):
        self.linear.backward(dlogits)


def test_class_0_of_any_classifier_counts():
    examples = [([4], 0), ([5], 0), ([6], 0)]
    objective = Objective(OwnClassifier(), label_smoothing=0.0)
    assert objective.forward(ClassificationBatch.collate(examples)) > 0.5
    objective.backward()
    assert np.abs(objective.model.linear.weight.grad).max() > 0.001
    batches = Batches(
        examples, batch_tokens=99, collate=ClassificationBatch.collate, n_special_tokens=(1,)
    )
    scores = held_out_scores(objective, batches)
    assert scores.loss > 0.5 and scores.accuracy in (0.0, 1.0)
