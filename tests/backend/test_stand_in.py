"""The stand-in refuses what it is there to refuse; otherwise the tests that use it would show
nothing.
"""

import operator

import numpy as np
import pytest

from npformer import layers
from npformer.backend import to_device, xp

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
def test_stand_in_rejects_implicit_transfer(device, case):
    with pytest.raises(
        TypeError, match=r"Implicit conversion|Unsupported type|does not support ufuncs"
    ):
        REFUSED[case](device)
