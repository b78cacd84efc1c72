"""The gradients of a layer, by its backward and by differences of its forward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..backend import dtype_kind, to_device, to_host
from ..module import Module
from ..utils import InputError


@dataclass(frozen=True)
class LayerGradients:
    """A layer with the inputs of its forward. Its random generators are reset before each forward.

    Arguments:
        layer: The layer.
        inputs: The arguments of forward.
        states: Each random generator of the layer, and the state to which it is reset.
    """

    layer: Module
    inputs: list
    states: list[tuple] = field(default_factory=list)

    @classmethod
    def of(cls, layer: Module, inputs: list) -> LayerGradients:
        """Return the gradients of a layer whose random generators begin as they are now."""
        states = [(rng, rng.bit_generator.state) for rng in layer.generators()]
        return cls(layer, inputs, states)

    @cached_property
    def arrays(self) -> dict:
        """The inputs of floats and the parameters, by name."""
        arrays = {}
        for i, x in enumerate(self.inputs):
            if is_float(x):
                arrays[f"input {i}"] = x
        for name, parameter in self.layer.named_parameters():
            arrays[name] = parameter.data
        return arrays

    def rewind(self) -> None:
        """Reset the random generators."""
        for rng, state in self.states:
            rng.bit_generator.state = state

    def forward(self):
        """Run forward."""
        self.rewind()
        return self.layer.forward(*self.inputs)

    def draw_upstream(self, rng: np.random.Generator):
        """Run forward, and draw an upstream gradient for what it returns.

        Raises `InputError` when that is nothing, or several arrays.
        """
        y = self.forward()
        if y is None or isinstance(y, (tuple, list)):
            got = "nothing" if y is None else f"a {type(y).__name__}"
            raise InputError(
                f"{self.layer.display_name}.forward returned {got}: "
                "expected one array, as in return y"
            )
        return to_device(rng.normal(size=np.shape(y)))

    def analytic(
        self, upstream, start: dict[str, np.ndarray] | None = None
    ) -> dict[str, np.ndarray]:
        """Run forward and backward once; return the gradient of each array by name, on the host.

        The gradients of the parameters begin with `start`, by default 0, and are put back
        afterwards. Raises AssertionError when backward gives no gradient for an array or changes an
        array that is not its own, and `InputError` when it gives no arrays, or more than forward
        has inputs.
        """
        parameters = dict(self.layer.named_parameters())
        old_grads = {name: p.grad.copy() for name, p in parameters.items()}
        try:
            for name, p in parameters.items():
                p.grad = start[name] if start else np.zeros(p.grad.shape)

            returned = self._run_backward(upstream)
            # a layer with one input returns its gradient alone
            if not isinstance(returned, tuple):
                returned = (returned,)
            given = [dx for dx in returned if dx is not None]
            are_arrays = all(hasattr(dx, "shape") for dx in given)
            if not are_arrays or len(given) > len(self.inputs):
                got = ", ".join(type(dx).__name__ for dx in given)
                raise InputError(
                    f"{self.layer.display_name}.backward gave {got}: expected an array for each "
                    f"input of forward, of which there are {len(self.inputs)}, several as a tuple"
                )
            gradients = {f"input {i}": dx for i, dx in enumerate(returned)}
            for name, p in parameters.items():
                gradients[name] = p.grad

            for name, array in self.arrays.items():
                # NumPy would broadcast a wrong shape in the comparison
                self._check_shape(name, array, gradients.get(name))
            return {name: to_host(gradients[name]).copy() for name in self.arrays}
        finally:
            for name, p in parameters.items():
                p.grad = old_grads[name]

    def _check_shape(self, name: str, array, gradient) -> None:
        """Raise AssertionError unless the gradient of an array has its shape."""
        if gradient is None:
            got = "nothing"
        elif gradient.shape != array.shape:
            got = f"shape {gradient.shape}"
        else:
            return
        raise AssertionError(
            f"{self.layer.display_name}.backward gave {got} for {name}, "
            f"expected a gradient of {array.shape}"
        )

    def _run_backward(self, upstream):
        """Run forward and backward. Raises AssertionError when they change another's array."""
        # a backward that changes dy must not change the upstream gradient of the next run
        dy = upstream.copy()
        arrays = {**self.arrays, "dy": dy}
        before = {name: to_host(array).copy() for name, array in arrays.items()}

        self.forward()
        returned = self.layer.backward(dy)

        for name, array in arrays.items():
            if not np.array_equal(to_host(array), before[name], equal_nan=True):
                raise AssertionError(
                    f"{self.layer.display_name} changes {name}, which others need as it was: "
                    "work in an array of its own"
                )
        return returned

    def jacobian(self, name: str, step: float) -> np.ndarray:
        """Differentiate forward with respect to all entries of an array, whose axes come first."""
        array = self.arrays[name]

        def output() -> np.ndarray:
            # a copy, because the output may be a view of the array that is moved
            return to_host(self.forward()).copy()

        rows = []
        for index in np.ndindex(array.shape):
            rows.append(numeric_derivative(array, index, step, output))
        return np.reshape(rows, array.shape + rows[0].shape)


def numeric_derivative(array, index: tuple, step: float, loss: Callable):
    """Differentiate loss() with respect to an entry of an array, which is put back.

    Arguments:
        array: The array, which is changed in place meanwhile.
        index: The index of the entry.
        step: How far the entry is moved; twice as far for the two outer points.
        loss: A function without arguments that returns a number or an array.

    >>> x = np.array([3.0, 5.0])
    >>> round(numeric_derivative(x, (0,), 1e-3, lambda: x[0] ** 2), 6)
    np.float64(6.0)
    """
    # a copy, because array[index] of CuPy is a view that would change with the array
    value = array[index].copy()
    losses = []
    try:
        for multiple in (1, -1, 2, -2):
            array[index] = value + multiple * step
            losses.append(loss())
    finally:
        array[index] = value
    # four points, so that the error falls with the fourth power of the step
    plus, minus, plus_2, minus_2 = losses
    return (8 * (plus - minus) - (plus_2 - minus_2)) / (12 * step)


def is_float(x) -> bool:
    """Tell whether x is an array of floats."""
    return dtype_kind(x) == "f"
