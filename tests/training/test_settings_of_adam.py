"""Learning rates and schedules that are no numbers are refused, wherever they come from."""

import math

import numpy as np
import pytest

from npformer import InputError, Parameter
from npformer.training import Adam, CosineSchedule, WarmupSchedule


def adam(learning_rate):
    p = Parameter(np.ones(3))
    p.grad += 1
    return Adam([p], learning_rate=learning_rate)


@pytest.mark.parametrize("rate", [math.nan, math.inf, -0.1, "0.1", None, 1j, [0.1]])
@pytest.mark.parametrize(
    "wrap", [lambda rate: rate, lambda rate: lambda step: rate], ids=["number", "function"]
)
def test_invalid_learning_rate_is_rejected(rate, wrap):
    with pytest.raises(
        InputError, match=r"learning rate of step 1 is .*: expected a number >= 0"
    ) as caught:
        adam(wrap(rate))
    assert "\n" not in str(caught.value)


def state(optimizer):
    arrays = optimizer.data, optimizer.m, optimizer.v
    return [array.tobytes() for array in arrays], optimizer.steps


def test_later_invalid_learning_rate_changes_no_weights():
    optimizer = adam(lambda step: 0.1 if step < 3 else math.nan)
    optimizer.step()
    optimizer.step()
    before = state(optimizer)
    with pytest.raises(InputError, match="learning rate of step 3 is nan"):
        optimizer.step()
    assert state(optimizer) == before


def test_saved_state_is_unchanged_by_later_steps():
    optimizer = adam(0.1)
    optimizer.step()
    saved = optimizer.state_dict()
    before = {name: array.tobytes() for name, array in saved.items()}
    optimizer.step()
    assert {name: array.tobytes() for name, array in saved.items()} == before
    assert optimizer.m.tobytes() != before["m"]


@pytest.mark.parametrize("rate", [0, 1, np.float32(0.5), np.int64(1)])
def test_any_non_negative_learning_rate_is_accepted(rate):
    optimizer = adam(rate)
    optimizer.step()
    np.testing.assert_allclose(optimizer.data, 1 - float(rate), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "schedule",
    [WarmupSchedule(64, 10), CosineSchedule(0.1, warmup_steps=10, decay_steps=20)],
    ids=["warm-up", "cosine"],
)
@pytest.mark.parametrize("step", [0, -1, np.array([3, 0, 5])], ids=str)
def test_step_below_1_has_no_learning_rate(schedule, step):
    with pytest.raises(InputError, match=r"learning rate of step (0|-1): steps are counted from 1"):
        schedule(step)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf])
@pytest.mark.parametrize("name", ["d_model", "warmup_steps", "factor"])
def test_warmup_schedule_requires_positive_numbers(name, value):
    with pytest.raises(InputError, match=f"{name} = .*: expected a number above 0"):
        WarmupSchedule(**{"d_model": 64, "warmup_steps": 10, "factor": 1.0, name: value})


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("beta1", [1.0, -0.1], "0 <= beta1 < 1"),
        ("beta2", [1.0, math.nan], "0 <= beta2 < 1"),
        ("eps", [0, math.inf, math.nan], "a number above 0"),
        ("weight_decay", [-0.1, math.inf, math.nan], "a number >= 0"),
    ],
)
def test_out_of_range_settings_are_rejected(name, values, expected):
    for value in values:
        with pytest.raises(InputError, match=f"^{name} = {value}: expected {expected}$"):
            Adam([Parameter(np.ones(3))], learning_rate=0.1, **{name: value})


def test_betas_of_0_remember_nothing():
    p = Parameter(np.array([1.0, 1.0]))
    optimizer = Adam([p], 0.1, beta1=0, beta2=0)
    for gradient in ([5.0, -3.0], [-0.1, -9.0]):
        p.grad[...] = gradient
        optimizer.step()
    # each step is the rate along the sign of its own gradient
    np.testing.assert_allclose(p.data, [1.0, 1.2])


def test_numbers_of_numpy_give_the_same_float32_weights():
    def trained(rate, number):
        p = Parameter(np.linspace(-1, 1, 50, dtype="float32"))
        settings = {"beta1": number(0.9), "beta2": number(0.98), "eps": number(1e-9)}
        optimizer = Adam([p], rate, **settings, weight_decay=number(0.01))
        for step in range(5):
            p.grad = np.sin(np.arange(50) + step)
            optimizer.step()
        return state(optimizer)

    assert trained(lambda t: np.float64(0.1) / np.sqrt(t), np.float64) == trained(
        lambda t: 0.1 / math.sqrt(t), float
    )
