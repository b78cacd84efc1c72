"""Adam keeps all parameters in one array, and says so when another optimizer took them over."""

import copy

import numpy as np
import pytest

from npformer import InputError
from npformer.layers import FeedForward
from npformer.module import Parameter
from npformer.training import Adam


def small(dtype="float32"):
    return FeedForward(2, 3, rng=0, dtype=dtype)


def with_gradients(layer):
    for p in layer.parameters():
        p.grad[...] = 5.0
    return layer


def test_every_parameter_is_a_view_of_its_slice():
    layer = with_gradients(small())
    before = layer.state_dict()
    adam = Adam(layer.parameters(), 0.1)
    assert adam.data.shape == adam.grad.shape == (sum(array.size for array in before.values()),)
    for (name, p), part in zip(layer.named_parameters(), adam.slices(), strict=True):
        np.testing.assert_array_equal(p.data, before[name])
        np.testing.assert_array_equal(adam.data[part], before[name].ravel())
        assert np.shares_memory(p.data, adam.data)
        assert np.shares_memory(p.grad, adam.grad)
        assert (p.grad == 5).all()


def test_zero_grad_sets_all_gradients_to_zero():
    layer = with_gradients(small())
    Adam(layer.parameters(), 0.1).zero_grad()
    assert not any(p.grad.any() for p in layer.parameters())


def test_store_in_copies_values_to_new_arrays():
    layer = with_gradients(small())
    adam = Adam(layer.parameters(), 0.1)
    adam.step()
    before = layer.state_dict()
    moments = adam.m.copy(), adam.v.copy()
    arrays = [np.empty_like(adam.data) for _ in range(4)]
    adam.store_in(*arrays)
    assert [adam.data is arrays[0], adam.grad is arrays[1]] == [True, True]
    assert [adam.m is arrays[2], adam.v is arrays[3]] == [True, True]
    np.testing.assert_array_equal((adam.m, adam.v), moments)
    for name, p in layer.named_parameters():
        np.testing.assert_array_equal(p.data, before[name])
        assert np.shares_memory(p.data, arrays[0])


def test_copied_model_and_optimizer_are_independent():
    layer = small()
    adam = Adam(layer.parameters(), learning_rate=0.1)
    twin, twin_adam = copy.deepcopy((layer, adam))
    before = layer.state_dict()
    for p in twin.parameters():
        p.grad += 1
    twin_adam.step()
    for name, p in twin.named_parameters():
        assert (p.data != before[name]).all()
    assert all((layer.state_dict()[name] == array).all() for name, array in before.items())


def test_step_of_optimizer_that_lost_its_parameters_is_rejected():
    layer = with_gradients(small())
    first = Adam(layer.parameters(), 0.1)
    second = Adam(layer.parameters(), 0.1)
    before = layer.state_dict()
    with pytest.raises(InputError, match="moved out of this optimizer"):
        first.step()
    assert first.steps == 0
    second.step()
    assert all((p.data != before[name]).all() for name, p in layer.named_parameters())


def test_optimizer_that_lost_one_parameter_is_rejected():
    layer = small()
    first = Adam(layer.parameters(), 0.1)
    Adam(layer.parameters()[:1], 0.1)
    with pytest.raises(InputError, match="moved out of this optimizer"):
        first.step()


def test_refused_optimizer_takes_no_parameters_over():
    layer = small()
    first = Adam(layer.parameters(), 0.1)
    with pytest.raises(InputError, match="learning rate"):
        Adam(layer.parameters(), -1.0)
    first.step()


PARAMETER = Parameter(np.ones(2))
TWO_DTYPES = [Parameter(np.ones(2, "float32")), PARAMETER]
INVALID = {
    "no parameters": [],
    "parameters of several dtypes": TWO_DTYPES,
    "a ndarray": [np.ones(2)],
    "a float64": np.ones(2),
    "a FeedForward": small(),
    "a Parameter": PARAMETER,
}


@pytest.mark.parametrize("got", INVALID)
def test_invalid_parameters_are_rejected(got):
    expected = r"expected one Parameter or more, all of one dtype: give model.parameters\(\)"
    with pytest.raises(InputError, match=f"Adam got {got}: {expected}"):
        Adam(INVALID[got], 0.1)


def test_parameter_given_twice_is_rejected():
    with pytest.raises(InputError, match="a Parameter twice"):
        Adam([PARAMETER, PARAMETER], 0.1)


@pytest.mark.parametrize(("max_norm", "expected"), [(np.inf, 5.0), (10.0, 5.0), (2.5, 2.5)])
def test_gradient_is_clipped_to_max_norm(max_norm, expected):
    adam = Adam([Parameter(np.zeros(1)), Parameter(np.zeros(1))], 0.1)
    adam.grad[...] = 3.0, -4.0
    assert adam.clip_gradient(max_norm) == 5.0
    np.testing.assert_allclose(adam.grad, [0.6 * expected, -0.8 * expected])


@pytest.mark.parametrize("max_norm", [0, -1.0, np.nan])
def test_clipping_to_a_norm_that_is_not_positive_is_rejected(max_norm):
    adam = Adam([Parameter(np.zeros(1))], 0.1)
    with pytest.raises(InputError, match=f"max_norm = {max_norm}: expected a number above 0"):
        adam.clip_gradient(max_norm)


def test_state_dict_is_all_that_another_adam_needs_to_continue():
    layer, other = with_gradients(small()), with_gradients(small())
    adam, twin = Adam(layer.parameters(), 0.1), Adam(other.parameters(), 0.1)
    adam.step()
    twin.load_state_dict(adam.state_dict())
    other.load_state_dict(layer.state_dict())
    assert twin.steps == 1
    adam.step()
    twin.step()
    np.testing.assert_array_equal(adam.data, twin.data)
    np.testing.assert_array_equal(adam.m, twin.m)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"m": np.zeros(3)}, "saved moment m does not fit"),
        ({"v": None}, "saved moment v does not fit"),
        ({"v": np.zeros(17, int)}, "saved moment v does not fit"),
        ({"steps": None}, "number of steps is None: expected an integer >= 0"),
        ({"steps": -1}, "number of steps is -1: expected an integer >= 0"),
        ({"steps": 1.5}, "number of steps is 1.5: expected an integer >= 0"),
        ({"steps": np.zeros(2, int)}, "number of steps is .*: expected an integer >= 0"),
    ],
    ids=str,
)
def test_state_that_does_not_fit_changes_nothing(change, expected):
    adam = Adam(with_gradients(small()).parameters(), 0.1)
    adam.step()
    before = {name: array.tobytes() for name, array in adam.state_dict().items()}
    state = {name: np.zeros_like(array) for name, array in adam.state_dict().items()}
    with pytest.raises(InputError, match=expected):
        adam.load_state_dict(state | change)
    assert {name: array.tobytes() for name, array in adam.state_dict().items()} == before
