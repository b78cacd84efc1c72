"""Drop out and remember are two switches; what is switched for a while is put back, module by module."""

import threading

import numpy as np
import pytest

from npformer.decoding import beam_search, greedy_decode
from npformer.tasks import mean_loss
from npformer.tasks import Batches, Objective, TranslationBatch
from npformer.visualization import attention_weights

SRC, TGT = np.array([[4, 5, 6, 3], [7, 3, 0, 0]]), np.array([[2, 8, 9], [2, 8, 0]])
BATCH = TranslationBatch.of([[4, 5, 6], [7]], [[8, 9], [8]])
ON, OFF = (True, True), (False, False)


def modes(model):
    return {name: tuple(module.now) for name, module in model.named_modules()}


def gradients(model):
    return [p.grad.copy() for p in model.parameters()]


def assert_same(found, expected):
    for array, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, wanted)


def test_train_and_eval_set_both(make_model):
    model = make_model(dropout=0.5)
    assert set(modes(model).values()) == {ON}
    assert model.eval() is model and set(modes(model).values()) == {OFF}
    assert model.train() is model and set(modes(model).values()) == {ON}


USES = {
    "evaluating": lambda model: model.forward(SRC, TGT),
    "greedy decoding": lambda model: greedy_decode(model, SRC),
    "beam search": lambda model: beam_search(model, SRC),
    "attention weights": lambda model: attention_weights(model, SRC, TGT),
    "mean loss": lambda model: mean_loss(model, Batches([([4, 5], [6])], batch_tokens=8)),
}


@pytest.mark.parametrize("use", USES)
def test_a_frozen_encoder_stays_in_eval_mode(make_model, use):
    model = make_model(dropout=0.5)
    model.encoder.eval()
    before = modes(model)
    with model.evaluating():
        assert set(modes(model).values()) == {OFF}
        USES[use](model)
    USES[use](model)
    assert modes(model) == before and before["encoder.tokens"] == OFF and before["decoder"] == ON


@pytest.mark.parametrize("use", USES)
def test_what_happens_between_forward_and_backward_does_not_break_backward(make_model, use):
    quiet, busy = (make_model(dropout=0.5) for _ in range(2))
    for model in (quiet, busy):
        logits = model.forward(SRC, TGT)
        if model is busy:
            if use == "evaluating":
                with model.evaluating():
                    USES[use](model)
            else:
                USES[use](model)
        model.backward(np.ones_like(logits))
    assert_same(gradients(busy), gradients(quiet))


def test_a_gradient_without_dropout(make_model):
    model, free = make_model(dropout=0.5, attention_dropout=0.5), make_model(dropout=0.0, attention_dropout=0.0)
    state = model.generators()[0].bit_generator.state
    with model.switched(drop_out=False, remember=True):
        model.backward(model.forward(SRC, TGT))
    free.backward(free.forward(SRC, TGT))
    assert_same(gradients(model), gradients(free))
    assert model.generators()[0].bit_generator.state == state and set(modes(model).values()) == {ON}


def test_dropout_without_remembering(make_model):
    model = make_model(dropout=0.5)
    expected = model.eval().forward(SRC, TGT)
    with model.switched(drop_out=True, remember=False):
        assert np.abs(model.forward(SRC, TGT) - expected).max() > 1e-3
    assert not any(module._memory for _, module in model.named_modules())
    assert set(modes(model).values()) == {OFF}


def test_blocks_may_be_nested_and_end_by_an_error_too(make_model):
    model = make_model(dropout=0.5)
    model.encoder.eval()
    before = modes(model)
    with model.evaluating():
        with pytest.raises(KeyError), model.switched(drop_out=True, remember=False):
            assert set(modes(model).values()) == {(True, False)}
            with model.decoder.switched(drop_out=False, remember=True):
                inside = modes(model)
                assert inside["decoder.tokens.dropout"] == (False, True) and inside["encoder"] == (True, False)
            assert set(modes(model).values()) == {(True, False)}
            raise KeyError
        assert set(modes(model).values()) == {OFF}
        with model.evaluating():
            assert set(modes(model).values()) == {OFF}
        assert set(modes(model).values()) == {OFF}
    assert modes(model) == before


def test_a_part_that_was_switched_otherwise_in_between_is_switched_with_the_whole(make_model):
    model = make_model(dropout=0.5)
    with model.evaluating(), model.encoder.switched(drop_out=True, remember=True):
        with model.evaluating():
            assert set(modes(model).values()) == {OFF}
        assert modes(model)["encoder"] == (True, True)


def test_two_objectives_of_one_model_may_be_switched_apart(make_model):
    model = make_model(dropout=0.5)
    first, second = Objective(model), Objective(model)
    with first.evaluating():
        assert first.loss.now == OFF and second.loss.now == ON and model.now == OFF


def in_another_thread(function):
    """Run a function in another thread, until it returns; return what it returns."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


def test_a_block_holds_in_its_own_thread_alone(make_model):
    model = make_model(dropout=0.5)
    with model.evaluating():
        assert set(in_another_thread(lambda: modes(model)).values()) == {ON}
        assert set(modes(model).values()) == {OFF}
    assert set(in_another_thread(lambda: modes(model)).values()) == {ON}


def test_one_thread_translates_while_another_trains(make_model):
    """Both come out as if they had been alone: the weights do not change, for nobody takes a step."""
    model, alone = make_model(dropout=0.5, seed=1), make_model(dropout=0.5, seed=1)
    expected = greedy_decode(alone, SRC, extra=6)
    objective, wanted = Objective(model), Objective(alone)
    started, stop, found = threading.Event(), threading.Event(), []

    def translate():
        while not stop.is_set() or len(found) < 3:
            with model.evaluating():
                found.append(greedy_decode(model, SRC, extra=6))
            started.set()

    thread = threading.Thread(target=translate)
    thread.start()
    started.wait()
    losses = []
    for one in (objective, wanted):
        losses.append([])
        for _ in range(20):
            losses[-1].append(one.forward(BATCH))
            one.backward()
    stop.set()
    thread.join()
    assert losses[0] == losses[1]
    assert_same(gradients(model), gradients(alone))
    assert all(ids == expected for ids in found)
    assert set(modes(model).values()) == {ON}


def test_two_threads_that_evaluate_one_after_the_other_leave_the_modes_as_they_were(make_model):
    """The first to enter is the first to leave: with a mode saved and put back, one thread would undo the other."""
    model = make_model(dropout=0.5)
    model.encoder.eval()
    before, inside, leave = modes(model), threading.Barrier(2), threading.Event()

    def first():
        with model.evaluating():
            inside.wait()
        leave.set()
        return modes(model)

    def second():
        with model.evaluating():
            inside.wait()
            leave.wait()
            assert set(modes(model).values()) == {OFF}
        return modes(model)

    found = []
    threads = [threading.Thread(target=lambda run=run: found.append(run())) for run in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [before, before] and modes(model) == before


def test_an_evaluation_in_between_does_not_change_why_a_second_backward_is_refused(make_model):
    objective = Objective(make_model())
    objective.forward(BATCH)
    with objective.evaluating():
        objective.forward(BATCH)
    objective.backward()
    with pytest.raises(RuntimeError, match="backward came twice after one forward"):
        objective.backward()
