from itertools import islice

import numpy as np
import pytest

from npformer import InputError
from npformer.base.tensors import save_tensors
from npformer.training import load_checkpoint, save_checkpoint

EPOCHS = 3
GENERATORS = [np.random.PCG64, np.random.SFC64, np.random.MT19937, np.random.Philox, np.random.PCG64DXSM]


def state(trainer):
    """Everything that decides how a training goes on."""
    tensors = {**trainer.objective.state_dict(), **trainer.optimizer.state_dict()}
    random = [str(generator.bit_generator.state) for generator in trainer.generators()]
    place = trainer.optimizer.steps, trainer.epoch, trainer.batch
    return {name: array.tobytes() for name, array in tensors.items()}, random, place


def resumed(trainer, path):
    load_checkpoint(path, trainer)
    return trainer


@pytest.fixture
def path(tmp_path):
    return tmp_path / "checkpoint.safetensors"


@pytest.mark.parametrize("bit_generator", GENERATORS)
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(make_trainer, path, bit_generator):
    unbroken = make_trainer(bit_generator=bit_generator)
    expected = list(unbroken.updates(EPOCHS))
    stopped = make_trainer(bit_generator=bit_generator)
    records = list(islice(stopped.updates(EPOCHS), 17))
    assert 0 < stopped.batch < len(stopped.batches.epoch(stopped.epoch)), "the stop should come within an epoch"
    save_checkpoint(path, stopped)
    taken_up = resumed(make_trainer(bit_generator=bit_generator, seed=99), path)
    assert state(taken_up) == state(stopped)
    records += taken_up.updates(EPOCHS)
    assert records == expected
    assert state(taken_up) == state(unbroken)


@pytest.mark.parametrize("how", [{"workers": 2}, {"workers": 3, "accumulate": 2}, {"accumulate": 4, "clip_norm": 0.1}])
def test_workers_and_accumulation_are_taken_up_too(make_trainer, path, how):
    unbroken = make_trainer(**how)
    expected = list(unbroken.updates(EPOCHS))
    stopped = make_trainer(**how)
    updates_an_epoch = sum(record.epoch == 1 for record in expected)
    records = list(islice(stopped.updates(EPOCHS), updates_an_epoch + 1))
    assert stopped.batch > 0, "the stop should come within an epoch"
    save_checkpoint(path, stopped)
    taken_up = resumed(make_trainer(seed=99, **how), path)
    records += taken_up.updates(EPOCHS)
    assert records == expected
    assert state(taken_up) == state(unbroken)


def test_a_checkpoint_of_another_number_of_workers_is_refused(make_trainer, path):
    save_checkpoint(path, make_trainer(workers=2))
    with pytest.raises(InputError, match="random states do not fit"):
        resumed(make_trainer(workers=3), path)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_stopping_after_every_update_changes_nothing(make_trainer, path, dtype):
    unbroken = make_trainer(dtype=dtype)
    expected = list(unbroken.updates(1))
    trainer, records = make_trainer(dtype=dtype), []
    for seed in range(len(expected)):
        records += islice(trainer.updates(1), 1)
        save_checkpoint(path, trainer)
        trainer = resumed(make_trainer(dtype=dtype, seed=seed), path)
    assert records == expected
    assert state(trainer) == state(unbroken)


def test_the_last_checkpoint_of_an_epoch_begins_the_next(make_trainer, path):
    trainer = make_trainer()
    n_batches = len(trainer.batches.epoch(1))
    list(islice(trainer.updates(2), n_batches))
    save_checkpoint(path, trainer)
    record = next(resumed(make_trainer(), path).updates(2))
    assert (record.epoch, record.step) == (2, n_batches + 1)


def test_saving_changes_nothing_in_the_run(make_trainer, path):
    quiet, saving = make_trainer(), make_trainer()
    for _ in zip(quiet.updates(1), saving.updates(1), strict=True):
        save_checkpoint(path, saving)
    assert state(saving) == state(quiet)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"bit_generator": np.random.SFC64}, "another kind of random generator than SFC64"),
        ({"d_ff": 32}, "came with shape"),
        ({"n_decoder_layers": 2}, "does not fit the model: these weights lack decoder"),
    ],
)
def test_a_checkpoint_of_another_training_is_refused(make_trainer, path, settings, expected):
    save_checkpoint(path, make_trainer())
    with pytest.raises(InputError, match=expected) as caught:
        resumed(make_trainer(**settings), path)
    assert "\n" not in str(caught.value)


def test_weights_alone_are_no_checkpoint(make_trainer, path):
    trainer = make_trainer()
    save_tensors(path, trainer.objective.state_dict())
    with pytest.raises(InputError, match="is no checkpoint of this model"):
        resumed(trainer, path)


def test_a_checkpoint_cut_short_or_changed_is_refused(make_trainer, path):
    trainer = make_trainer()
    save_checkpoint(path, trainer)
    data = path.read_bytes()
    middle = len(data) // 2
    for damaged in (data[:-1], data[:middle], data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged"):
            resumed(trainer, path)
