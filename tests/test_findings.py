"""Layers, parameters and generators are found in attributes, and in lists and tuples of them."""

import numpy as np
import pytest

from npformer import InputError, Module, Parameter
from npformer.layers import Dropout, Linear, ReLU


class Holder(Module):
    """Two linear maps and a parameter in one attribute, and a generator."""

    def __init__(self, hold, seed=0):
        self.held = hold(
            [Linear(3, 3, rng=seed), Linear(3, 3, rng=seed + 1), Parameter(np.full(3, float(seed)))]
        )
        self.noise = np.random.default_rng(seed)


@pytest.mark.parametrize("hold", [list, tuple])
def test_nested_layers_are_found_saved_and_loaded(hold):
    layer, other = Holder(hold), Holder(hold, seed=2)
    names = ["held.2", "held.0.weight", "held.0.bias", "held.1.weight", "held.1.bias"]
    assert list(layer.state_dict()) == [name for name, _ in layer.named_parameters()] == names
    assert layer.generators() == [layer.noise]
    layer.eval()
    assert (
        not any(module.training for _, module in layer.named_modules())
        and len(layer.named_modules()) == 3
    )
    other.load_state_dict(layer.state_dict())
    for p, wanted in zip(other.parameters(), layer.parameters(), strict=True):
        np.testing.assert_array_equal(p.data, wanted.data)
        p.grad += 1
    other.zero_grad()
    assert not any(p.grad.any() for p in other.parameters())


@pytest.mark.parametrize("values", [np.ones(2), np.ones((1, 3)), 1.0])
@pytest.mark.parametrize("name", ["data", "grad"])
def test_assigning_another_shape_is_rejected(name, values):
    parameter = Parameter(np.zeros(3))
    with pytest.raises(
        InputError, match=r"Parameter\(shape=\(3,\).* got values of shape .*: expected \(3,\)"
    ):
        setattr(parameter, name, values)
    setattr(parameter, name, np.arange(3))
    assert getattr(parameter, name).tolist() == [0, 1, 2]


def test_mismatched_weights_are_rejected_before_loading():
    layer = Linear(2, 3, rng=0)
    before = layer.state_dict()
    with pytest.raises(
        InputError,
        match=r"1 of 2 weights do not fit this Linear, such as bias: got shape \(2,\), expected",
    ):
        layer.load_state_dict({"weight": np.zeros((2, 3)), "bias": np.zeros(2)})
    assert all((layer.state_dict()[name] == array).all() for name, array in before.items())


def test_layer_with_two_names_is_found_once():
    layer, part = ReLU(), Linear(2, 3)
    layer.one, layer.other = part, [part]
    assert list(dict(layer.named_parameters())) == ["one.weight", "one.bias"]


def test_random_generator_is_found_once():
    layer, rng = ReLU(), np.random.default_rng(0)
    layer.drops, layer.mine = [Dropout(0.1, rng=rng), Dropout(0.1, rng=1)], rng
    assert [id(found) for found in layer.generators()] == [id(rng), id(layer.drops[1].rng)]
