import tracemalloc

import numpy as np
import pytest

from npformer import InputError, Parameter
from npformer.layers import Linear
from npformer.training import Adam


@pytest.mark.parametrize("name", ["data", "grad"])
@pytest.mark.parametrize(
    "values", [np.array([[1.0, 2.0]]), [[1, 2]], np.array([[1, 2]]), np.ones((1, 2), "float32")]
)
def test_assignment_copies_values(name, values):
    p = Parameter(np.zeros((1, 2)))
    array = getattr(p, name)
    setattr(p, name, values)
    assert getattr(p, name) is array and array.dtype == np.float64
    np.testing.assert_array_equal(array, values)


def test_gradient_takes_memory_from_its_first_use_on():
    layer = Linear(200, 1000, rng=0)
    tracemalloc.start()
    layer.eval().forward(np.ones((1, 200), "float32"))
    assert tracemalloc.get_traced_memory()[1] < 400_000
    layer.train().backward(layer.forward(np.ones((1, 200), "float32")))
    assert tracemalloc.get_traced_memory()[1] > 800_000
    tracemalloc.stop()
    assert layer.weight.grad.shape == (200, 1000)


def test_assigned_weights_are_trained():
    layer = Linear(2, 3, rng=0)
    adam = Adam(layer.parameters(), learning_rate=0.5)
    layer.weight.data = np.ones((2, 3))
    layer.weight.grad = np.ones((2, 3))
    adam.step()
    np.testing.assert_allclose(layer.weight.data, 0.5, rtol=1e-6)


def test_in_place_arithmetic():
    p = Parameter(np.ones(3))
    array = p.data
    p.data *= 4
    p.data += 1
    p.grad -= 2
    assert p.data is array and p.data.tolist() == [5, 5, 5] and p.grad.tolist() == [-2, -2, -2]


@pytest.mark.parametrize(
    "values", [np.ones(3), np.ones((2, 1)), 1.0, np.ones((1, 2, 2)), np.ones((4, 1))]
)
def test_other_shape_is_rejected(values):
    p = Parameter(np.zeros((2, 2)))
    for name in ("data", "grad"):
        with pytest.raises(
            InputError, match=r"got values of shape .*: expected \(2, 2\)"
        ) as caught:
            setattr(p, name, values)
        assert "\n" not in str(caught.value)
    assert not p.data.any() and not p.grad.any()


@pytest.mark.parametrize("array", [np.ones(2, "int32"), np.ones(2, bool), np.ones(2, complex)])
def test_parameter_requires_float_dtype(array):
    with pytest.raises(
        InputError,
        match=f"a Parameter of type {array.dtype}: expected dtype='float32' or 'float64'",
    ):
        Parameter(array)
