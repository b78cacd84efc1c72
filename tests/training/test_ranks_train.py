"""n ranks, here threads, do what the n workers of one process do: the same loss, weights and random streams."""

from itertools import islice

import numpy as np
import pytest
from fake_ranks import all_well, in_ranks
from test_replicas import three_batches, whole_gradient

from npformer import InputError
from npformer.training import Checkpoint, FlatParameters, load_checkpoint, save_checkpoint
from npformer.utils.safetensors_io import load_tensors

EPOCHS = 2
HOWS = [{}, {"accumulate": 3}, {"clip_norm": 0.05}, {"accumulate": 2, "clip_norm": 0.1}]


def states(trainer):
    return [rng.bit_generator.state for rng in trainer.generators()]


def trained(trainer):
    """The records of some epochs, and what they left: weights and random states."""
    return list(trainer.updates(EPOCHS)), trainer.optimizer.flat.data.tobytes(), states(trainer)


@pytest.mark.parametrize("how", HOWS)
def test_two_ranks_do_bit_for_bit_what_two_workers_do(make_trainer, how):
    records, weights, streams = trained(make_trainer(workers=2, dropout=0.3, **how))
    first, second = all_well(2, lambda ranks: trained(make_trainer(ranks=ranks, dropout=0.3, **how)))
    assert first[:2] == second[:2] == (records, weights)
    assert first[2] + second[2] == streams


@pytest.mark.long
@pytest.mark.parametrize(("n", "workers"), [(3, 1), (2, 2), (2, 3), (7, 1)])
def test_more_ranks_do_what_as_many_workers_do_but_for_rounding(make_trainer, n, workers):
    how = {"dropout": 0.3, "dtype": "float64", "accumulate": 2}
    alone = make_trainer(workers=n * workers, **how)
    expected = list(alone.updates(EPOCHS))

    def run(ranks):
        trainer = make_trainer(ranks=ranks, workers=workers, **how)
        return list(trainer.updates(EPOCHS)), trainer.optimizer.flat.data.copy(), states(trainer)

    found = all_well(n, run)
    for records, weights, _ in found:
        assert [r.loss for r in records] == pytest.approx([r.loss for r in expected], rel=1e-10)
        assert [r.tokens for r in records] == [r.tokens for r in expected]
        np.testing.assert_allclose(weights, alone.optimizer.flat.data, rtol=1e-6, atol=1e-8)  # Adam enlarges rounding
    assert [state for *_, some in found for state in some] == states(alone)


@pytest.mark.parametrize("workers", [1, 2])
def test_ranks_without_sentences_add_nothing(make_trainer, workers):
    """Of three batches the last has a single sentence: most of eight ranks have none of it."""
    batches = three_batches(make_trainer)
    expected_loss, expected = whole_gradient(make_trainer, batches[2:])

    def run(ranks):
        trainer = make_trainer(ranks=ranks, workers=workers, dtype="float64", dropout=0.0)
        trainer.replicas.gradient(batches)  # leaves a gradient everywhere, and no trace in the next
        return trainer.replicas.gradient(batches[2:]), trainer.optimizer.flat.grad.copy()

    for loss, gradient in all_well(8, run):
        assert loss == pytest.approx(expected_loss, rel=1e-13)
        assert np.abs(gradient - expected).max() <= 1e-13 * np.abs(expected).max()


def test_a_gradient_is_clipped_after_the_sum(make_trainer):
    """Clipped before it, a gradient of parts that point elsewhere would be shorter than the limit."""
    [batch] = three_batches(make_trainer)[:1]

    def length(ranks):
        trainer = make_trainer(ranks=ranks, dropout=0.0, clip_norm=1e-3)
        trainer.update([batch])
        return trainer.optimizer.flat.gradient_norm()

    assert all_well(3, length) == pytest.approx([1e-3] * 3, rel=1e-5)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.1 + 0.2, 5e-324])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_losses_are_added_up_as_they_are(value, dtype):
    def run(ranks):
        buffer = np.full(3 + ranks.room, 7, dtype)
        loss = ranks.add_up(buffer, value if ranks.rank == 1 else 0.0, 1 + ranks.rank, 6)
        return loss, buffer[:3].tolist()

    for loss, gradient in all_well(3, run):
        np.testing.assert_equal(loss, value)
        assert gradient == [21, 21, 21]


def test_ranks_at_different_updates_are_found():
    def run(ranks):
        ranks.add_up(np.zeros(1 + ranks.room), 1.0, 10 + ranks.rank, 20)

    for error in in_ranks(2, run):
        assert isinstance(error, InputError)
        assert "the ranks are at different updates: of 20 tokens they counted 10, 11" in str(error)


def test_a_signal_that_came_to_one_rank_is_heard_by_all_at_the_same_update(make_trainer):
    def run(ranks):
        trainer, came = make_trainer(ranks=ranks), [0, 0, 0, 15]
        ranks.listen(lambda: came.pop(0) if ranks.rank == 1 and came else 0)
        return [ranks.heard() for _ in islice(trainer.updates(EPOCHS), 6)]

    assert all_well(3, run) == [[0, 0, 0, 15, 0, 0]] * 3


def test_a_flat_gradient_without_room_is_refused(make_trainer):
    def run(ranks):
        trainer = make_trainer()
        type(trainer)(trainer.objective, trainer.optimizer, trainer.batches, ranks=ranks)

    for error in in_ranks(2, run):
        assert isinstance(error, InputError) and "expected FlatParameters(parameters, room=48)" in str(error)


def test_room_is_no_part_of_the_gradient_and_is_copied_too(make_model):
    import copy

    parameters = make_model().parameters()
    flat = FlatParameters(parameters, 5)
    assert len(flat.grad) == len(flat.data) == len(flat.grad_and_room) - 5
    assert FlatParameters(parameters).grad_and_room is flat.grad_and_room
    assert len(copy.deepcopy(flat).grad_and_room) == len(flat.grad_and_room)


@pytest.mark.parametrize("workers", [1, 2])
def test_as_many_ranks_go_on_bit_for_bit(make_trainer, tmp_path, workers):
    path, how = tmp_path / "checkpoint.safetensors", {"dropout": 0.3, "workers": workers}

    def unbroken(ranks):
        return trained(make_trainer(ranks=ranks, **how))

    def stopped(ranks):
        trainer = make_trainer(ranks=ranks, **how)
        records = list(islice(trainer.updates(EPOCHS), 4))
        save_checkpoint(path, trainer, {"by": ranks.rank})
        assert path.exists()
        return records

    def resumed(ranks):
        trainer = make_trainer(ranks=ranks, seed=99, **how)
        assert load_checkpoint(path, trainer)["by"] == 0
        return trained(trainer)

    expected, before, after = (all_well(2, run) for run in (unbroken, stopped, resumed))
    for rank in range(2):
        records, *left = after[rank]
        assert (before[rank] + records, *left) == expected[rank]
    assert Checkpoint.read(path).ranks == 2
    assert load_tensors(path)[1]["random_states"][0] != load_tensors(path)[1]["random_states"][-1]


@pytest.mark.parametrize(("n", "others"), [(2, 3), (3, 2), (2, 1), (1, 2)])
def test_another_number_of_ranks_goes_on_with_the_streams_that_there_are(make_trainer, tmp_path, n, others):
    path = tmp_path / "checkpoint.safetensors"

    def stopped(ranks):
        trainer = make_trainer(ranks=ranks, dropout=0.3)
        list(islice(trainer.updates(EPOCHS), 4))
        save_checkpoint(path, trainer)
        return states(trainer)

    def resumed(ranks):
        fresh = make_trainer(ranks=ranks, dropout=0.3)
        begun = states(fresh)
        load_checkpoint(path, fresh)
        restored = states(fresh)
        assert len(list(fresh.updates(EPOCHS))) > 1
        return begun, restored

    saved = all_well(n, stopped)
    for rank, (begun, restored) in enumerate(all_well(others, resumed)):
        assert restored == (saved[rank] if rank < n else begun)


def test_another_number_of_workers_is_refused_as_ever(make_trainer, tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    all_well(2, lambda ranks: save_checkpoint(path, make_trainer(ranks=ranks)))
    for error in in_ranks(2, lambda ranks: load_checkpoint(path, make_trainer(ranks=ranks, workers=2))):
        assert isinstance(error, InputError) and "its random states do not fit" in str(error)


def test_a_dropout_that_comes_later_draws_from_streams_of_its_own(make_trainer):
    """What is put into a layer is given a stream for each rank, as it is for each worker."""
    [batch] = three_batches(make_trainer)[:1]

    def run(trainer):
        trainer.replicas.gradient([batch])
        drop = trainer.objective.model.encoder.layers[0].feed_forward.dropout
        drop.rng, drop.p = np.random.default_rng(7), 0.5
        return trainer.replicas.gradient([batch]), trainer.optimizer.flat.grad.tobytes()

    expected = run(make_trainer(workers=2))
    assert all_well(2, lambda ranks: run(make_trainer(ranks=ranks))) == [expected] * 2
