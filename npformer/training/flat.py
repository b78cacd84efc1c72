"""All parameters end to end in one buffer."""

import math

from ..base.backend import xp
from ..base.errors import InputError
from ..module import Parameter


class FlatParameters:
    """Lay all parameters into one array `data` and all gradients into one array `grad`, both (n,).

    Each Parameter becomes a view of its stretch, so that an optimiser, a gradient's norm or a sum over machines can
    work on a single array. Values stay as they are.

    Raises `InputError` when there are no parameters or they differ in dtype.

    >>> import numpy as np
    >>> p = Parameter(np.ones((2, 3)))
    >>> flat = FlatParameters([p, Parameter(np.zeros(4))])
    >>> flat.data[0] = 7
    >>> flat.data.size, float(p.data[0, 0])
    (10, 7.0)
    """

    def __init__(self, parameters: list[Parameter]):
        self.parameters = list(parameters)
        dtypes = {str(p.data.dtype) for p in self.parameters}
        if len(dtypes) != 1:
            raise InputError(
                f"the parameters have types {sorted(dtypes)}: expected one type, of one parameter at least"
            )
        size = sum(p.data.size for p in self.parameters)
        self.data = xp.empty(size, dtypes.pop())
        self.grad = xp.empty_like(self.data)
        self.stretches = []
        start = 0
        for p in self.parameters:
            stretch = slice(start, start + p.data.size)
            self.stretches.append(stretch)
            self.data[stretch], self.grad[stretch] = p.data.reshape(-1), p.grad.reshape(-1)
            p.data, p.grad = self.data[stretch].reshape(p.data.shape), self.grad[stretch].reshape(p.data.shape)
            start = stretch.stop

    def check_still_views(self) -> None:
        """Raise RuntimeError when a parameter was given an array of its own, which updates here would miss."""
        if any(p.data.base is not self.data or p.grad.base is not self.grad for p in self.parameters):
            raise RuntimeError(
                "a parameter no longer lives in this optimiser's buffer: assign with p.data[...] = value, "
                "and give a model one optimiser only"
            )

    def clip_gradient(self, max_norm: float) -> float:
        """Scale the gradient down to length `max_norm` if it is longer, all parameters taken as one vector.

        Returns the length it had. Pascanu et al. 2013, algorithm 1.

        >>> import numpy as np
        >>> p = Parameter(np.zeros(2))
        >>> flat = FlatParameters([p])
        >>> p.grad[...] = [3.0, 4.0]
        >>> flat.clip_gradient(1.0), p.grad.round(3).tolist()
        (5.0, [0.6, 0.8])
        """
        norm = math.sqrt(float(self.grad @ self.grad))
        if norm > max_norm:
            self.grad *= max_norm / norm
        return norm
