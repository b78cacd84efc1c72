"""Batches of labeled texts: which text has which class, after padding, shuffling and sharing out."""

import numpy as np
import pytest

from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import Batches, ClassificationBatch, Objective
from npformer.text import BOS, PAD


@pytest.fixture(scope="module")
def examples():
    """A thousand texts of 1 to 30 tokens; the first tells its number, which is its class too."""
    lengths = np.random.default_rng(0).integers(0, 30, 1000)
    return [([10 + i, *[4] * length], i) for i, length in enumerate(lengths)]


@pytest.fixture(scope="module")
def batches(examples):
    return Batches(
        examples,
        collate=ClassificationBatch.collate,
        n_special_tokens=(1,),
        batch_tokens=256,
        seed=1,
    )


def test_text_is_preceded_by_bos_and_padded():
    batch = ClassificationBatch.collate(list(zip([[4, 5, 6], [7]], [2, 0], strict=True)))
    assert batch.ids.tolist() == [[BOS, 4, 5, 6], [BOS, 7, PAD, PAD]]
    assert batch.labels.tolist() == [2, 0] and batch.labels.dtype.kind == "i"
    assert batch.inputs == (batch.ids,) and batch.targets is batch.labels


@pytest.mark.parametrize("epoch", [1, 2])
def test_each_text_occurs_once_per_epoch_with_its_label(batches, examples, epoch):
    found = [
        (row[1] - 10, label)
        for batch in batches.epoch(epoch)
        for row, label in zip(batch.ids, batch.labels, strict=True)
    ]
    assert sorted(found) == [(i, i) for i in range(len(examples))]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_split_gives_balanced_shares_with_labels(n):
    batch = ClassificationBatch.collate(
        list(zip([[10 + i] * (i + 1) for i in range(5)], range(5), strict=True))
    )
    shares = batch.split(n)
    assert len(shares) == min(n, 5) and all(
        isinstance(share, ClassificationBatch) for share in shares
    )
    found = [
        (row[1] - 10, label)
        for share in shares
        for row, label in zip(share.ids, share.labels, strict=True)
    ]
    assert sorted(found) == [(i, i) for i in range(5)]
    sizes = [share.n_tokens for share in shares]
    assert sum(sizes) == 5 and max(sizes) - min(sizes) <= 1


def test_class_0_is_not_treated_as_padding():
    config = ClassifierConfig(
        vocab_size=9, n_classes=3, d_model=8, d_ff=12, n_heads=2, n_encoder_layers=1, dropout=0.0
    )
    objective = Objective(Classifier(config, rng=0))
    assert objective.forward(ClassificationBatch.collate(list(zip([[4]], [0], strict=True)))) > 0.1
    objective.backward()
    assert all(p.grad.any() for p in objective.model.output.parameters())
