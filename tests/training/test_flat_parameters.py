import copy

import numpy as np
import pytest

from npformer import InputError
from npformer.layers import FeedForward
from npformer.module import Parameter
from npformer.training import Adam, FlatParameters


def small(dtype="float32"):
    return FeedForward(2, 3, rng=0, dtype=dtype)


def test_every_parameter_is_a_view_of_its_slice():
    layer = small()
    for p in layer.parameters():
        p.grad[...] = 5.0
    before = layer.state_dict()
    flat = FlatParameters(layer.parameters())
    assert flat.data.shape == flat.grad.shape == (sum(array.size for array in before.values()),)
    for (name, p), part in zip(layer.named_parameters(), flat.slices, strict=True):
        np.testing.assert_array_equal(p.data, before[name])
        np.testing.assert_array_equal(flat.data[part], before[name].ravel())
        assert np.shares_memory(p.data, flat.data) and np.shares_memory(p.grad, flat.grad)
        assert (p.grad == 5).all()


def test_store_in_copies_values_to_new_buffers():
    layer = small()
    flat = FlatParameters(layer.parameters())
    before, data = layer.state_dict(), np.empty_like(flat.data)
    flat.store_in(data, np.empty_like(flat.grad))
    assert flat.data is data
    for name, p in layer.named_parameters():
        np.testing.assert_array_equal(p.data, before[name])
        assert np.shares_memory(p.data, data)


def test_copied_model_and_optimizer_are_independent():
    layer = small()
    adam = Adam(FlatParameters(layer.parameters()), learning_rate=0.1)
    twin, twin_adam = copy.deepcopy((layer, adam))
    before = layer.state_dict()
    for p in twin.parameters():
        p.grad += 1
    twin_adam.step()
    for name, p in twin.named_parameters():
        assert (p.data != before[name]).all()
    assert all((layer.state_dict()[name] == array).all() for name, array in before.items())


TWO_DTYPES = [Parameter(np.ones(2, "float32")), Parameter(np.ones(2))]


@pytest.mark.parametrize("parameters", [[], TWO_DTYPES, [np.ones(2)], small()], ids=str)
def test_invalid_flat_parameters_are_rejected(parameters):
    with pytest.raises(InputError, match="expected one Parameter or more, all of one dtype"):
        FlatParameters(parameters)


@pytest.mark.parametrize(("max_norm", "expected"), [(np.inf, 5.0), (10.0, 5.0), (2.5, 2.5)])
def test_gradient_is_clipped_to_max_norm(max_norm, expected):
    flat = FlatParameters([Parameter(np.zeros(1)), Parameter(np.zeros(1))])
    flat.grad[...] = 3.0, -4.0
    assert flat.clip_gradient(max_norm) == 5.0
    np.testing.assert_allclose(flat.grad, [0.6 * expected, -0.8 * expected])


@pytest.mark.parametrize(
    "given", [[np.ones(3)], [Parameter(np.ones(3))], small(), np.ones(3)], ids=str
)
def test_adam_requires_flat_parameters(given):
    with pytest.raises(InputError, match=r"expected FlatParameters\(model.parameters\(\)\)"):
        Adam(given, learning_rate=0.1)
