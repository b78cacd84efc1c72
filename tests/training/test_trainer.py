from contextlib import closing

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import LabelSmoothingLoss, Objective, mean_loss
from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule

PAD = 0


@pytest.fixture
def trainer(make_trainer):
    return make_trainer()


def adam_of(model, learning_rate):
    return Adam(FlatParameters(model.parameters()), learning_rate=learning_rate)


def log_softmax(logits):
    logits = logits.astype("float64")
    peak = logits.max(-1, keepdims=True)
    return logits - peak - np.log(np.exp(logits - peak).sum(-1, keepdims=True))


def test_steps_and_epochs_are_counted(trainer):
    records = list(trainer.updates(3))
    sizes = [len(trainer.batches.epoch(epoch)) for epoch in (1, 2, 3)]
    assert [record.step for record in records] == list(range(1, sum(sizes) + 1))
    assert [record.epoch for record in records] == [
        epoch for epoch in (1, 2, 3) for _ in range(sizes[epoch - 1])
    ]
    assert [record.step for record in records if record.ends_epoch] == np.cumsum(sizes).tolist()
    assert (trainer.epoch, trainer.batches_done) == (4, 0)


def test_each_update_uses_next_batch_and_counts_tokens(trainer):
    for record, batch in zip(trainer.updates(1), trainer.batches.epoch(1), strict=True):
        assert record.tokens == (batch.tgt_out != PAD).sum()


def test_learning_rate_follows_schedule_per_update(trainer):
    schedule = WarmupSchedule(16, 10)
    assert [record.learning_rate for record in trainer.updates(2)] == [
        schedule(step) for step in range(1, trainer.optimizer.steps + 1)
    ]
    assert trainer.optimizer.steps > 2 * 10 / 2


def test_update_changes_every_parameter(trainer):
    before = trainer.objective.state_dict()
    next(trainer.updates(1))
    after = trainer.objective.state_dict()
    assert [name for name in before if (before[name] == after[name]).all()] == []


def test_gradients_are_reset_between_updates(make_model, id_pairs, trainer):
    def two_updates(*, clear):
        model = make_model(dropout=0.0)
        pair = Trainer(Objective(model), adam_of(model, 0.01), trainer.batches)
        for batch in list(trainer.batches.epoch(1))[:2]:
            if clear:
                model.zero_grad()
            pair.update([batch])
        return model.parameters()[0].grad.copy()

    assert (two_updates(clear=True) == two_updates(clear=False)).all()


@pytest.mark.parametrize("workers", [1, 2])
def test_gradients_of_frozen_parameters_are_reset_too(make_model, trainer, workers):
    model = make_model(dropout=0.0)
    frozen, [batch, *_] = (
        model.encoder.layers[0].feed_forward.sublayer.linear_1.weight,
        trainer.batches.epoch(1),
    )
    adam = Adam(FlatParameters([model.generator.table]), learning_rate=0.0)
    with closing(Trainer(Objective(model), adam, trainer.batches, workers=workers)) as training:
        training.update([batch])
        first = frozen.grad.copy()
        training.update([batch])
    assert first.any() and (frozen.grad == first).all()


@pytest.mark.parametrize("name", ["accumulate", "workers"])
@pytest.mark.parametrize("value", [0, 1.5])
def test_invalid_counts_are_rejected(make_trainer, name, value):
    with pytest.raises(InputError, match=f"{name} = {value}: expected an integer >= 1"):
        make_trainer(**{name: value})


@pytest.mark.parametrize("value", [0, -1.0, float("nan")])
def test_clip_norm_that_is_not_positive_is_rejected(make_trainer, value):
    with pytest.raises(InputError, match=f"clip_norm = {value}: expected a number above 0"):
        make_trainer(clip_norm=value)


def test_batch_position_outside_epoch_is_rejected(trainer):
    for batch in (-1, len(trainer.batches.epoch(1)), 1000):
        trainer.batches_done = batch
        with pytest.raises(InputError, match=f"but {batch} are done") as caught:
            next(trainer.updates(1))
        assert "\n" not in str(caught.value)


def test_mean_loss_has_no_smoothing_or_dropout(trainer):
    model, batches = trainer.objective.model, trainer.batches
    measured = mean_loss(model, batches)
    model.eval()
    losses = []
    for source, target in batches.examples:
        src, tgt_in, tgt_out = np.array([[*source, 3]]), np.array([[2, *target]]), [*target, 3]
        log_probabilities = log_softmax(model.forward(src, tgt_in)[0])
        losses += [-log_probabilities[t, token] for t, token in enumerate(tgt_out)]
    assert measured == pytest.approx(np.mean(losses), rel=1e-5)


def test_only_training_loss_is_smoothed(make_model, trainer):
    model = make_model(dropout=0.0)
    one_batch = next(iter(trainer.batches.epoch(1)))
    smooth, plain = (LabelSmoothingLoss(eps=eps, pad_id=PAD) for eps in (0.1, 0.0))
    logits = model.forward(one_batch.src, one_batch.tgt_in)
    untrained = Trainer(Objective(model), adam_of(model, 1e-9), trainer.batches)
    assert untrained.update([one_batch]) == smooth.forward(logits, one_batch.tgt_out)
    assert smooth.forward(logits, one_batch.tgt_out) != plain.forward(logits, one_batch.tgt_out)
