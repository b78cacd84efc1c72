"""A student's functions inside npformer's layers: the keys change nothing but rounding."""

import numpy as np
import pytest

from npformer.decoding import greedy_decode
from npformer.layers import Linear
from npformer.tasks import translator
from npformer_course import course
from npformer_course.definition import module_of
from npformer_course.student.student_layers import ADAPTERS, own_layers
from tests.run_here import key_text

SOURCES = np.array([[4, 5, 6, 2], [7, 4, 2, 0]])  # (B, S)
KEYS = {id: course.load(id).key for id in ADAPTERS}


def losses(make_trainer, n=12):
    trainer = make_trainer(dropout=0, dtype="float64")
    steps = trainer.updates(n)
    return [record.loss for record in steps], trainer.objective.model


@pytest.mark.long
@pytest.mark.parametrize(
    "ids",
    [[id] for id in ADAPTERS] + [[*ADAPTERS]],
    ids=lambda ids: ids[0] if len(ids) == 1 else "all",
)
def test_training_with_keys_equals_npformer_training(make_trainer, ids):
    expected, model = losses(make_trainer)
    with own_layers({id: module_of(KEYS[id]) for id in ids}) as used:
        assert {*used} == {*ids}
        found, own = losses(make_trainer)
        words = translator.greedy_decode(own, SOURCES)
    assert np.allclose(found, expected, rtol=1e-7)
    exact = (
        "positions",
        "warmup",
        "embedding",
        "embedding_backward",
        "tied_generator",
        "linear",
        "heads",
        "greedy",
    )
    assert found != expected or ids[0] in exact
    assert words == greedy_decode(model, SOURCES)


@pytest.mark.parametrize("id", ADAPTERS)
def test_student_functions_are_called(make_trainer, id):
    module = module_of(KEYS[id])
    called = []
    written = [
        name
        for name in vars(module)
        if name in course.load(id).key and callable(getattr(module, name))
    ]

    def counted(name, function):
        def counting(*arguments, **named):
            called.append(name)
            return function(*arguments, **named)

        return counting

    for name in written:
        if not isinstance(getattr(module, name), type):
            setattr(module, name, counted(name, getattr(module, name)))
    with own_layers({id: module}):
        _, model = losses(make_trainer, 1)
        translator.greedy_decode(model, SOURCES)
    assert called


def test_layers_are_restored_even_after_an_error():
    before = vars(Linear)["forward"], vars(Linear)["backward"]
    with pytest.raises(ZeroDivisionError), own_layers({"linear": module_of(KEYS["linear"])}):
        assert vars(Linear)["forward"] is not before[0]
        raise ZeroDivisionError
    assert (vars(Linear)["forward"], vars(Linear)["backward"]) == before


def test_student_functions_get_batched_input(make_trainer):
    """As the exercises promise, (B, T, D): their gradients may sum over two axes."""
    module, axes = module_of(KEYS["layer_norm"]), set()
    written = module.layer_norm

    def watched(x, *others):
        axes.add(x.ndim)
        return written(x, *others)

    module.layer_norm = watched
    with own_layers({"layer_norm": module}):
        losses(make_trainer, 2)
    assert axes == {3}


def test_layers_without_student_functions_are_unchanged():
    with own_layers({}) as used:
        assert used == []


@pytest.mark.long
def test_course_train_uses_passed_exercises(command, tmp_path, monkeypatch):
    from npformer_course.student import folder

    files = folder.start(tmp_path, ["linear", "softmax", "layer_norm", "greedy"])
    files[0].write_text(key_text(course.load("linear")), encoding="utf-8")
    greedy = (
        key_text(course.load("greedy"))
        + "\nown = greedy\ngreedy = lambda *x: print('my greedy') or own(*x)\n"
    )
    files[3].write_text(greedy, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    status, out, err = command("course", "train", "--epochs", "1")
    assert (status, err) == (0, "")
    assert "Yours: linear, greedy." in out and "npformer's in place of: masked_softmax," in out
    assert "update     1" in out and "sentences that it has never seen" in out
    assert "my greedy" in out.partition("Yours")[2]
