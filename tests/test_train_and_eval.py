"""Train and eval mode, and evaluating() for a while: what is switched is put back, module by
module.
"""

import numpy as np
import pytest

from npformer.decoding import beam_search, greedy_decode
from npformer.tasks import Batches, mean_loss
from npformer.visualization import attention_weights

SRC, TGT = np.array([[4, 5, 6, 3], [7, 3, 0, 0]]), np.array([[2, 8, 9], [2, 8, 0]])


def modes(model):
    return {name: module.training for name, module in model.named_modules()}


def gradients(model):
    return [p.grad.copy() for p in model.parameters()]


def assert_same(found, expected):
    for array, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, wanted)


def test_train_and_eval_set_mode_of_all_modules(make_model):
    model = make_model(dropout=0.5)
    assert set(modes(model).values()) == {True}
    assert model.eval() is model and set(modes(model).values()) == {False}
    assert model.train() is model and set(modes(model).values()) == {True}


USES = {
    "evaluating": lambda model: model.forward(SRC, TGT),
    "greedy decoding": lambda model: greedy_decode(model, SRC),
    "beam search": lambda model: beam_search(model, SRC),
    "attention weights": lambda model: attention_weights(model, SRC, TGT),
    "mean loss": lambda model: mean_loss(model, Batches([([4, 5], [6])], batch_tokens=8)),
}


@pytest.mark.parametrize("use", USES)
def test_frozen_encoder_stays_in_eval_mode(make_model, use):
    model = make_model(dropout=0.5)
    model.encoder.eval()
    before = modes(model)
    with model.evaluating():
        assert set(modes(model).values()) == {False}
        USES[use](model)
    USES[use](model)
    assert (
        modes(model) == before
        and before["encoder.input_embedding"] is False
        and before["decoder"] is True
    )


@pytest.mark.parametrize("use", USES)
def test_other_calls_between_forward_and_backward(make_model, use):
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
