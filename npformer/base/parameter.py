"""What training changes: an array and its gradient."""

from .backend import to_device, xp
from .errors import InputError


class Parameter:
    """An array that training changes, `data`, and the gradient of the loss with respect to it, `grad`.

    To assign either is to copy in: the array itself stays where it is, in an optimiser's buffer perhaps.

    A gradient that is cleared is zero, though nothing is written yet: an `add_product` that comes next writes its
    product there, which saves filling the gradient with zeros and adding to them. Whoever reads `grad`, here or of a
    FlatParameters, finds zeros; an array of it that was had before shows them from then on.

    Raises `InputError` for an array that holds no floats, and when another shape is assigned.

    >>> p = Parameter(xp.zeros(2))
    >>> view = p.data
    >>> p.data = [3, 4]
    >>> view.tolist()
    [3.0, 4.0]
    """

    __slots__ = ("_cleared", "_data", "_grad", "buffer")

    def __init__(self, data, grad=None):
        self._data = to_device(data)
        if self._data.dtype.kind != "f":
            raise InputError(f"a Parameter of type {self._data.dtype}: expected floats, dtype='float32' or 'float64'")
        self._grad = xp.zeros(self._data.shape, self._data.dtype) if grad is None else grad
        self._cleared = False  # whether the gradient is zero, whatever _grad still holds
        self.buffer = None  # the FlatParameters in which data and grad lie

    def __reduce__(self):  # a copy stands alone until its buffer, copied with it, takes it in
        return Parameter, (self._data.copy(), self.grad.copy())

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
        self.settle()
        return self._grad

    @grad.setter
    def grad(self, values):
        self._copy_in(self.grad, values)

    def clear(self) -> None:
        """Make the gradient zero, as soon as somebody looks."""
        self._cleared = True

    def settle(self) -> None:
        """Write zeros where the gradient was cleared and nothing has been added since."""
        if self._cleared:
            self._grad.fill(0)
            self._cleared = False

    def add_product(self, a, b) -> None:
        """Do grad += a @ b; into a cleared gradient the product is written.

        >>> p = Parameter(xp.zeros((1, 1)))
        >>> a, b = xp.array([[1.0, 2.0]]), xp.array([[3.0], [4.0]])
        >>> p.add_product(a, b), p.add_product(a, b), p.grad.tolist()
        (None, None, [[22.0]])
        >>> p.clear(), p.add_product(a, b), p.grad.tolist()
        (None, None, [[11.0]])
        """
        if self._cleared:
            xp.matmul(a, b, out=self._grad)
            self._cleared = False
        else:
            self._grad += a @ b

    def _copy_in(self, array, values) -> None:
        if values is array:  # as after p.grad += ...
            return
        values = to_device(values)
        if values.shape != array.shape:
            raise InputError(f"{self!r} was assigned an array of shape {values.shape}: expected {array.shape}")
        array[...] = values

    def lie_in(self, buffer, data, grad) -> None:
        """Move into two stretches of a buffer, which from now on are `data` and `grad`; values stay as they are."""
        data[...], grad[...] = self._data, self.grad
        self._data, self._grad, self.buffer = data, grad, buffer
