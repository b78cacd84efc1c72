from itertools import islice

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import Batches
from npformer.training import Checkpoint, save_checkpoint
from npformer.utils.safetensors_io import load_tensors, save_tensors

EPOCHS = 3
HOWS = [{"workers": 2}, {"workers": 3, "accumulate": 2}, {"accumulate": 4, "clip_norm": 0.1}]
GENERATORS = [
    np.random.PCG64,
    np.random.SFC64,
    np.random.MT19937,
    np.random.Philox,
    np.random.PCG64DXSM,
]


def state(trainer):
    """Everything that decides how a training continues."""
    tensors = {**trainer.objective.state_dict(), **trainer.optimizer.state_dict()}
    random = [str(generator.bit_generator.state) for generator in trainer.generators()]
    place = trainer.optimizer.steps, trainer.epoch, trainer.batches_done
    return {name: array.tobytes() for name, array in tensors.items()}, random, place


def resumed(trainer, path):
    Checkpoint.read(path).restore(trainer)
    return trainer


LAST = "decoder.layers.0.feed_forward.norm.bias"  # of all weights the last one


@pytest.mark.parametrize("bit_generator", GENERATORS)
def test_resumed_run_equals_uninterrupted_run(make_trainer, tmp_path, bit_generator):
    path = tmp_path / "checkpoint.safetensors"
    unbroken = make_trainer(bit_generator=bit_generator)
    expected = list(unbroken.updates(EPOCHS))
    stopped = make_trainer(bit_generator=bit_generator)
    records = list(islice(stopped.updates(EPOCHS), 17))
    assert 0 < stopped.batches_done < len(stopped.batches.epoch(stopped.epoch)), (
        "the stop should come within an epoch"
    )
    save_checkpoint(path, stopped)
    taken_up = resumed(make_trainer(bit_generator=bit_generator, seed=99), path)
    assert state(taken_up) == state(stopped)
    records += taken_up.updates(EPOCHS)
    assert records == expected
    assert state(taken_up) == state(unbroken)


@pytest.mark.parametrize("how", HOWS)
def test_resume_with_workers_and_accumulation(make_trainer, tmp_path, how):
    path = tmp_path / "checkpoint.safetensors"
    unbroken = make_trainer(**how)
    expected = list(unbroken.updates(EPOCHS))
    stopped = make_trainer(**how)
    updates_an_epoch = sum(record.epoch == 1 for record in expected)
    records = list(islice(stopped.updates(EPOCHS), updates_an_epoch + 1))
    assert stopped.batches_done > 0, "the stop should come within an epoch"
    save_checkpoint(path, stopped)
    taken_up = resumed(make_trainer(seed=99, **how), path)
    records += taken_up.updates(EPOCHS)
    assert records == expected
    assert state(taken_up) == state(unbroken)


def test_checkpoint_with_other_worker_count_is_rejected(make_trainer, tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, make_trainer(workers=2))
    expected = (
        "has 2 random states, but expected 3: resume with the model and as many workers as it was "
        "saved with"
    )
    with pytest.raises(InputError, match=expected):
        resumed(make_trainer(workers=3), path)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_resuming_after_every_update_changes_no_result(make_trainer, tmp_path, dtype):
    path = tmp_path / "checkpoint.safetensors"
    unbroken = make_trainer(dtype=dtype)
    expected = list(unbroken.updates(1))
    trainer, records = make_trainer(dtype=dtype), []
    for seed in range(len(expected)):
        records += islice(trainer.updates(1), 1)
        save_checkpoint(path, trainer)
        trainer = resumed(make_trainer(dtype=dtype, seed=seed), path)
    assert records == expected
    assert state(trainer) == state(unbroken)


def test_checkpoint_at_end_of_epoch_starts_the_next(make_trainer, tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    trainer = make_trainer()
    n_batches = len(trainer.batches.epoch(1))
    list(islice(trainer.updates(2), n_batches))
    # progress of one's own may have the names of the trainer's
    save_checkpoint(path, trainer, {"epoch": 1, "batch": 0})
    assert Checkpoint.read(path).progress == {"epoch": 1, "batch": 0}
    record = next(resumed(make_trainer(), path).updates(2))
    assert (record.epoch, record.step) == (2, n_batches + 1)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"bit_generator": np.random.SFC64}, "another kind of random generator than SFC64"),
        ({"d_ff": 32}, r"got shape \(24,\), expected \(32,\)"),
        (
            {"n_decoder_layers": 2},
            "does not fit the model: 26 of .* weights do not fit this Objective, such as model.decoder",
        ),
    ],
)
def test_checkpoint_of_another_training_is_rejected(make_trainer, tmp_path, settings, expected):
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, make_trainer())
    with pytest.raises(InputError, match=expected) as caught:
        resumed(make_trainer(**settings), path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("how", ["data", "batch_tokens", "seed"])
def test_checkpoint_of_other_batches_is_rejected(make_trainer, tmp_path, how):
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, make_trainer())
    trainer = make_trainer()
    pairs, settings = trainer.batches.examples, {"batch_tokens": 40, "seed": 5}
    changed = {"data": pairs[1:]}.get(how, pairs)
    trainer.batches = Batches(changed, **{**settings, **({how: 41} if how != "data" else {})})
    before = state(trainer)
    with pytest.raises(InputError, match=r"the batches are not those of "):
        Checkpoint.read(path).restore(trainer)
    assert state(trainer) == before


def without(name):
    return lambda tensors, note: tensors.pop(name)


def reshaped(name):
    return lambda tensors, note: tensors.update({name: tensors[name].ravel()[:-1]})


def tensor(name, array):
    return lambda tensors, note: tensors.update({name: array})


def place(**changed):
    return lambda tensors, note: note["place"].update(changed)


def random_states(change):
    return lambda tensors, note: change(note["random_states"])


UNFIT = {
    "no first moment": without("adam.m"),
    "a second moment of another size": reshaped("adam.v"),
    "the last weight has another shape": reshaped(f"model.{LAST}"),
    "a weight is missing": without(f"model.{LAST}"),
    "a weight too many": tensor("extra", np.ones(3)),
    "weights of integers": tensor(f"model.{LAST}", np.zeros(24, "int8")),
    "moments of integers": lambda tensors, note: tensors.update(
        {"adam.m": tensors["adam.m"].astype("int8")}
    ),
    "no steps": without("adam.steps"),
    "steps that are floats": tensor("adam.steps", np.array(3.0)),
    "steps below 0": tensor("adam.steps", np.array(-1)),
    "a random state too few": random_states(lambda states: states.pop()),
    "a random state too many": random_states(lambda states: states.append(states[0])),
    "a random state of another kind": random_states(
        lambda states: states[1].update(bit_generator="MT19937")
    ),
    "a random state that is damaged": random_states(lambda states: states[1].pop("state")),
    "a random state that is a number": random_states(lambda states: states.__setitem__(1, 5)),
    "a random state out of range": random_states(
        lambda states: states[1]["state"].update(state=-1)
    ),
    "random states that are no list": lambda tensors, note: note.update(random_states="abc"),
    "no random states": lambda tensors, note: note.pop("random_states"),
    "progress that is a list": lambda tensors, note: note.update(progress=[1]),
    "a place that is a list": lambda tensors, note: note.update(place=[1]),
    "epoch that is a text": place(epoch="3"),
    "no epoch": lambda tensors, note: note["place"].pop("epoch"),
    "epoch 0": place(epoch=0),
    "epoch that is a truth value": place(epoch=True),
    "a batch below 0": place(batch=-1),
    "a batch of a half": place(batch=1.5),
    "no batches": lambda tensors, note: note["place"].pop("batches"),
    "other batches": place(batches="0"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_mismatched_checkpoint_changes_no_state(
    make_trainer, checkpoint_of_two_workers, tmp_path, case
):
    path, trainer = tmp_path / "checkpoint.safetensors", make_trainer(workers=2, seed=3)
    tensors, note = load_tensors(checkpoint_of_two_workers)
    UNFIT[case](tensors, note)
    save_tensors(path, tensors, note)
    before = state(trainer)
    with pytest.raises(InputError) as caught:
        Checkpoint.read(path).restore(trainer)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)
    assert state(trainer) == before


@pytest.mark.parametrize("change", [without(LAST), reshaped(LAST)])
def test_mismatched_weights_change_no_state(make_trainer, change):
    trainer, weights = make_trainer(), make_trainer(seed=3).objective.model.state_dict()
    change(weights, {})
    before = state(trainer)
    with pytest.raises(InputError):
        trainer.objective.model.load_state_dict(weights)
    assert state(trainer) == before


def test_truncated_or_changed_checkpoint_is_rejected(make_trainer, tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    trainer = make_trainer()
    save_checkpoint(path, trainer)
    data = path.read_bytes()
    middle = len(data) // 2
    for damaged in (
        data[:-1],
        data[:middle],
        data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :],
    ):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged"):
            resumed(trainer, path)
