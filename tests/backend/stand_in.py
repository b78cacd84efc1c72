"""A stand-in for CuPy that runs on the CPU: its arrays never turn into NumPy arrays, nor NumPy
arrays into them.

It is stricter than CuPy, which takes host arrays as indices and answers `np.exp(device_array)`,
and so it tells of every place where host and device meet. Names that CuPy lacks are missing here
too.
"""

import operator
from pathlib import Path
from types import SimpleNamespace

import numpy as np

_, _, *LINES = (Path(__file__).parent / "cupy_names.txt").read_text().splitlines()
CUPY_NAMES = set(" ".join(LINES).split())
OPERATIONS = "add sub mul truediv floordiv mod pow matmul and or xor".split()
COMPARISONS = "lt le eq ne gt ge".split()
METHODS = (
    "all any argmax argmin argpartition argsort astype clip copy cumsum dot fill flatten max mean min nonzero prod "
    "ravel repeat reshape round sort squeeze std sum swapaxes take transpose var view"
).split()


class DeviceArray:
    """An array that lives on the device; `host` is where the stand-in really keeps it."""

    __array_ufunc__ = None  # lets NumPy's operators hand over to those below, which refuse
    __hash__ = None

    def __init__(self, host: np.ndarray, base=None):
        self.host = host
        self.base = base

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed: use to_host")

    shape = property(lambda self: self.host.shape)
    ndim = property(lambda self: self.host.ndim)
    size = property(lambda self: self.host.size)
    dtype = property(lambda self: self.host.dtype)
    itemsize = property(lambda self: self.host.itemsize)
    nbytes = property(lambda self: self.host.nbytes)
    T = property(lambda self: self.wrap_view(self.host.T))

    def wrap_view(self, host):
        """Wrap what was cut out of this array; a view knows the array that owns its memory, as
        CuPy's does.
        """
        array = wrap(host)
        if isinstance(array, DeviceArray) and np.may_share_memory(array.host, self.host):
            array.base = self if self.base is None else self.base
        return array

    def __getitem__(self, index):
        return self.wrap_view(self.host[unwrap(index)])

    def __setitem__(self, index, value):
        self.host[unwrap(index)] = unwrap(value)

    def __len__(self):
        return len(self.host)

    def __float__(self):
        return float(self.host)

    def __int__(self):
        return int(self.host)

    def __bool__(self):
        return bool(self.host)

    def __neg__(self):
        return wrap(-self.host)

    def __invert__(self):
        return wrap(~self.host)

    def tolist(self):
        return self.host.tolist()

    def item(self):
        return self.host.item()


def unwrap(value):
    """Return what the stand-in computes with; a host array, however deep inside, is refused."""
    if isinstance(value, DeviceArray):
        return value.host
    if isinstance(value, np.ndarray):
        raise TypeError(
            "Unsupported type numpy.ndarray: a host array among device arrays, use to_device"
        )
    if isinstance(value, (tuple, list)):
        return type(value)(map(unwrap, value))
    return value


def wrap(value):
    """Put results on the device; like CuPy, reductions give arrays without axes, not scalars."""
    if isinstance(value, (tuple, list)):
        return type(value)(map(wrap, value))
    return DeviceArray(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def add_operators() -> None:
    for name in OPERATIONS + COMPARISONS:
        plain = getattr(operator, f"__{name}__")
        setattr(
            DeviceArray,
            f"__{name}__",
            lambda self, other, plain=plain: wrap(plain(self.host, unwrap(other))),
        )
    for name in OPERATIONS:
        plain, in_place = getattr(operator, f"__{name}__"), getattr(operator, f"__i{name}__")

        def change(self, other, in_place=in_place):
            in_place(self.host, unwrap(other))
            return self

        setattr(
            DeviceArray,
            f"__r{name}__",
            lambda self, other, plain=plain: wrap(plain(unwrap(other), self.host)),
        )
        setattr(DeviceArray, f"__i{name}__", change)
    for name in METHODS:

        def call(self, *args, name=name, **kwargs):
            kwargs = {key: unwrap(value) for key, value in kwargs.items()}
            return self.wrap_view(getattr(self.host, name)(*unwrap(args), **kwargs))

        setattr(DeviceArray, name, call)


add_operators()


class DeviceFunction:
    """A function of the library: device arrays and numbers in, device arrays out."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        result = self.function(
            *unwrap(args), **{key: unwrap(value) for key, value in kwargs.items()}
        )
        return kwargs["out"] if kwargs.get("out") is not None else wrap(result)

    def at(self, array, ids, values):
        self.function.at(unwrap(array), unwrap(ids), unwrap(values))


class DeviceGenerator:
    def __init__(self, bits):
        self.rng = np.random.Generator(bits)

    def random(self, size=None, dtype=np.float64):
        return wrap(self.rng.random(size, dtype))


class DeviceLibrary:
    """What `import cupy` would give; `asarray` and `asnumpy` are its only doors to the host."""

    random = SimpleNamespace(Generator=DeviceGenerator, Philox4x3210=np.random.Philox)

    def __getattr__(self, name):
        if name not in CUPY_NAMES:
            raise AttributeError(f"module 'cupy' has no attribute {name!r}")
        value = getattr(np, name)
        return DeviceFunction(value) if callable(value) and not isinstance(value, type) else value

    def asarray(self, array, dtype=None):
        return (
            array
            if isinstance(array, DeviceArray) and dtype is None
            else wrap(np.array(self.asnumpy(array), dtype))
        )

    def asnumpy(self, array):
        return array.host.copy() if isinstance(array, DeviceArray) else np.asarray(array)
