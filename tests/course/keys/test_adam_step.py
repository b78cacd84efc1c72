"""The keys of the exercises `adam` and `adam_by_hand`, against npformer's Adam."""

import numpy as np
import pytest

from npformer import Parameter
from npformer.training import Adam
from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import UNCHANGED, check
from npformer_course.definition import module_of
from tests.run_here import run_here

EXERCISE = course.load("adam")
KEY = module_of(EXERCISE.key)
BY_HAND = module_of(course.load("adam_by_hand").key)
DRAWN = [drawn.inputs for seed in range(3) for drawn in Case(EXERCISE, seed).draws]


def house(inputs, *, fresh=False):
    parameters = [Parameter(array.copy()) for array in inputs["parameters"]]
    adam = Adam(
        parameters,
        learning_rate=inputs["lr"],
        eps=inputs["eps"],
        beta1=inputs["beta1"],
        beta2=inputs["beta2"],
    )
    if not fresh:
        state = inputs["state"]
        moments = {k: np.concatenate([x.ravel() for x in state[k]]) for k in ("m", "v")}
        adam.load_state_dict(moments | {"steps": state["t"]})
    return parameters, adam


def states(inputs, *, fresh=False):
    parameters = inputs["parameters"]
    if fresh:
        return parameters, KEY.adam_start(parameters)
    return parameters, inputs["state"]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("inputs", DRAWN)
def test_key_equals_npformer_adam(inputs, fresh):
    theirs, adam = house(inputs, fresh=fresh)
    mine, state = states(inputs, fresh=fresh)
    for gradients in inputs["each_gradients"]:
        for parameter, gradient in zip(theirs, gradients, strict=True):
            parameter.grad = gradient
        adam.step()
        mine, state = KEY.adam_step(
            mine, gradients, state, *(inputs[n] for n in ("lr", "beta1", "beta2", "eps"))
        )
        for parameter, array in zip(theirs, mine, strict=True):
            np.testing.assert_allclose(array, parameter.data, rtol=0, atol=1e-12)
    assert state["t"] == adam.steps
    for name in ("m", "v"):
        flat = np.concatenate([x.ravel() for x in state[name]])
        np.testing.assert_allclose(flat, adam.state_dict()[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "into_the_old",
    [
        '    state["m"][:] = kept_m\n    state["v"][:] = kept_v\n',
        '    state["m"][:] = kept_m\n',
        '    state["v"][1] = kept_v[1]\n',
        '    state["v"][-1][0] += 1\n',
        '    state["t"] = t\n',
        '    state |= {"m": kept_m}\n',
    ],
)
def test_state_that_came_in_is_unchanged(into_the_old):
    right = '    return moved, {"m": kept_m, "v": kept_v, "t": t}'
    assert EXERCISE.key.count(right) == 1
    report = check(Case(EXERCISE, 0), EXERCISE.key.replace(right, into_the_old + right), run_here)
    [wrong] = [part for part in report.parts if part.outcome != "right"]
    assert wrong.name == UNCHANGED
    assert wrong.finding.text.startswith("after the call state")
    assert wrong.finding.text.endswith("no longer what came in")


def test_key_of_one_number_equals_npformer_adam():
    rng = np.random.default_rng(0)
    gradients = rng.normal(size=6) * 10 ** rng.uniform(-3, 3, 6)
    parameter = Parameter(np.array([0.7]))
    adam = Adam([parameter], learning_rate=0.2, eps=1e-9, beta1=0.9, beta2=0.98)
    theta = 0.7
    m = 0.0
    v = 0.0
    for t, g in enumerate(gradients.tolist(), 1):
        parameter.grad = np.array([g])
        adam.step()
        theta, m, v = BY_HAND.move_one_number(theta, g, m, v, t, lr=0.2)
        np.testing.assert_allclose(theta, parameter.data[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("g", [700.0, -0.0001])
def test_first_step_has_the_size_of_the_learning_rate(g):
    theta, _, _ = BY_HAND.move_one_number(0.0, g, 0.0, 0.0, 1, lr=0.1)
    np.testing.assert_allclose(theta, -0.1 * np.sign(g), rtol=1e-4)


def test_given_update_of_one_number_is_that_of_adam_by_hand():
    numbers = (0.3, -2.0, 0.1, 0.5, 3, 0.1, 0.9, 0.98, 1e-9)
    np.testing.assert_allclose(KEY.move_one_number(*numbers), BY_HAND.move_one_number(*numbers))
