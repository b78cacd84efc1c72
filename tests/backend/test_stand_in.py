"""The stand-in refuses what it is there to refuse; otherwise the tests that use it would prove nothing."""

import operator

import numpy as np
import pytest
from stand_in import OPERATIONS, DeviceArray

from npformer import layers
from npformer.backend import on_gpu, to_device, to_host, xp

HOST = np.ones((2, 3))
REFUSED = {
    "np.exp": lambda device: np.exp(device),
    "np.add": lambda device: np.add(HOST, device),
    "np.asarray": lambda device: np.asarray(device),
    "np.array with dtype": lambda device: np.array(device, "float32"),
    "np.where": lambda device: np.where(device > 0, HOST, 0),
    "np.stack": lambda device: np.stack([device, device]),
    "host assignment": lambda device: operator.setitem(np.zeros((2, 3)), ..., device),
    "device assignment": lambda device: operator.setitem(device, ..., HOST),
    "host mask as an index": lambda device: device[HOST > 0],
    "host ids as an index": lambda device: device[np.array([0, 1])],
    "host ids in a tuple": lambda device: device[:, np.array([0, 1])],
    "host argument": lambda device: xp.maximum(device, HOST),
    "host mask in where": lambda device: xp.where(HOST > 0, device, 0),
    "host float mask": lambda device: device * (HOST * 0.5),
    "host out": lambda device: xp.exp(device, out=np.empty((2, 3))),
    "host condition": lambda device: device.sum(0, where=HOST > 0),
    "host ids in add.at": lambda device: xp.add.at(device, np.array([0, 0]), device),
    "host array in a list": lambda device: xp.concatenate([device, HOST]),
    "zeros like a host array": lambda device: xp.zeros_like(HOST),
    "host input of a layer": lambda device: layers.Linear(3, 4, dtype="float64").forward(HOST),
}


@pytest.fixture
def device(stand_in):
    return to_device(HOST)


@pytest.mark.parametrize("case", REFUSED)
def test_it_refuses(device, case):
    with pytest.raises(TypeError, match=r"Implicit conversion|Unsupported type|does not support ufuncs"):
        REFUSED[case](device)


@pytest.mark.parametrize("name", OPERATIONS)
def test_its_operators_refuse_host_arrays_on_both_sides(device, name):
    for operation in (getattr(operator, f"__{name}__"), getattr(operator, f"__i{name}__")):
        for left, right in ((device, HOST), (HOST.copy(), device)):
            with pytest.raises(TypeError):
                operation(left, right)


def test_its_operators_take_device_arrays_and_scalars(device):
    for scalar in (2, 2.0, np.float64(2.0)):
        for y in (device * scalar, scalar * device, device + device):
            assert isinstance(y, DeviceArray)
            np.testing.assert_array_equal(to_host(y), HOST * 2)
    device += device
    np.testing.assert_array_equal(to_host(device), HOST * 2)
    np.testing.assert_array_equal(to_host(xp.exp(device, out=device)), np.exp(HOST * 2))


def test_its_views_share_memory_and_know_their_owner(device):
    view = device[1:].reshape(3)[:2]
    view += 1
    assert to_host(device).tolist() == [[1, 1, 1], [2, 2, 1]]
    assert view.base is device and device.base is None
    assert device.copy().base is None and device[to_device(np.array([0]))].base is None


def test_copies_part_host_from_device(device):
    to_host(device)[...] = 7
    assert on_gpu() and to_host(device).tolist() == HOST.tolist()
    assert to_device(HOST) is not HOST and to_device(device) is device


def test_it_has_no_name_that_cupy_lacks(device):
    with pytest.raises(AttributeError, match="reduceat"):
        xp.add.reduceat(device, [0])
    with pytest.raises(AttributeError, match="nanargpartition"):
        xp.nanargpartition(device)
