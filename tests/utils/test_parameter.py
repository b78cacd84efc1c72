import copy

import numpy as np
import pytest

from npformer import InputError, Parameter
from npformer.layers import Linear
from npformer.training import Adam, FlatParameters


@pytest.mark.parametrize("name", ["data", "grad"])
@pytest.mark.parametrize("values", [np.array([[1.0, 2.0]]), [[1, 2]], np.array([[1, 2]]), np.ones((1, 2), "float32")])
def test_to_assign_is_to_copy_in(name, values):
    p = Parameter(np.zeros((1, 2)))
    array = getattr(p, name)
    setattr(p, name, values)
    assert getattr(p, name) is array and array.dtype == np.float64
    np.testing.assert_array_equal(array, values)


def test_weights_that_are_assigned_are_trained_on():
    layer = Linear(2, 3, rng=0)
    adam = Adam(FlatParameters(layer.parameters()), learning_rate=0.5)
    layer.weight.data = np.ones((2, 3))
    layer.weight.grad = np.ones((2, 3))
    adam.step()
    np.testing.assert_allclose(layer.weight.data, 0.5, rtol=1e-6)


def test_arithmetic_in_place_still_works():
    p = Parameter(np.ones(3))
    array = p.data
    p.data *= 4
    p.data += 1
    p.grad -= 2
    assert p.data is array and p.data.tolist() == [5, 5, 5] and p.grad.tolist() == [-2, -2, -2]


@pytest.mark.parametrize("values", [np.ones(3), np.ones((2, 1)), 1.0, np.ones((1, 2, 2))])
def test_another_shape_is_refused_though_it_would_broadcast(values):
    p = Parameter(np.zeros((2, 2)))
    for name in ("data", "grad"):
        with pytest.raises(InputError, match=r"was assigned an array of shape .*: expected \(2, 2\)") as caught:
            setattr(p, name, values)
        assert "\n" not in str(caught.value)
    assert not p.data.any() and not p.grad.any()


@pytest.mark.parametrize("array", [np.ones(2, "int32"), np.ones(2, bool), np.ones(2, complex)])
def test_a_parameter_holds_floats(array):
    with pytest.raises(InputError, match=f"a Parameter of type {array.dtype}: expected floats, dtype='float32'"):
        Parameter(array)


LOOKS = {
    "read": lambda p: p.grad,
    "copied": lambda p: copy.deepcopy(p).grad,
    "moved into a buffer": lambda p: FlatParameters([p]).grad,
    "settled": lambda p: p.settle() or p._grad,
}


@pytest.mark.parametrize("buffered", [False, True])
def test_what_is_assigned_to_a_cleared_gradient_stays(buffered):
    p = Parameter(np.ones(2))
    flat = FlatParameters([p]) if buffered else None
    p.grad += 7
    p.clear()
    p.grad = [3, 4]
    assert p.grad.tolist() == [3, 4]
    if buffered:
        p.clear()
        flat.grad = [5, 6]
        assert p.grad.tolist() == [5, 6]


@pytest.mark.parametrize("how", LOOKS)
def test_a_cleared_gradient_is_zero_to_whoever_looks(how):
    p = Parameter(np.ones((2, 3)))
    p.grad += 7
    p.clear()
    assert not LOOKS[how](p).any()
    p.grad += 1
    assert (p.grad == 1).all()


def test_a_product_is_added_and_into_a_cleared_gradient_written():
    a, b = np.random.default_rng(0).normal(size=(2, 5, 5)).astype("float32")
    p = Parameter(np.zeros((5, 5), "float32"))
    array = p.grad
    array[...] = 3
    p.add_product(a, b)
    np.testing.assert_array_equal(array, 3 + a @ b)
    array[0, 0] = np.nan
    p.clear()
    p.add_product(a, b)
    np.testing.assert_array_equal(array, a @ b)
    p.add_product(a, b)
    np.testing.assert_array_equal(array, a @ b + a @ b)
    assert p.grad is array


@pytest.mark.parametrize("width", [1, 3])
def test_a_cleared_product_of_no_rows_is_zero(width):
    p = Parameter(np.ones((2, width)))
    p.grad += 7
    p.clear()
    p.add_product(np.ones((2, 0)), np.ones((0, width)))
    assert not p.grad.any()
