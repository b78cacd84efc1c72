"""All parameters end to end in one buffer."""

import math
from collections.abc import Callable
from itertools import accumulate

from ..base import InputError, xp
from ..module import Module, Parameter


class FlatParameters:
    """Lay all parameters into one array `data` and all gradients into one array `grad`, both (n,).

    Each Parameter becomes a view of its stretch, so that an optimiser, a gradient's norm or a sum over machines can
    work on a single array. Values stay as they are. The same parameters once more give the same buffer; a copy or a
    pickle of them, with their model, has a buffer of its own.

    `grad_and_room` is the array of `grad` with `room` more numbers behind it, for what ranks sum up together with a
    gradient. It and `unsettled`, the part that `grad` is, hold zeros for gradients that were cleared only from when
    somebody reads `grad`, or calls `settle`.

    Raises `InputError` when there are no parameters, they differ in dtype, or only some lie in a buffer already, or all
    in one with less room.

    >>> import numpy as np
    >>> p = Parameter(np.ones((2, 3)))
    >>> flat = FlatParameters([p, Parameter(np.zeros(4))])
    >>> flat.data[0] = 7
    >>> flat.data.size, float(p.data[0, 0])
    (10, 7.0)
    """

    def __init__(self, parameters: list[Parameter], room: int = 0):
        if isinstance(parameters, Module):
            raise InputError(f"a {type(parameters).__name__} is no list of Parameters: give model.parameters()")
        self.parameters = list(parameters)
        if odd := [p for p in self.parameters if not isinstance(p, Parameter)]:
            raise InputError(f"a {type(odd[0]).__name__} is no Parameter: give model.parameters()")
        dtypes = {str(p.data.dtype) for p in self.parameters}
        if len(dtypes) != 1:
            raise InputError(f"parameters of types {sorted(dtypes)}: expected one type, of one parameter at least")
        sizes = [p.data.size for p in self.parameters]
        ends = list(accumulate(sizes))
        self.stretches = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        buffers = {id(p.buffer): p.buffer for p in self.parameters}
        [first, *others] = buffers.values()
        if not others and first is not None and list(map(id, first.parameters)) == list(map(id, self.parameters)):
            self.__dict__ = first.__dict__  # wherever it moves to
            if room not in (0, len(self.grad_and_room) - len(self.data)):
                raise InputError(
                    f"these parameters lie in other FlatParameters, without room = {room}: make a new model"
                )
        elif any(buffers.values()):
            raise InputError("some of these parameters lie in other FlatParameters: give the optimiser those")
        else:
            data = xp.empty(ends[-1], dtypes.pop())
            self.lie_in(data, xp.empty(ends[-1] + room, data.dtype))

    def __reduce__(self):
        return FlatParameters, (self.parameters, len(self.grad_and_room) - len(self.grad))

    def lie_in(self, data, grad_and_room) -> None:
        """Move into these two arrays; values stay as they are."""
        self.data, self.grad_and_room, self.unsettled = data, grad_and_room, grad_and_room[: len(data)]
        for p, stretch in zip(self.parameters, self.stretches, strict=True):
            p.lie_in(self, *(array[stretch].reshape(p.data.shape) for array in (data, grad_and_room)))

    @property
    def grad(self):
        """All gradients, (n,). To assign is to copy in."""
        self.settle()
        return self.unsettled

    @grad.setter
    def grad(self, values):
        grad = self.grad
        if values is not grad:  # as it is after flat.grad += ...
            grad[...] = values

    def settle(self) -> None:
        """Write zeros where gradients were cleared and nothing has been added since."""
        for p in self.parameters:
            p.settle()

    def move_to(self, copied: Callable) -> None:
        """Move to where `copied` copies an array to, unless it returns those that there are."""
        data, grad_and_room = copied(self.data), copied(self.grad_and_room)
        if data is not self.data:
            self.lie_in(data, grad_and_room)

    def gradient_norm(self) -> float:
        """Return the length of the gradient, all parameters taken as one vector."""
        grad = self.grad
        return math.sqrt(float(grad @ grad))

    def clip_gradient(self, max_norm: float, norm: float | None = None) -> float:
        """Scale the gradient down to length `max_norm` if it is longer, all parameters taken as one vector.

        Returns the length it had, which is `norm` where that is given. Pascanu et al. 2013, algorithm 1.

        >>> import numpy as np
        >>> p = Parameter(np.zeros(2))
        >>> flat = FlatParameters([p])
        >>> p.grad = [3.0, 4.0]
        >>> flat.clip_gradient(1.0), p.grad.round(3).tolist()
        (5.0, [0.6, 0.8])
        """
        norm = self.gradient_norm() if norm is None else norm
        if norm > max_norm:
            grad = self.grad
            grad *= max_norm / norm
        return norm
