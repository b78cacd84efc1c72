"""All parameters end to end in one buffer."""

import math

from ..backend import xp
from ..module import Parameter
from ..utils import InputError


class FlatParameters:
    """All parameters as one array `data` (n,), and all gradients as one array `grad` (n,).

    Each Parameter becomes a view of its slice, so that the optimiser, clipping and all-reduce work on one array.
    """

    def __init__(self, parameters: list[Parameter], room: int = 0):
        if len({str(p.data.dtype) for p in parameters}) != 1:
            raise InputError("expected one Parameter or more, all of one dtype: give model.parameters()")
        self.parameters = list(parameters)
        n = sum(p.data.size for p in self.parameters)
        self.data, self.grad = (xp.empty(n, self.parameters[0].data.dtype) for _ in range(2))
        end = 0
        for p in self.parameters:
            start, end = end, end + p.data.size
            p.move_into(*(flat[start:end].reshape(p.data.shape) for flat in (self.data, self.grad)))

    def zero_grad(self) -> None:
        """Set all gradients to zero."""
        self.grad.fill(0)

    def gradient_norm(self) -> float:
        """Return the Euclidean norm of the whole gradient."""
        return math.sqrt(float(self.grad @ self.grad))

    def clip_gradient(self, max_norm: float, norm: float | None = None) -> float:
        """Scale the gradient down to `max_norm` if it is longer; return its norm before."""
        norm = self.gradient_norm() if norm is None else norm
        if norm > max_norm:
            self.grad *= max_norm / norm
        return norm
