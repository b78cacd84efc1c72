"""A trainable array and its gradient."""

from .backend import to_device, xp
from .errors import InputError


class Parameter:
    """A trainable array, `data`, and the gradient of the loss with respect to it, `grad`.

    Assigning to either copies into the array that is there, which may be a view of an optimiser's buffer.
    """

    def __init__(self, data):
        self._data = to_device(data)
        if self._data.dtype.kind != "f":
            raise InputError(f"a Parameter of type {self._data.dtype}: expected dtype='float32' or 'float64'")
        self._grad = xp.zeros_like(self._data)
        self.buffer = None

    def __repr__(self):
        return f"Parameter(shape={self.data.shape}, dtype={self.data.dtype})"

    @property
    def data(self):
        """The array that training changes."""
        return self._data

    @data.setter
    def data(self, values):
        self._data[...] = to_device(values)

    @property
    def grad(self):
        """The gradient of the loss with respect to `data`."""
        return self._grad

    @grad.setter
    def grad(self, values):
        if values is not self._grad:  # as it is after p.grad += ...
            self._grad[...] = to_device(values)

    def move_into(self, data, grad) -> None:
        """Make `data` and `grad` views of these two arrays; the values stay."""
        data[...], grad[...] = self._data, self._grad
        self._data, self._grad = data, grad

    def with_grad(self, grad) -> "Parameter":
        """Return a Parameter that shares `data` with this one and has another gradient."""
        twin = Parameter.__new__(Parameter)
        twin._data, twin._grad = self._data, grad
        return twin
