"""All parameters end to end in one buffer."""

import math
from itertools import accumulate, pairwise

from ..backend import Array, xp
from ..module import Module, Parameter
from ..utils import InputError


class FlatParameters:
    """All parameters as one array `data` (n,), and all gradients as one array `grad` (n,).

    Each Parameter becomes a view of its slice, so that the optimizer, clipping and all-reduce work on one array.

    Raises `InputError` unless there is a parameter, and all have one dtype.

    >>> flat = FlatParameters([Parameter(xp.ones((2, 3))), Parameter(xp.zeros(4))])
    >>> flat.data.shape, flat.slices
    ((10,), [slice(0, 6, None), slice(6, 10, None)])
    """

    def __init__(self, parameters: list[Parameter]):
        self.parameters = [] if isinstance(parameters, Module) else list(parameters)
        kinds = {
            str(p.data.dtype) if isinstance(p, Parameter) else type(p).__name__
            for p in self.parameters
        }
        if kinds not in ({"float32"}, {"float64"}):
            raise InputError(
                f"got {sorted(kinds)}: expected one Parameter or more, all of one dtype: give model.parameters()"
            )
        ends = accumulate((p.data.size for p in self.parameters), initial=0)
        self.slices = [slice(start, end) for start, end in pairwise(ends)]
        n, dtype = self.slices[-1].stop, self.parameters[0].data.dtype
        self.store_in(xp.empty(n, dtype), xp.empty(n, dtype))

    def __reduce__(self):  # a copy of model and optimizer has a buffer of its own
        return FlatParameters, (self.parameters,)

    def store_in(self, data: Array, grad: Array) -> None:
        """Keep all parameters in these two arrays (n,) from now on; their values stay."""
        self.data, self.grad = data, grad
        for p, part in zip(self.parameters, self.slices, strict=True):
            p.store_in(data[part].reshape(p.data.shape), grad[part].reshape(p.data.shape))

    def clip_gradient(self, max_norm: float = math.inf) -> float:
        """Scale the gradient down to `max_norm` if its norm is larger; return the norm before (Pascanu et al. 2013)."""
        norm = math.sqrt(float(self.grad @ self.grad))
        if norm > max_norm:
            self.grad *= max_norm / norm
        return norm
