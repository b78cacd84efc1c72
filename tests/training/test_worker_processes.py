"""Worker processes compute, bit for bit, what worker threads compute; and what is set later reaches them."""

import copy
import os
import pickle
import sys
from itertools import islice

import numpy as np
import pytest
from blas import blas_thread_counts
from npformer.training.shared_memory import is_shared
from test_resume import GENERATORS, state
from threadpoolctl import threadpool_limits

from npformer import InputError, Module, backend, workers
from npformer.layers import Dropout, Linear
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.tasks import Batches, ClassificationBatch, Objective, TextChunks
from npformer.training import Adam, FlatParameters, Trainer, WarmupSchedule, load_checkpoint, save_checkpoint
from npformer.utils import Switches

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")

HOWS = [
    {"workers": 2, "dropout": 0.5},
    {"workers": 3, "accumulate": 2, "clip_norm": 0.05},
    {"workers": 2, "dtype": "float64", "recompute": True},
    {"workers": 7, "norm": "pre", "tie": "none"},
    *({"workers": 2, "bit_generator": kind} for kind in GENERATORS[1:]),
]
EPOCHS = 2


def both(make, how, change=lambda trainer: None, after=3):
    """Return a trainer of processes and one of threads, after some updates, a change, and the rest of two epochs."""
    trainers = make(**how), make(processes=False, **how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "CACHED_ENTRIES", 512)  # for Adam and sums, too, there is something to share
        for trainer in trainers:
            updates = trainer.updates(EPOCHS)
            trainer.records = list(islice(updates, after))
            change(trainer)
            trainer.records += updates
    return trainers


def assert_alike(one, other):
    assert len(one.replicas.team.children) == len(one.replicas.gradients) - 1 > 0
    assert one.records == other.records and len(one.records) >= 8
    assert state(one) == state(other)
    assert [g.tobytes() for g in one.replicas.gradients] == [g.tobytes() for g in other.replicas.gradients]


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_processes_do_bit_for_bit_what_threads_do(make_trainer, how):
    assert_alike(*both(make_trainer, how))


def make_language_model(processes=None, **how):
    config = LanguageModelConfig(vocab_size=12, d_model=16, d_ff=24, n_heads=2, n_decoder_layers=2, dropout=0.2)
    batches = TextChunks(np.random.default_rng(0).integers(4, 12, 300), length=10, batch_tokens=50)
    return trainer_of(LanguageModel(config, rng=0), batches, processes, **how)


def make_classifier(processes=None, **how):
    config = ClassifierConfig(vocab_size=12, n_classes=3, d_model=16, d_ff=24, n_heads=2, n_encoder_layers=2)
    rng = np.random.default_rng(0)
    texts = [(rng.integers(4, 12, rng.integers(1, 9)).tolist(), int(rng.integers(3))) for _ in range(40)]
    batches = Batches(texts, batch_tokens=40, kind=ClassificationBatch)
    return trainer_of(Classifier(config, rng=0), batches, processes, **how)


def trainer_of(model, batches, processes, **how):
    adam = Adam(FlatParameters(model.parameters()), learning_rate=WarmupSchedule(16, 10))
    return Trainer(Objective(model), adam, batches, processes=processes, **how)


@pytest.mark.parametrize("make", [make_language_model, make_classifier])
def test_so_they_do_with_other_tasks(make):
    assert_alike(*both(make, {"workers": 3}))


@pytest.mark.parametrize("first", [None, False])
def test_a_checkpoint_of_one_kind_goes_on_with_the_other(make_trainer, tmp_path, first):
    path, how = tmp_path / "checkpoint.safetensors", {"workers": 2, "dropout": 0.5}
    unbroken = make_trainer(**how)
    expected = list(unbroken.updates(EPOCHS))
    stopped = make_trainer(processes=first, **how)
    records = list(islice(stopped.updates(EPOCHS), 7))
    save_checkpoint(path, stopped)
    other = make_trainer(processes={None: False, False: None}[first], seed=9, **how)
    load_checkpoint(path, other)
    assert records + list(other.updates(EPOCHS)) == expected and state(other) == state(unbroken)


def set_rates(trainer):
    for _, layer in trainer.objective.named_modules():
        if isinstance(layer, Dropout):
            layer.p = 0.25


def set_rates_again(trainer):
    for _, layer in trainer.objective.named_modules():
        if isinstance(layer, Dropout):
            layer.p = float(repr(layer.p))  # an equal number, but another object


def load_others(trainer):
    trainer.objective.load_state_dict({name: a * 0.5 for name, a in trainer.objective.state_dict().items()})


def set_adam(trainer):
    trainer.optimizer.beta1, trainer.optimizer.beta2, trainer.optimizer.eps = 0.5, 0.9, 1e-3
    trainer.optimizer.learning_rate = lambda step: 0.1 / step


def draw(trainer):
    for rng in trainer.generators():
        rng.random(3)


def exchange(trainer):
    trainer.objective.model.encoder.tokens.dropout = Dropout(0.75, rng=5)


def rest_one_dropout(trainer):
    trainer.objective.model.encoder.tokens.dropout.switches = Switches(drop_out=False, remember=True)


CHANGES = {
    "rates": set_rates,
    "weights": load_others,
    "moments": lambda trainer: trainer.optimizer.v.fill(1e-3),
    "other moments": lambda trainer: setattr(
        trainer.optimizer, "moments", np.full_like(trainer.optimizer.moments, 0.1)
    ),
    "Adam's settings": set_adam,
    "random states": draw,
    "a layer": exchange,
    "a switch": rest_one_dropout,
    "label smoothing": lambda trainer: setattr(trainer.objective.loss, "eps", 0.3),
}


@pytest.mark.parametrize(
    "change", [pytest.param(change, marks=pytest.mark.long if i else ()) for i, change in enumerate(CHANGES)]
)
def test_what_is_changed_between_two_updates_reaches_every_process(make_trainer, change):
    how = {"workers": 3, "dropout": 0.5}
    one, other = both(make_trainer, how, CHANGES[change])
    assert_alike(one, other)
    assert both(make_trainer, how)[0].records[-1] != one.records[-1]


def test_a_way_of_a_class_that_is_exchanged_is_exchanged_in_every_process(make_trainer, monkeypatch):
    plain, trainers = Linear.forward, []
    for processes in (None, False):
        monkeypatch.setattr(Linear, "forward", plain)
        trainer = make_trainer(workers=2, processes=processes)
        updates = trainer.updates(EPOCHS)
        trainer.records = list(islice(updates, 3))
        monkeypatch.setattr(Linear, "forward", lambda layer, x: plain(layer, x * 2))
        trainer.records += updates
        trainers.append(trainer)
    assert_alike(*trainers)


def scaled(x):
    return x * 0.5


class Scaling(Module):
    """A layer that asks a function and looks into containers of its own."""

    def __init__(self):
        self.plan = {"rates": [(1.0, [0.5])]}

    def forward(self, x):
        return self.remember(scaled(x) * self.plan["rates"][0][1][-1])

    def backward(self, dy):
        self.recall(dy)
        return scaled(dy) * self.plan["rates"][0][1][-1]


@pytest.mark.parametrize("what", ["a function", "a number deep in a layer"])
def test_what_a_layer_computes_by_is_exchanged_in_every_process(make_trainer, monkeypatch, what):
    def make(**how):
        monkeypatch.undo()
        trainer = make_trainer(**how)
        trainer.objective.model.encoder.tokens.dropout = Scaling()
        return trainer

    def change(trainer):
        if what == "a function":
            monkeypatch.setattr(sys.modules[__name__], "scaled", lambda x: x * 0.9)
        else:
            trainer.objective.model.encoder.tokens.dropout.plan["rates"][0][1].append(0.9)

    trainers = [make(workers=2, processes=processes) for processes in (None, False)]
    for trainer in trainers:
        monkeypatch.undo()
        trainer.records = list(islice(trainer.updates(EPOCHS), 3))
        change(trainer)
        trainer.records += trainer.updates(EPOCHS)
    assert_alike(*trainers)


class DecayingAdam(Adam):
    """Adam whose way with a stretch reads what changes from step to step."""

    def update(self, stretch, *numbers):
        super().update(stretch, *numbers)
        self.flat.data[stretch] *= 1 - 0.001 * self.steps


def test_an_adam_of_somebodys_own_knows_all_that_it_reads(make_model, id_pairs):
    def make(processes=None):
        model = make_model(dropout=0.1)
        adam = DecayingAdam(FlatParameters(model.parameters()), learning_rate=0.01)
        return Trainer(Objective(model), adam, Batches(id_pairs, batch_tokens=40), workers=2, processes=processes)

    assert_alike(*both(make, {}))


@pytest.mark.parametrize("trained", ["by nobody", "by another optimiser"])
def test_weights_that_this_optimiser_does_not_train_are_seen_too(make_model, id_pairs, trained):
    def make(processes):
        model = make_model(dropout=0.1)
        [table, *others] = model.parameters()
        second = FlatParameters([table]) if trained == "by another optimiser" else None
        adam = Adam(FlatParameters(others), learning_rate=0.01)
        how = {"workers": 2, "processes": processes}
        trainer = Trainer(Objective(model), adam, Batches(id_pairs, batch_tokens=40), **how)
        updates = trainer.updates(EPOCHS)
        trainer.records = list(islice(updates, 3))
        (second.data if second else table.data)[...] *= 0.5
        trainer.records += updates
        return trainer

    assert_alike(make(None), make(False))


def reported(trainer, what):
    """What `what()` says in the second worker, as the message of an error."""

    class Telling(Module):
        def forward(self, x):
            if os.getpid() != home:
                raise InputError(what())
            return self.remember(x)

        def backward(self, dy):
            self.recall(dy)
            return dy

    home, tokens = os.getpid(), trainer.objective.model.encoder.tokens
    before, tokens.dropout = tokens.dropout, Telling()
    with pytest.raises(InputError) as caught:
        next(trainer.updates(EPOCHS))
    tokens.dropout = before
    return str(caught.value)


def test_a_child_computes_on_one_thread(make_trainer, monkeypatch):
    """However many there are where it is forked, as when Adam's step is the first that is done."""
    monkeypatch.setattr(Adam, "update", lambda adam: (os.getpid(), blas_thread_counts()))
    trainer = make_trainer(workers=2)
    with threadpool_limits(2, user_api="blas"):
        found = trainer.replicas.team.each(trainer.optimizer.update, [(), ()])
    assert found == [(os.getpid(), {2}), (trainer.replicas.team.children[0].pid, {1})]


def test_what_a_layer_prints_is_printed_by_this_process_alone(make_trainer, capfd):
    trainer = make_trainer(workers=2)
    print("begun")
    assert reported(trainer, lambda: str(print("here", flush=True))) == "None"
    print("ended")
    assert capfd.readouterr() == ("begun\nended\n", "")


def test_processes_are_forked_once_for_each_loop_over_updates(make_trainer):
    for make in (make_trainer, make_language_model, make_classifier):
        trainer = make(workers=3)
        team = trainer.replicas.team
        assert team.children == []
        updates = trainer.updates(EPOCHS)
        next(updates)
        first = [child.pid for child in team.children]
        assert len(set(first)) == 2
        trainer.objective.model.eval().train()
        set_rates_again(trainer)
        list(updates)
        assert [child.pid for child in team.children] == first
        list(trainer.updates(EPOCHS + 1))
        assert not {child.pid for child in team.children} & {*first}


def test_processes_or_threads_as_asked(make_trainer, monkeypatch):
    assert isinstance(make_trainer(workers=2, processes=True).replicas.team, workers.Processes)
    threads = make_trainer(workers=2, processes=False)
    list(threads.updates(1))
    assert isinstance(threads.replicas.team, workers.Threads) and not is_shared(threads.optimizer.flat.data)
    alone = make_trainer(workers=1)
    assert isinstance(alone.replicas.team, workers.Threads) and not is_shared(alone.optimizer.flat.data)
    with pytest.raises(InputError, match=r"processes = True: expected Linux, and no other ranks\. Leave it out"):
        workers.team(2, processes=True, n_ranks=2)
    assert isinstance(workers.team(2, n_ranks=2), workers.Threads)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "mpi4py.MPI", None)
        assert isinstance(workers.team(2), workers.Threads)
    assert isinstance(workers.team(2), workers.Processes)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert isinstance(workers.team(2), workers.Threads)
    with pytest.raises(InputError, match="expected Linux"):
        workers.team(2, processes=True)


@pytest.mark.parametrize("kinds", [(None, False), (False, None), (None, None)], ids=str)
def test_two_trainers_of_one_model_take_turns(make_trainer, kinds):
    def turns(kinds):
        first = make_trainer(workers=2, dropout=0.0, processes=kinds[0])
        records = list(islice(first.updates(EPOCHS), 2))
        second = Trainer(first.objective, first.optimizer, first.batches, workers=2, processes=kinds[1])
        third = Trainer(first.objective, first.optimizer, first.batches, workers=1)
        for _ in range(2):
            records += [next(trainer.updates(EPOCHS)) for trainer in (first, second, third)]
        return records, first.optimizer.flat.data.tobytes()

    assert turns(kinds) == turns((False, False))


def test_one_worker_sees_weights_that_have_moved(make_trainer):
    alone, plain = make_trainer(dropout=0.0), make_trainer(dropout=0.0)
    Trainer(alone.objective, alone.optimizer, alone.batches, workers=2)
    assert list(alone.updates(1)) == list(plain.updates(1)) and is_shared(alone.optimizer.flat.data)


def test_the_same_parameters_in_two_optimisers_stay_one_buffer(make_trainer):
    trainer = make_trainer()
    other = Adam(FlatParameters(trainer.objective.parameters()), learning_rate=0.1)
    Trainer(trainer.objective, trainer.optimizer, trainer.batches, workers=2)
    assert other.flat.data is trainer.optimizer.flat.data and is_shared(other.flat.grad)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))])
def test_a_copy_shares_nothing_and_may_be_trained_by_processes_too(make_trainer, how):
    trainer = make_trainer(workers=2, dropout=0.0)
    list(trainer.updates(1))
    trainer.optimizer.learning_rate = 0.01
    objective, adam = how((trainer.objective, trainer.optimizer))
    assert not is_shared(adam.flat.data) and not is_shared(adam.m)
    twin = Trainer(objective, adam, trainer.batches, workers=2)
    twin.epoch, twin.batch = trainer.epoch, trainer.batch
    before = trainer.optimizer.flat.data.tobytes()
    records = list(twin.updates(2))
    assert trainer.optimizer.flat.data.tobytes() == before
    assert list(trainer.updates(2)) == records


def test_a_function_that_is_not_known_is_worked_with_all_the_same(make_trainer):
    trainer = make_trainer(workers=2)
    assert trainer.replicas.team.each(lambda a, b: (a + b, os.getpid()), [(1, 2), (3, 4)]) == [
        (3, os.getpid()),
        (7, os.getpid()),
    ]


def test_a_batch_that_cannot_be_sent_is_refused_and_the_next_one_is_not(make_trainer):
    class Batch(Batches([([4], [5])], batch_tokens=4).kind):
        def shares(self, n):
            return [Batch(self.src[i::n], self.tgt_in[i::n], self.tgt_out[i::n]) for i in range(n)]

    trainer, threads = make_trainer(workers=2), make_trainer(workers=2, processes=False)
    [batch, *_] = trainer.batches.epoch(1)
    local = Batch(batch.src, batch.tgt_in, batch.tgt_out)
    with pytest.raises(InputError, match=r"a batch cannot be sent to worker 2 of 2 .*Batch.*: .*processes=False"):
        trainer.update([local])
    assert threads.update([local]) == trainer.update([batch])


def test_another_optimiser_in_the_place_of_the_first_trains_on(make_trainer):
    def replace(trainer):
        old = trainer.optimizer
        trainer.optimizer = Adam(old.flat, learning_rate=0.01)
        trainer.objective.model.encoder.tokens.dropout.p = 0.25  # and the children are forked anew

    assert_alike(*both(make_trainer, {"workers": 2}, replace))


def test_a_batch_of_a_kind_that_a_child_has_never_heard_of_is_told_of(make_trainer):
    trainer = make_trainer(workers=2)
    [batch, *_] = trainer.batches.epoch(1)
    trainer.update([batch])
    later = type("Later", (type(batch),), {"__module__": __name__})
    later.shares = lambda batch, n: [later(batch.src[i::n], batch.tgt_in[i::n], batch.tgt_out[i::n]) for i in range(n)]
    globals()["Later"] = later
    with pytest.raises(AttributeError, match="Later"):
        trainer.update([later(batch.src, batch.tgt_in, batch.tgt_out)])
    assert trainer.update([later(batch.src, batch.tgt_in, batch.tgt_out)]) > 0  # by children forked since
    del globals()["Later"]
