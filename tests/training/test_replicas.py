"""Several replicas, and several batches an update, give the gradient that one pass over all sentences gives."""

from itertools import islice

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import LabelSmoothingLoss, TranslationBatch


def gradients(trainer, batches):
    loss = trainer.replicas.gradient(batches)
    return loss, trainer.optimizer.flat.grad.copy()


@pytest.fixture
def batches(make_trainer):
    """Three batches of different sizes; the last has a single sentence."""
    first, second = islice(make_trainer().batches.epoch(1).batches(), 2)
    return [first, second, first.shares(len(first.src))[0]]


def whole_gradient(make_trainer, batches):
    """The gradient of the mean over all tokens of all batches, each batch in one pass of a single model."""
    trainer = make_trainer(dtype="float64", dropout=0.0)
    model, loss = trainer.objective.model, LabelSmoothingLoss(pad_id=0)
    tokens = [int((batch.tgt_out != 0).sum()) for batch in batches]
    total = 0.0
    model.zero_grad()
    for batch, n in zip(batches, tokens, strict=True):
        share = n / sum(tokens)
        total += share * loss.forward(model.forward(batch.src, batch.tgt_in), batch.tgt_out)
        model.backward(loss.backward(share)[0])
    return total, trainer.optimizer.flat.grad.copy()


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_gradient_is_that_of_the_mean_over_all_tokens(make_trainer, batches, workers, number):
    loss, gradient = gradients(make_trainer(dtype="float64", dropout=0.0, workers=workers), batches[:number])
    expected_loss, expected = whole_gradient(make_trainer, batches[:number])
    assert loss == pytest.approx(expected_loss, rel=1e-13)
    assert np.abs(gradient - expected).max() <= 1e-13 * np.abs(expected).max()


def test_a_second_update_starts_from_zero(make_trainer, batches):
    trainer = make_trainer(dtype="float64", dropout=0.0, workers=2)
    _, first = gradients(trainer, batches)
    _, second = gradients(trainer, batches)
    assert (first == second).all()


def test_workers_share_the_weights_and_nothing_else(make_trainer):
    trainer = make_trainer(workers=2)
    own, twin = (dict(objective.named_parameters()) for objective in trainer.replicas.objectives)
    assert own.keys() == twin.keys()
    for name in own:
        assert np.shares_memory(own[name].data, twin[name].data)
        assert not np.shares_memory(own[name].grad, twin[name].grad)
    assert not set.intersection(*({id(rng) for rng in o.generators()} for o in trainer.replicas.objectives))
    assert len({id(rng) for rng in trainer.generators()}) == 2


def test_workers_drop_out_differently(make_trainer, batches):
    trainer = make_trainer(workers=2, dropout=0.5)
    [batch] = batches[:1]
    same = TranslationBatch(*(np.repeat(ids[:1], 2, 0) for ids in (batch.src, batch.tgt_in, batch.tgt_out)))
    trainer.replicas.gradient([same])
    first, second = trainer.replicas.gradients
    assert not np.array_equal(first - second, second)


def test_the_same_run_comes_out_bit_for_bit(make_trainer):
    runs = []
    for _ in range(2):
        trainer = make_trainer(workers=2, accumulate=2)
        records = list(trainer.updates(2))
        runs.append((records, trainer.optimizer.flat.data.tobytes()))
    assert runs[0] == runs[1]


def test_accumulated_batches_make_one_update(make_trainer):
    single, grouped = make_trainer(), make_trainer(accumulate=3)
    n_batches = len(single.batches.epoch(1))
    records = list(grouped.updates(1))
    assert len(records) == -(-n_batches // 3)
    assert n_batches % 3, "the last update should have fewer batches"
    assert [record.ends_epoch for record in records] == [False] * (len(records) - 1) + [True]
    assert sum(record.tokens for record in records) == sum(record.tokens for record in single.updates(1))


def test_a_long_gradient_is_cut_to_the_norm_and_a_short_one_is_left(make_trainer, batches):
    free, cut = make_trainer(dropout=0.0), make_trainer(dropout=0.0, clip_norm=0.05)
    free.update(batches)
    cut.update(batches)
    length = np.linalg.norm(free.optimizer.flat.grad)
    assert length > 0.05
    np.testing.assert_allclose(cut.optimizer.flat.grad, free.optimizer.flat.grad * (0.05 / length), rtol=1e-5)
    loose = make_trainer(dropout=0.0, clip_norm=float(length) * 1.01)
    loose.update(batches)
    assert (loose.optimizer.flat.grad == free.optimizer.flat.grad).all()


@pytest.mark.parametrize("how", [{"workers": 0}, {"accumulate": 0}, {"clip_norm": 0.0}, {"clip_norm": -1.0}])
def test_numbers_below_one_are_refused(make_trainer, how):
    with pytest.raises(InputError, match="expected"):
        make_trainer(**how)


def test_eval_mode_is_noticed_by_every_worker(make_trainer, batches):
    trainer = make_trainer(workers=2)
    trainer.objective.model.eval()
    with pytest.raises(RuntimeError, match=r"remembering off \(eval mode\)"):
        trainer.update(batches)
    trainer.objective.model.train()
    assert trainer.update(batches) > 0
