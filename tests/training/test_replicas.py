"""Several replicas, and several batches an update, give the gradient that one pass over all sentences gives."""

from functools import partial
from itertools import islice

import numpy as np
import pytest

from npformer import InputError, Module, Parameter
from npformer.layers import Dropout, ReLU
from npformer.tasks import Batches, LabelSmoothingLoss, Objective, TranslationBatch
from npformer.training import Adam, FlatParameters, Trainer


@pytest.fixture(params=[None, False], ids=["processes", "threads"])
def make_trainer(make_trainer, request):
    """Every test of this file twice: with processes, where these can be had, and with threads."""
    return partial(make_trainer, processes=request.param)


# Tests that look at the replicas in this process, where threads alone compute; what children do with theirs is looked
# at in test_worker_processes.py
in_threads = pytest.mark.parametrize("make_trainer", [False], indirect=True, ids=["threads"])


def gradients(trainer, batches):
    loss = trainer.replicas.gradient(batches)
    return loss, trainer.optimizer.flat.grad.copy()


def three_batches(make_trainer):
    """Three batches of different sizes; the last has a single sentence."""
    first, second = islice(make_trainer().batches.epoch(1).batches(), 2)
    return [first, second, first.split(len(first.src))[0]]


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
def test_the_gradient_is_that_of_the_mean_over_all_tokens(make_trainer, workers, number):
    batches = three_batches(make_trainer)
    loss, gradient = gradients(make_trainer(dtype="float64", dropout=0.0, workers=workers), batches[:number])
    expected_loss, expected = whole_gradient(make_trainer, batches[:number])
    assert loss == pytest.approx(expected_loss, rel=1e-13)
    assert np.abs(gradient - expected).max() <= 1e-13 * np.abs(expected).max()


def test_a_second_update_starts_from_zero(make_trainer):
    batches = three_batches(make_trainer)
    trainer = make_trainer(dtype="float64", dropout=0.0, workers=2)
    _, first = gradients(trainer, batches)
    _, second = gradients(trainer, batches)
    assert (first == second).all()


@in_threads
def test_workers_share_the_weights_and_nothing_else(make_trainer):
    trainer = make_trainer(workers=2)
    own, twin = (dict(objective.named_parameters()) for objective in trainer.replicas.objectives)
    assert own.keys() == twin.keys()
    for name in own:
        assert np.shares_memory(own[name].data, twin[name].data)
        assert not np.shares_memory(own[name].grad, twin[name].grad)
    assert not set.intersection(*({id(rng) for rng in o.generators()} for o in trainer.replicas.objectives))
    assert len({id(rng) for rng in trainer.generators()}) == 2


def test_workers_drop_out_differently(make_trainer):
    batches = three_batches(make_trainer)
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


def test_a_long_gradient_is_cut_to_the_norm_and_a_short_one_is_left(make_trainer):
    batches = three_batches(make_trainer)
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


def test_eval_mode_is_noticed_by_every_worker(make_trainer):
    batches = three_batches(make_trainer)
    trainer = make_trainer(workers=2)
    trainer.objective.model.eval()
    with pytest.raises(RuntimeError, match=r"remembering off \(eval mode\)"):
        trainer.update(batches)
    trainer.objective.model.train()
    assert trainer.update(batches) > 0


def test_a_replica_without_sentences_adds_nothing_of_the_update_before(make_trainer):
    """A large update, and then one of a single sentence, of which three of four replicas get nothing."""
    batches = three_batches(make_trainer)
    trainer, single = (make_trainer(dtype="float64", dropout=0.0, workers=n) for n in (4, 1))
    gradients(trainer, batches[:2])
    loss, gradient = gradients(trainer, batches[2:])
    expected_loss, expected = gradients(single, batches[2:])
    assert loss == pytest.approx(expected_loss, rel=1e-13)
    assert np.abs(gradient - expected).max() <= 1e-13 * np.abs(expected).max()
    assert [g.any() for g in trainer.replicas.gradients] == [True, False, False, False]


def dropouts(objective):
    return [module for _, module in objective.named_modules() if isinstance(module, Dropout)]


def test_a_rate_that_was_changed_holds_in_every_replica(make_trainer):
    batches = three_batches(make_trainer)
    trainer, free = make_trainer(workers=3, dropout=0.5), make_trainer(workers=3, dropout=0.0)
    for dropout in dropouts(trainer.objective):
        dropout.p = 0.0
    _, gradient = gradients(trainer, batches)
    assert (gradient == gradients(free, batches)[1]).all()


@in_threads
def test_a_dropout_that_was_exchanged_is_exchanged_in_every_replica(make_trainer):
    batches = three_batches(make_trainer)
    trainer = make_trainer(workers=2, dropout=0.0)
    trainer.objective.model.encoder.tokens.dropout = Dropout(0.9, rng=0)
    share = batches[0].split(2)[1]
    plain = make_trainer(workers=2, dropout=0.0).objective.forward(share)
    trainer.replicas.gradient(batches[:1])
    own, other = (o.model.encoder.tokens.dropout for o in trainer.replicas.objectives)
    assert other.p == own.p == Dropout(0.9).p and other.rng is not own.rng
    assert trainer.replicas.objectives[1].forward(share) != plain


@in_threads
def test_an_encoder_in_eval_mode_is_in_eval_mode_in_every_replica(make_trainer):
    batches = three_batches(make_trainer)
    trainer = make_trainer(workers=2, dropout=0.5)
    trainer.objective.model.encoder.eval()
    with pytest.raises(RuntimeError, match=r"remembering off \(eval mode\)"):
        trainer.update(batches)
    assert trainer.replicas.objectives[1].model.encoder.now == (False, False)
    assert trainer.replicas.objectives[1].model.decoder.now == (True, True)
    trainer.objective.model.encoder.train()
    assert trainer.update(batches) > 0


def test_a_gradient_without_dropout_is_without_it_in_every_replica(make_trainer):
    batches = three_batches(make_trainer)
    trainer, free = make_trainer(workers=3, dropout=0.5), make_trainer(workers=3, dropout=0.0)
    with trainer.objective.switched(drop_out=False, remember=True):
        _, gradient = gradients(trainer, batches)
    assert (gradient == gradients(free, batches)[1]).all()
    assert (gradients(trainer, batches)[1] != gradient).any()


CHANGES = {
    "a rate": lambda model: setattr(model.encoder.tokens.dropout, "p", 0.25),
    "another layer of its kind": lambda model: setattr(model.encoder.tokens, "dropout", Dropout(0.75, rng=5)),
    "a layer of another kind": lambda model: setattr(model.encoder.tokens, "dropout", ReLU()),
    "a layer taken away": lambda model: model.decoder.layers.pop(),
}


@in_threads
@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_in_the_layers_later_is_changed_in_every_replica(make_trainer, change):
    batches = three_batches(make_trainer)
    late, early = (make_trainer(workers=3, n_decoder_layers=2, dropout=0.5) for _ in range(2))
    [batch] = batches[:1]
    same = TranslationBatch(*(np.repeat(ids[:1], 3, 0) for ids in (batch.src, batch.tgt_in, batch.tgt_out)))
    CHANGES[change](late.objective.model)
    late.replicas.gradient([same])
    first, *others = (objective.model for objective in late.replicas.objectives)
    CHANGES[change](early.objective.model)
    assert [repr(other) for other in others] == [repr(first)] * 2 == [repr(early.objective.model)] * 2
    assert {model.encoder.tokens.dropout.label for model in (first, *others)} == {
        early.objective.model.encoder.tokens.dropout.label
    }


def test_what_is_taken_away_has_no_gradient_any_more(make_trainer):
    batches = three_batches(make_trainer)
    trainer = make_trainer(workers=3, n_decoder_layers=2)
    gradients(trainer, batches)
    taken = trainer.objective.model.decoder.layers.pop()
    assert all(p.grad.any() for name, p in taken.named_parameters() if not name.endswith("w_key.bias"))
    gradients(trainer, batches)
    assert not any(p.grad.any() for p in taken.parameters())


def test_a_change_does_not_begin_the_random_streams_anew(make_trainer):
    batches = three_batches(make_trainer)
    trainer = make_trainer(workers=2)
    trainer.update(batches)
    streams = trainer.generators()
    trainer.objective.model.encoder.tokens.dropout.p = 0.25
    trainer.update(batches)
    assert [id(rng) for rng in trainer.generators()] == [id(rng) for rng in streams]


def change_deep(plan):
    plan["rates"][1][0].append(0.5)


def exchange_deep(plan):
    plan["rates"][1][1]["x"] = Dropout(0.25, rng=5)


@in_threads
@pytest.mark.parametrize("change", [change_deep, exchange_deep])
def test_a_change_deep_in_containers_is_changed_in_every_replica(make_trainer, change):
    batches = three_batches(make_trainer)
    trainer = make_trainer(workers=3)
    trainer.objective.model.plan = {"rates": [0.1, ([0.2], {"x": Dropout(0.5, rng=5)})]}
    trainer.replicas.gradient(batches)
    change(trainer.objective.model.plan)
    trainer.replicas.gradient(batches)
    plans = [objective.model.plan["rates"][1] for objective in trainer.replicas.objectives]
    expected = ([0.2, 0.5], 0.5) if change is change_deep else ([0.2], 0.25)
    assert [(numbers, layers["x"].p) for numbers, layers in plans] == [expected] * 3


class Doubling(Module):
    """Something that no layer of the model was; it takes the encoder's mask, too."""

    def forward(self, x, mask=None):
        return self.remember(2 * x)

    def backward(self, dy):
        self.recall(dy)
        return 2 * dy


EXCHANGES = {
    "another kind": lambda model: setattr(model.encoder.tokens, "dropout", Doubling()),
    "another kind in a list": lambda model: model.encoder.layers.append(Doubling()),
}


@pytest.mark.parametrize("change", EXCHANGES)
def test_three_replicas_find_the_gradient_that_one_finds_after_a_change(make_trainer, change):
    batches, found = three_batches(make_trainer), []
    for workers in (1, 3):
        trainer = make_trainer(workers=workers, dtype="float64", dropout=0.0)
        _, plain = gradients(trainer, batches)
        EXCHANGES[change](trainer.objective.model)
        found.append(gradients(trainer, batches))
    (loss, gradient), (loss_of_three, gradient_of_three) = found
    assert loss_of_three == pytest.approx(loss, rel=1e-13)
    assert np.abs(gradient_of_three - gradient).max() <= 1e-13 * np.abs(gradient).max()
    assert np.abs(gradient - plain).max() > 1e-3 * np.abs(plain).max()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_parameter_that_nobody_trains_here_has_no_gradient(make_model, id_pairs, make_trainer, workers):
    model = make_model()
    [table, *others] = model.parameters()
    how = {"workers": workers, "processes": make_trainer.keywords["processes"]}
    adam = Adam(FlatParameters(others), learning_rate=0.1)
    trainer = Trainer(Objective(model), adam, Batches(id_pairs, batch_tokens=40), **how)
    list(islice(trainer.updates(1), 2))
    assert adam.flat.grad.any() and not table.grad.any()


class Broken(Module):
    """A layer without a backward: an error comes before every gradient is written."""

    def forward(self, x):
        raise InputError("broken")


@in_threads
@pytest.mark.parametrize("workers", [1, 2])
def test_a_gradient_that_was_not_found_is_zero(make_trainer, workers):
    trainer = make_trainer(workers=workers)
    next(trainer.updates(1))
    trainer.objective.model.encoder.tokens.dropout = Broken()
    with pytest.raises(InputError, match="broken"):
        next(trainer.updates(1))
    assert not any(gradient.any() for gradient in (trainer.optimizer.flat.grad_and_room, *trainer.replicas.gradients))


def test_what_an_objective_adds_to_the_flat_gradient_counts(make_model, id_pairs):
    class Decayed(Objective):
        def backward(self):
            flat.grad += 100.0
            super().backward()

    model = make_model()
    flat = FlatParameters(model.parameters())
    trainer = Trainer(Decayed(model), Adam(flat, learning_rate=0.0), Batches(id_pairs, batch_tokens=40))
    for _ in islice(trainer.updates(1), 2):
        assert 50 < flat.grad.min() <= flat.grad.max() < 150


@pytest.mark.parametrize("workers", [1, 2])
def test_a_parameter_cut_loose_from_adams_buffer_is_refused(make_trainer, workers):
    trainer = make_trainer(workers=workers)
    next(trainer.updates(1))
    norm = trainer.objective.model.encoder.layers[0].feed_forward.norm
    norm.gain = Parameter(norm.gain.data.copy())
    with pytest.raises(InputError, match="the optimiser has other parameters than the model: make it, and the Trainer"):
        next(trainer.updates(1))
    with pytest.raises(InputError, match="the optimiser has other parameters"):
        Trainer(trainer.objective, trainer.optimizer, trainer.batches, workers=workers)


def test_more_threads_than_there_can_be_are_refused(make_trainer, monkeypatch):
    def refuse(self, *arguments):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor.submit", refuse)
    assert make_trainer(workers=1)
    with pytest.raises(InputError, match=r"no 2 more threads .*can't start new thread.*: ask for workers = 1"):
        make_trainer(workers=3, processes=False)
