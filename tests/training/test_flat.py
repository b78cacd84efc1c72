"""All parameters in one buffer: who may lie in it, and what becomes of it in a copy."""

import copy
import pickle

import numpy as np
import pytest

from npformer import InputError, Parameter
from npformer.layers import FeedForward, Linear
from npformer.training import Adam, FlatParameters


def small():
    return FeedForward(3, 4, rng=0)


def test_every_parameter_is_a_view_of_its_stretch():
    layer = small()
    before = layer.state_dict()
    layer.linear_1.bias.grad += 7
    flat = FlatParameters(layer.parameters())
    assert flat.data.size == flat.grad.size == sum(array.size for array in before.values())
    for (name, p), stretch in zip(layer.named_parameters(), flat.slices, strict=True):
        assert np.shares_memory(p.data, flat.data) and np.shares_memory(p.grad, flat.grad)
        np.testing.assert_array_equal(p.data, before[name])
        np.testing.assert_array_equal(flat.data[stretch], before[name].ravel())
    assert flat.grad.sum() == 7 * 4


def test_the_same_parameters_once_more_share_the_buffer():
    layer = small()
    first, second = (Adam(FlatParameters(layer.parameters()), learning_rate=0.1) for _ in range(2))
    assert first.flat.data is second.flat.data and first.flat.grad is second.flat.grad
    before = layer.state_dict()
    layer.linear_1.weight.grad += 1
    second.step()
    assert (layer.linear_1.weight.data != before["linear_1.weight"]).all()


READS = {
    "grad": lambda flat: flat.grad.any(),
    "gradient_norm": lambda flat: flat.gradient_norm(),
    "clip_gradient": lambda flat: flat.clip_gradient(1.0),
    "a sum": lambda flat: exec("flat.grad += 0", {"flat": flat}) or flat.parameters[0].grad.any(),
}


@pytest.mark.parametrize("read", READS)
def test_gradients_that_were_cleared_are_zero_in_the_buffer_too(read):
    layer = small()
    flat = FlatParameters(layer.parameters())
    flat.grad += 7
    for p in layer.parameters():
        p.clear()
    assert not READS[read](flat)


def test_adam_does_not_move_by_gradients_that_were_cleared():
    layer = small()
    adam, before = Adam(FlatParameters(layer.parameters()), learning_rate=0.1), layer.state_dict()
    adam.flat.grad += 7
    for p in layer.parameters():
        p.clear()
    adam.step()
    assert all((before[name] == array).all() for name, array in layer.state_dict().items())


@pytest.mark.parametrize("chosen", [slice(1, None), slice(None, None, -1), slice(0, 2)])
def test_some_of_them_and_another_order_are_refused(chosen):
    layer = small()
    flat = FlatParameters(layer.parameters())
    with pytest.raises(InputError, match="some of these parameters lie in other FlatParameters"):
        FlatParameters(layer.parameters()[chosen])
    with pytest.raises(InputError, match="lie in other FlatParameters"):
        FlatParameters([*layer.parameters(), Parameter(np.ones(2, "float32"))])
    layer.linear_1.weight.data += 1
    assert flat.data[0] == layer.linear_1.weight.data[0, 0]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ([], "expected one type, of one parameter at least"),
        ([np.ones(3)], r"a ndarray is no Parameter: give model.parameters\(\)"),
        (Linear(2, 3), r"a Linear is no list of Parameters: give model.parameters\(\)"),
        ([Parameter(np.ones(2)), Parameter(np.ones(2, "float32"))], r"types \['float32', 'float64'\]: expected one"),
    ],
)
def test_what_cannot_lie_flat_is_refused_in_one_line(parameters, expected):
    with pytest.raises(InputError, match=expected) as caught:
        FlatParameters(parameters)
    assert "\n" not in str(caught.value)


def test_room_cannot_be_had_when_the_parameters_lie_in_a_buffer_without_it():
    parameters = [Parameter(np.ones(3))]
    flat = FlatParameters(parameters, room=2)
    assert len(FlatParameters(parameters).grad_and_room) == len(FlatParameters(parameters, room=2).grad_and_room) == 5
    with pytest.raises(InputError, match="lie in other FlatParameters, without room = 3: make a new model"):
        FlatParameters(parameters, room=3)
    assert flat.grad.size == 3


@pytest.mark.parametrize("given", [[np.ones(3)], [Parameter(np.ones(3))], small(), np.ones(3)])
def test_adam_takes_flat_parameters_and_says_how_to_make_them(given):
    with pytest.raises(InputError, match=r"expected FlatParameters\(model.parameters\(\)\)") as caught:
        Adam(given, learning_rate=0.1)
    assert "\n" not in str(caught.value)


def steps(layer, adam, n=5):
    """Take n steps by gradients drawn from one seed; return the weights' bytes after each."""
    rng, seen = np.random.default_rng(3), []
    for _ in range(n):
        for p in layer.parameters():
            p.grad[...] = rng.normal(size=p.grad.shape)
        adam.step()
        seen.append(b"".join(array.tobytes() for array in layer.state_dict().values()))
    return seen


COPIES = {"pickle": lambda pair: pickle.loads(pickle.dumps(pair)), "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("order", [1, -1], ids=["model first", "optimiser first"])
def test_a_copy_of_model_and_optimiser_trains_itself_like_the_original(how, order):
    layer = small()
    adam = (
        Adam(FlatParameters(layer.parameters()), learning_rate=lambda step: 0.1 / step)
        if how == "deepcopy"
        else (Adam(FlatParameters(layer.parameters()), learning_rate=0.1))
    )
    steps(layer, adam, n=2)
    twin, twin_adam = COPIES[how]((layer, adam)[::order])[::order]
    before = layer.state_dict()
    for p, wanted in zip(twin.parameters(), layer.parameters(), strict=True):
        np.testing.assert_array_equal(p.grad, wanted.grad)
    of_twin = steps(twin, twin_adam)
    for name, array in layer.state_dict().items():
        np.testing.assert_array_equal(array, before[name])
    assert len(set(of_twin)) == 5 and of_twin == steps(layer, adam)
    assert not np.shares_memory(twin_adam.flat.data, adam.flat.data)
    assert twin_adam.flat.parameters == twin.parameters()
