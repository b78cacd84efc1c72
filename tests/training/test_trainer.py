from contextlib import closing

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import LabelSmoothingLoss, Objective, mean_loss
from npformer.training import Adam, Trainer, WarmupSchedule

PAD = 0


@pytest.fixture
def trainer(make_trainer):
    return make_trainer()


def adam_of(model, learning_rate):
    return Adam(model.parameters(), learning_rate=learning_rate)


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


@pytest.mark.parametrize("accumulate", [1, 3])
def test_each_update_uses_the_next_batches_and_counts_their_tokens(make_trainer, accumulate):
    trainer = make_trainer(accumulate=accumulate)
    counts = [(batch.tgt_out != PAD).sum() for batch in trainer.batches.epoch(1)]
    starts = range(0, len(counts), accumulate)
    sums = [sum(counts[start : start + accumulate]) for start in starts]
    assert [record.tokens for record in trainer.updates(1)] == sums


def test_loops_that_take_turns_share_the_batches(make_trainer):
    """None is read twice, and nothing is trained after the end."""
    trainer = make_trainer()
    seen = []
    update = trainer.update

    def update_and_note(batches):
        seen.append(batches)
        return update(batches)

    trainer.update = update_and_note
    first = trainer.updates(1)
    next(first)
    for _ in trainer.updates(1):
        next(first, None)
    assert next(first, None) is None
    expected = list(trainer.batches.epoch(1))
    assert [batch.src.tolist() for [batch] in seen] == [batch.src.tolist() for batch in expected]


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
def test_gradients_of_frozen_parameters_change_nothing(make_model, trainer, workers):
    def weights(frozen_gradient):
        model = make_model(dropout=0.0)
        frozen = model.encoder.layers[0].feed_forward.sublayer.linear_1.weight
        frozen.grad[...] = frozen_gradient
        before = frozen.data.copy()
        adam = Adam([model.generator.table], 0.1)
        training = Trainer(Objective(model), adam, trainer.batches, clip_norm=0.1, workers=workers)
        with closing(training):
            for batch in list(trainer.batches.epoch(1))[:2]:
                training.update([batch])
        assert (frozen.data == before).all()
        return adam.data

    np.testing.assert_array_equal(weights(0.0), weights(np.nan))


def test_objective_needs_forward_backward_and_parameters_alone(make_model, trainer):
    class OwnObjective:
        def __init__(self, model):
            self.transformer = model
            self.loss = LabelSmoothingLoss(eps=0.1, pad_id=PAD)

        def parameters(self):
            return self.transformer.parameters()

        def forward(self, batch, n_tokens):
            logits = self.transformer.forward(*batch.inputs)
            return self.loss.forward(logits, batch.targets, n_tokens)

        def backward(self):
            dlogits = self.loss.backward()
            self.transformer.backward(dlogits)

    def losses(make_objective):
        model = make_model(dropout=0.0)
        training = Trainer(make_objective(model), adam_of(model, 0.01), trainer.batches)
        return [record.loss for record in training.updates(2)]

    assert losses(OwnObjective) == losses(Objective)


def test_trainer_whose_optimizer_lost_the_parameters_is_rejected(trainer):
    next(trainer.updates(1))
    adam_of(trainer.objective, 0.1)
    with pytest.raises(InputError, match="moved out of this optimizer"):
        next(trainer.updates(1))


def test_optimizer_with_a_parameter_of_another_model_is_rejected(make_model, trainer):
    model, other = make_model(seed=0), make_model(seed=1)
    adam = Adam([*model.parameters(), other.parameters()[0]], learning_rate=0.1)
    with pytest.raises(InputError, match="other parameters than the model"):
        Trainer(Objective(model), adam, trainer.batches)


@pytest.mark.parametrize("workers", [1, 2])
def test_loss_of_the_parameters_between_two_updates_is_rejected(make_trainer, workers):
    trainer = make_trainer(workers=workers)
    updates = trainer.updates(1)
    next(updates)
    adam_of(trainer.objective, 0.1)
    before = trainer.objective.state_dict()
    with pytest.raises(InputError, match="moved out of this optimizer"):
        next(updates)
    for name, array in trainer.objective.state_dict().items():
        np.testing.assert_array_equal(array, before[name])


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
    n = len(trainer.batches.epoch(1))
    for batch in (-1, n, 1000):
        trainer.batches_done = batch
        expected = f"epoch 1 has {n} batches, but {batch} are done"
        with pytest.raises(InputError, match=expected) as caught:
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
