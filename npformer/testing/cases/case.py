"""A case: something with a backward, and inputs on which a wrong gradient shows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...backend import to_device
from ...module import Module
from ..gradient_check import TOLERANCE, GradientReport, gradcheck, is_float


@dataclass(frozen=True)
class GradientCase:
    """A layer and its inputs, drawn again by each `build`; `make(rng, dtype)` draws them before they are disturbed."""

    name: str
    make: Callable[[np.random.Generator, str], tuple[Module, tuple]]

    def build(self, rng: np.random.Generator, dtype: str = "float64") -> tuple[Module, tuple]:
        """Return the layer and its inputs.

        Every parameter is moved by noise of order 1: a gain of 1 or a bias of 0 would hide what is missing.
        """
        layer, inputs = self.make(rng, dtype)
        for parameter in layer.parameters():
            parameter.data += to_device(rng.normal(0, 0.5, parameter.data.shape))
        return layer, tuple(placed(x, dtype) for x in inputs)


def placed(x, dtype: str):
    """Return an input where the library in use keeps its arrays, floats of the type asked for."""
    if not hasattr(x, "dtype"):
        return x
    return to_device(x.astype(dtype) if is_float(x) else x)


def check(
    case: GradientCase, *, seed: int = 0, entries: int | None = None, tolerance: float = TOLERANCE
) -> GradientReport:
    """Run the gradient check on a case; `entries` limits how many entries of each array are checked.

    >>> from npformer.testing.cases import CASES
    >>> report = check(CASES[0])
    >>> report.title, report.ok
    ('Linear', True)
    """
    layer, inputs = case.build(np.random.default_rng(seed))
    upstream = np.random.default_rng([seed, 1])  # a stream of its own: r must not repeat the weights
    report = gradcheck(layer, *inputs, rng=upstream, tolerance=tolerance, entries=entries)
    return replace(report, title=case.name)
