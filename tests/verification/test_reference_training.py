"""The values of the loss, of Adam and of the schedule, against slow formulas and the paper's
numbers.
"""

import numpy as np
import pytest

from npformer import slow_formulas as slow
from npformer.module import Parameter
from npformer.tasks import LabelSmoothingLoss
from npformer.training import Adam, WarmupSchedule
from tests.verification.test_reference import B, T, V, close


@pytest.mark.parametrize("eps", [0, 0.1, 0.5])
def test_label_smoothing_loss(eps):
    rng = np.random.default_rng(9)
    logits, targets = rng.normal(size=(B, T, V)), rng.integers(0, V, (B, T))
    loss = LabelSmoothingLoss(eps=eps, pad_id=0).forward(logits, targets)
    close(loss, slow.label_smoothing_loss(logits.reshape(-1, V), targets.reshape(-1), eps, 0))


def test_loss_of_uniform_prediction_is_log_v():
    targets = np.array([[3, 4, 0], [5, 0, 0]])
    close(LabelSmoothingLoss(eps=0.1, pad_id=0).forward(np.zeros((2, 3, V)), targets), np.log(V))


def test_loss_of_many_rows_is_mean_of_its_rows():
    rng = np.random.default_rng(12)
    logits, targets = rng.normal(size=(40, 9000)), rng.integers(0, 3, 40)
    loss = LabelSmoothingLoss(pad_id=0)
    whole, dlogits = loss.forward(logits, targets), loss.backward()
    total = 0.0
    for row, target, drow in zip(logits, targets, dlogits, strict=True):
        share = (target != 0) / (targets != 0).sum()
        total += share * loss.forward(row[None], target[None])
        close(drow, share * loss.backward()[0])
    close(whole, total)


def test_loss_of_only_padding_is_zero():
    loss = LabelSmoothingLoss(pad_id=0)
    assert loss.forward(np.ones((2, V)), np.zeros(2, int)) == 0
    assert (loss.backward() == 0).all()
    assert slow.label_smoothing_loss(np.ones((2, V)), [0, 0], 0.1, pad_id=0) == 0


def test_gradient_of_a_loss_may_be_an_integer():
    logits, targets = np.random.default_rng(14).normal(size=(2, V)), np.array([1, 3])
    loss = LabelSmoothingLoss()
    loss.forward(logits, targets)
    doubled = loss.backward(2)
    loss.forward(logits, targets)
    close(doubled, 2 * loss.backward())


def test_loss_of_large_logits_is_finite():
    logits = np.array([[1e4, 0.0, -1e4]])
    close(LabelSmoothingLoss(eps=0, pad_id=2).forward(logits, np.array([1])), 1e4)


def test_steps_with_weight_decay_equal_formulas():
    rng = np.random.default_rng(13)
    parameter = Parameter(rng.normal(size=7))
    start = parameter.data.copy()
    gradients = rng.normal(size=(3, 7))
    optimizer = Adam([parameter], learning_rate=lambda step: 0.1 / step, weight_decay=0.5)
    for gradient in gradients:
        parameter.grad[...] = gradient
        optimizer.step()
    rates = [0.1, 0.05, 0.1 / 3]
    close(parameter.data, slow.adam(start, gradients, rates, weight_decay=0.5))


@pytest.mark.parametrize(
    "sizes", [[(1,)], [(2, 3), (4,), (1, 5)], [(2,), (140000,), (3,)]], ids=str
)
def test_three_adam_steps_equal_formulas(sizes):
    rng = np.random.default_rng(10)
    parameters = [Parameter(rng.normal(size=shape)) for shape in sizes]
    start = np.concatenate([p.data.ravel() for p in parameters])
    asked = []

    def learning_rate(step):
        asked.append(step)
        return 0.1 / step

    optimizer, gradients = Adam(parameters, learning_rate=learning_rate), []
    asked.clear()  # Adam asks for the first rate when it is made, to refuse what is no rate
    for _ in range(3):
        for p in parameters:
            p.grad[...] = rng.normal(size=p.grad.shape) * 10.0 ** rng.integers(-9, 2)
        gradients.append(np.concatenate([p.grad.ravel() for p in parameters]))
        optimizer.step()
    assert asked == [1, 2, 3] and optimizer.steps == 3
    close(
        np.concatenate([p.data.ravel() for p in parameters]),
        slow.adam(start, gradients, [0.1, 0.05, 0.1 / 3]),
    )


def test_warmup_schedule_of_base_model():
    schedule = WarmupSchedule(512, 4000)
    expected = {
        1: 1.746928e-7,
        2: 3.493856e-7,
        4000: 6.987712e-4,
        16000: 3.493856e-4,
        100000: 1.397542e-4,
    }
    np.testing.assert_allclose(
        [schedule(step) for step in expected], list(expected.values()), rtol=1e-6
    )
    rates = [schedule(step) for step in range(1, 8001)]
    assert np.argmax(rates) + 1 == 4000
