"""The gradients of a layer, by its backward and by differences of its forward, and the contract that both keep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..backend import dtype_kind, to_device, to_host
from ..module import Module


@dataclass(frozen=True)
class LayerGradients:
    """A layer and the inputs of its forward, whose random generators are reset before each forward."""

    layer: Module
    inputs: list
    states: list[tuple] = field(default_factory=list)  # of the random generators

    @classmethod
    def of(cls, layer: Module, inputs: list) -> LayerGradients:
        """Return a differentiation that begins with the layer's random generators as they are."""
        return cls(layer, inputs, [(rng, rng.bit_generator.state) for rng in layer.generators()])

    @cached_property
    def arrays(self) -> dict:
        """The inputs of floats and the parameters, by name."""
        inputs = {f"input {i}": x for i, x in enumerate(self.inputs) if is_float(x)}
        return inputs | {name: p.data for name, p in self.layer.named_parameters()}

    def rewind(self) -> None:
        """Reset the random generators."""
        for rng, state in self.states:
            rng.bit_generator.state = state

    def forward(self):
        """Run forward."""
        self.rewind()
        return self.layer.forward(*self.inputs)

    def draw_upstream(self, rng: np.random.Generator):
        """Run forward, and draw an upstream gradient for what it returns."""
        return to_device(rng.normal(size=np.shape(self.forward())))

    def analytic(
        self, upstream, start: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """Run forward and backward once, and return the gradient of each array by name, on the host.

        The parameters' gradients begin with `start`, by default 0, and are put back afterwards. Raises AssertionError
        when backward gives no gradient for an array or changes an array that is not its own.
        """
        arrays, parameters = self.arrays, dict(self.layer.named_parameters())
        old_grads = {name: p.grad.copy() for name, p in parameters.items()}
        try:
            for name, p in parameters.items():
                p.grad = start[name] if start else np.zeros(p.grad.shape)
            returned = self._run_backward(upstream)
            returned = returned if isinstance(returned, tuple) else (returned,)
            gradients = {f"input {i}": dx for i, dx in enumerate(returned)} | {
                n: p.grad for n, p in parameters.items()
            }
            for name, array in arrays.items():
                if gradients.get(name) is None or gradients[name].shape != array.shape:
                    shape_text = (
                        "nothing"
                        if gradients.get(name) is None
                        else f"shape {gradients[name].shape}"
                    )
                    expected = f"expected a gradient of {array.shape}"
                    raise AssertionError(
                        f"{self.layer.label}.backward gave {shape_text} for {name}, {expected}"
                    )
            return {name: to_host(gradients[name]).copy() for name in arrays}
        finally:
            for name, p in parameters.items():
                p.grad = old_grads[name]

    def _run_backward(self, upstream):
        """Run forward and backward. Raises AssertionError when they change an array that is not theirs."""
        arrays = {**self.arrays, "dy": upstream.copy()}
        before = {name: to_host(array).copy() for name, array in arrays.items()}
        self.forward()
        returned = self.layer.backward(arrays["dy"])
        for name, array in arrays.items():
            if not np.array_equal(to_host(array), before[name], equal_nan=True):
                label = self.layer.label
                raise AssertionError(
                    f"{label} changes {name}, which others need as it was: work in an array of its own"
                )
        return returned

    def jacobian(self, name: str, step: float) -> np.ndarray:
        """Differentiate forward with respect to all entries of an array, whose axes come first."""
        array = self.arrays[name]
        rows = [
            to_host(numeric_derivative(array, i, step, self.forward))
            for i in np.ndindex(array.shape)
        ]
        return np.reshape(rows, array.shape + rows[0].shape)


def numeric_derivative(array, index: tuple, step: float, loss: Callable):
    """Differentiate loss(), a number or an array, with respect to an entry of an array, which is put back."""
    value = array[index].copy()
    losses = []
    try:
        for multiple in (1, -1, 2, -2):
            array[index] = value + multiple * step
            losses.append(loss())
    finally:
        array[index] = value
    plus, minus, plus_2, minus_2 = losses
    return (8 * (plus - minus) - (plus_2 - minus_2)) / (12 * step)


def is_float(x) -> bool:
    """Tell whether x is an array of floats."""
    return dtype_kind(x) == "f"
