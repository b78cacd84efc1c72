"""What training differentiates: a model and its loss, in one."""

import sys
import tracemalloc

import numpy as np
import pytest

from npformer import InputError, Transformer, TransformerConfig
from npformer.tasks import mean_loss
from npformer.models import Decoder, LanguageModel, LanguageModelConfig
from npformer.tasks import Batches, LabelSmoothingLoss, LanguageModelBatch, Objective, TranslationBatch

BATCH = TranslationBatch.of([[4, 5], [6]], [[7, 8, 9], [10]])


def test_a_model_with_another_padding_is_refused_before_it_learns_from_padding(make_model):
    with pytest.raises(
        InputError, match=r"the model's pad_id is 1, but batches are padded with 0, .* pad_id=0"
    ) as caught:
        Objective(make_model(pad_id=1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("eps", [-0.1, 1.0, np.nan, "0.1", None])
def test_label_smoothing_out_of_range_is_refused(make_model, eps):
    with pytest.raises(InputError, match="label smoothing eps = "):
        Objective(make_model(), label_smoothing=eps)


@pytest.mark.parametrize("eps", [0.0, 0.1])
def test_loss_and_gradient_are_those_of_model_and_loss(make_model, eps):
    """What is left out is padding: the loss does not count it, and no gradient comes from there."""
    model, other = (make_model(dropout=0.0, dtype="float64") for _ in range(2))
    objective, loss = Objective(model, label_smoothing=eps), LabelSmoothingLoss(eps=eps)
    value = objective.forward(BATCH)
    assert value == pytest.approx(loss.forward(other.forward(BATCH.src, BATCH.tgt_in), BATCH.tgt_out), rel=1e-13)
    assert objective.backward() is None
    other.backward(loss.backward()[0])
    for p, wanted in zip(model.parameters(), other.parameters(), strict=True):
        np.testing.assert_allclose(p.grad, wanted.grad, rtol=1e-10, atol=1e-14)


def test_a_target_that_is_not_to_count_may_stand_after_a_token(make_model):
    """It is not padding, so its place is computed; the loss leaves it out."""
    objective, wanted = (Objective(make_model(dropout=0.0, dtype="float64")) for _ in range(2))
    tgt_out = np.where(BATCH.tgt_out == 8, 0, BATCH.tgt_out)
    value = objective.forward(TranslationBatch(BATCH.src, BATCH.tgt_in, tgt_out))
    assert objective.logits_of(BATCH).shape[0] == 6
    expected = wanted.loss.forward(wanted.model.forward(BATCH.src, BATCH.tgt_in), tgt_out)
    assert value == pytest.approx(expected, rel=1e-13)


def test_shares_add_up_to_the_whole(make_model):
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


def test_a_share_of_nothing_but_padding_counts_for_nothing(make_model):
    objective = Objective(make_model(dropout=0.0))
    empty = TranslationBatch(BATCH.src, BATCH.tgt_in, np.zeros_like(BATCH.tgt_out))
    assert objective.forward(empty, 6) == 0
    objective.backward()
    assert not any(p.grad.any() for p in objective.parameters())


def test_a_loss_that_nobody_differentiates_makes_no_gradient(make_model):
    """The gradient is as large as the logits; where nothing is remembered, a stretch of rows at a time is enough."""
    logits, targets = np.zeros((600, 4000), "float32"), np.ones(600, int)
    loss, peaks = LabelSmoothingLoss(), []
    for remember in (True, False):
        with loss.switched(drop_out=False, remember=remember):
            tracemalloc.start()
            loss.forward(logits, targets)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[0] > logits.nbytes > 2 * peaks[1]
    assert loss.forward(logits, targets) == loss.eval().forward(logits, targets)


def test_a_gradient_may_be_written_over_the_logits():
    logits = np.random.default_rng(0).normal(size=(300, 700)).astype("float32")
    targets, loss = np.arange(300) % 7, LabelSmoothingLoss()
    value = loss.forward(logits, targets)
    wanted, _ = loss.backward()
    assert not np.shares_memory(wanted, logits)
    assert loss.forward(logits, targets, overwrite=True) == value
    dlogits, _ = loss.backward()
    assert np.shares_memory(dlogits, logits)
    np.testing.assert_array_equal(dlogits, wanted)


def test_logits_that_nobody_differentiates_stay_as_they_are():
    logits, loss = np.arange(12.0).reshape(3, 4), LabelSmoothingLoss().eval()
    loss.forward(logits, np.ones(3, int), overwrite=True)
    np.testing.assert_array_equal(logits, np.arange(12.0).reshape(3, 4))


OBJECTIVES = {
    "Transformer": lambda: (
        Transformer(TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=30_000, tie="target"), rng=0),
        TranslationBatch.of([[4, 5, 6]] * 20, [[7, 8, 9]] * 20),
    ),
    "LanguageModel": lambda: (
        LanguageModel(LanguageModelConfig(vocab_size=30_000, d_model=32, n_decoder_layers=1, n_heads=2), rng=0),
        LanguageModelBatch(np.full((20, 4), 5), np.full((20, 4), 6)),
    ),
}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="whoever calls holds on to the arguments")
@pytest.mark.parametrize("name", OBJECTIVES)
def test_logits_and_their_gradient_are_one_array_which_is_gone_when_the_columns_begin(name, monkeypatch):
    model, batch = OBJECTIVES[name]()
    objective, held, backward = Objective(model), [], Decoder.backward

    def noted(self, dy):
        held.append(tracemalloc.get_traced_memory()[0])
        return backward(self, dy)

    monkeypatch.setattr(Decoder, "backward", noted)
    objective.forward(batch), objective.backward()
    tracemalloc.start()
    objective.forward(batch)
    _, most = tracemalloc.get_traced_memory()
    objective.backward()
    tracemalloc.stop()
    size = 80 * 30_000 * 4  # of the logits
    assert size < most < 1.5 * size
    assert held[-1] < 0.5 * size


def test_mean_loss_asks_for_no_gradient(make_model, monkeypatch):
    asked = []
    of_rows = LabelSmoothingLoss.loss_of_rows
    monkeypatch.setattr(
        LabelSmoothingLoss, "loss_of_rows", lambda self, *a: asked.append(a[-1] is None) or of_rows(self, *a)
    )
    assert mean_loss(make_model(), Batches([([4, 5], [6])], batch_tokens=8)) > 0
    assert asked and all(asked)
