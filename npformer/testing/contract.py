"""The contract of a layer: it finds its sub-layers, changes no array of others, and adds up gradients."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from ..backend import to_host
from ..module import Module, Parameter

CLOSE = 1e-7  # relative error of two backwards against twice the gradient


def checked_run(layer: Module, run: Callable):
    """Return what forward returns. Raises AssertionError when it uses a layer that named_modules() does not find."""
    at_work, remember = {}, Module.remember

    def noted(self, y, *values):
        at_work[id(self)] = self
        return remember(self, y, *values)

    Module.remember = noted
    try:
        y = run()
    finally:
        Module.remember = remember
    for _, module in layer.named_modules():
        at_work.pop(id(module), None)
    if at_work:
        names = ", ".join(sorted({module.label for module in at_work.values()}))
        raise AssertionError(
            f"{layer.label}.forward goes through {names}, which named_modules() does not find: keep layers in "
            "attributes, lists, tuples or dicts, or their parameters are neither checked nor trained"
        )
    return y


def analytic_gradients(layer: Module, run: Callable, upstream, arrays: dict) -> dict[str, np.ndarray]:
    """Run forward and backward once, and return the gradient of each array by name, on the host."""
    with _from_zero(layer) as parameters:
        returned = _backward_alone(layer, run, upstream, arrays)
        returned = returned if isinstance(returned, tuple) else (returned,)
        found = {f"input {i}": dx for i, dx in enumerate(returned)} | {name: p.grad for name, p in parameters.items()}
        for name, array in arrays.items():
            if found.get(name) is None or found[name].shape != array.shape:
                came = "nothing" if found.get(name) is None else f"shape {found[name].shape}"
                expected = f"expected a gradient of {array.shape}"
                raise AssertionError(f"{layer.label}.backward gave {came} for {name}, {expected}")
        return {name: to_host(found[name]).copy() for name in arrays}


@contextmanager
def _from_zero(layer: Module) -> Iterator[dict[str, Parameter]]:
    """Set the gradients of all parameters to zero for a while; yield the parameters by name."""
    parameters = dict(layer.named_parameters())
    before = {name: p.grad.copy() for name, p in parameters.items()}
    layer.zero_grad()
    try:
        yield parameters
    finally:
        for name, p in parameters.items():
            p.grad[...] = before[name]


def check_adds_up(layer: Module, run: Callable, upstream, arrays: dict, once: dict[str, np.ndarray]) -> None:
    """Raise AssertionError unless forward and backward once more leave twice the gradients of `once`, to rounding."""
    floor = CLOSE / 100 * max((np.abs(gradient).max(initial=0.0) for gradient in once.values()), default=0.0)
    with _from_zero(layer) as parameters:
        for name, p in parameters.items():
            p.grad = once[name]
        _backward_alone(layer, run, upstream, arrays)
        for name, p in parameters.items():
            if not np.allclose(to_host(p.grad), 2 * once[name], rtol=CLOSE, atol=floor):
                raise AssertionError(
                    f"{layer.label}.backward is right once, but a second one does not add to the gradient of {name}: "
                    "expected += there"
                )


def _backward_alone(layer: Module, run: Callable, upstream, arrays: dict):
    """Run forward and backward; return what this returns. Raises AssertionError when they change what is not theirs."""
    dy = upstream.copy()
    before = {name: array.copy() for name, array in arrays.items()} | {"dy": upstream}
    run()
    returned = layer.backward(dy)
    for name, array in {**arrays, "dy": dy}.items():
        if not np.array_equal(to_host(array), to_host(before[name]), equal_nan=True):
            raise AssertionError(
                f"{layer.label} changes {name}, which others need as it was: work in an array of its own"
            )
    return returned
