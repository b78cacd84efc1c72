"""The gradient is not written over logits that a model or its last layer still needs."""

from functools import partial

import numpy as np
import pytest

from npformer import Module, Transformer, TransformerConfig
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.tasks import ClassificationBatch, LanguageModelBatch, Objective, TranslationBatch

BATCH = TranslationBatch.of([[4, 5], [6]], [[7, 8, 9], [10]])


class Rectified(Module):
    """A last layer that remembers what it returned."""

    def __init__(self, scores):
        self.scores = scores

    def forward(self, x, matrix=None):
        y = np.maximum(self.scores.forward(x), 0)
        return self.remember(y, y)

    def backward(self, dy):
        (y,) = self.recall(dy)
        return self.scores.backward(dy * (y > 0))


class Seen(Transformer):
    """A model that holds on to its logits, and says so."""

    keeps_output = True

    def forward(self, *inputs, **how):
        self.seen = super().forward(*inputs, **how)
        return self.seen


@pytest.mark.parametrize(
    ("kind", "config", "batch", "last"),
    [
        (Transformer, partial(TransformerConfig, src_vocab_size=12, tgt_vocab_size=12), BATCH, "generator"),
        (
            LanguageModel,
            partial(LanguageModelConfig, vocab_size=12),
            LanguageModelBatch.collate([[4, 5, 6], [7, 8]]),
            "generator",
        ),
        (
            Classifier,
            partial(ClassifierConfig, vocab_size=12, n_classes=3),
            ClassificationBatch.of([[4], [6]], [1, 2]),
            "output",
        ),
    ],
)
def test_a_last_layer_that_remembers_its_output_still_has_it_at_backward(kind, config, batch, last):
    config = config(d_model=8, d_ff=8, n_heads=2, dropout=0.0, dtype="float64")
    one, other = kind(config, rng=0), kind(config, rng=0)
    for model in (one, other):
        setattr(model, last, Rectified(getattr(model, last)))
    objective, wanted = Objective(one), Objective(other)
    objective.forward(batch), objective.backward()
    logits = wanted.logits_of(batch)
    wanted.loss_of(logits, batch)
    other.backward(wanted.loss.backward()[0])
    for p, expected in zip(one.parameters(), other.parameters(), strict=True):
        np.testing.assert_array_equal(p.grad, expected.grad)


def test_logits_stay_as_they_are_where_the_model_says_that_it_keeps_them(make_model):
    model = Seen(make_model(dropout=0.0).config, rng=0)
    Objective(model).forward(BATCH)
    seen = model.seen.copy()
    np.testing.assert_array_equal(model.forward(*BATCH.inputs, packed=True), seen)
