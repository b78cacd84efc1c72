"""What training changes: an array and its gradient."""

from .backend import to_device, xp
from .errors import InputError


class Parameter:
    """An array that training changes, `data`, and the gradient of the loss with respect to it, `grad`.

    To assign either is to copy in: the array itself stays where it is, in an optimiser's buffer perhaps.

    Raises `InputError` for an array that holds no floats, and when another shape is assigned.

    >>> p = Parameter(xp.zeros(2))
    >>> view = p.data
    >>> p.data = [3, 4]
    >>> view.tolist()
    [3.0, 4.0]
    """

    __slots__ = ("_data", "_grad", "buffer")

    def __init__(self, data, grad=None):
        self._data = to_device(data)
        if self._data.dtype.kind != "f":
            raise InputError(f"a Parameter of type {self._data.dtype}: expected floats, dtype='float32' or 'float64'")
        self._grad = xp.zeros_like(self._data) if grad is None else grad
        self.buffer = None  # the FlatParameters in which data and grad lie

    def __reduce__(self):  # a copy stands alone until its buffer, copied with it, takes it in
        return Parameter, (self._data.copy(), self._grad.copy())

    def __repr__(self):
        return f"Parameter(shape={self.data.shape}, dtype={self.data.dtype})"

    @property
    def data(self):
        """The array that training changes."""
        return self._data

    @data.setter
    def data(self, values):
        self._copy_in(self._data, values)

    @property
    def grad(self):
        """The gradient of the loss with respect to `data`."""
        return self._grad

    @grad.setter
    def grad(self, values):
        self._copy_in(self._grad, values)

    def _copy_in(self, array, values) -> None:
        if values is array:  # as after p.grad += ...
            return
        values = to_device(values)
        if values.shape != array.shape:
            raise InputError(f"{self!r} was assigned an array of shape {values.shape}: expected {array.shape}")
        array[...] = values

    def lie_in(self, buffer, data, grad) -> None:
        """Move into two stretches of a buffer, which from now on are `data` and `grad`; values stay as they are."""
        data[...], grad[...] = self._data, self._grad
        self._data, self._grad, self.buffer = data, grad, buffer
