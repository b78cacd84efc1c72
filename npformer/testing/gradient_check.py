"""The numerical gradient check."""

import math
from collections.abc import Callable

import numpy as np

from ..backend import dtype_kind, to_device, to_host
from ..module import Module
from ..utils.errors import InputError
from ..utils.rng import random_generator
from .contract import analytic_gradients, check_adds_up, checked_run
from .gradient_findings import Check, explained
from .gradient_report import TOLERANCE, GradientReport, GradientRow

STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-2)
CLOSE = 0.01  # an error this small a part of the tolerance needs no smaller step
SMALL = 1e-4  # entries below this part of the largest gradient are measured against it


def gradcheck(
    layer: Module,
    *inputs,
    rng: np.random.Generator | int | None = None,
    tolerance: float = TOLERANCE,
    entries: int | None = None,
) -> GradientReport:
    """Compare every gradient that `layer.backward` returns or adds with a numeric derivative of `layer.forward`.

    `inputs` are the arguments of forward; gradients are checked for inputs of floats. The upstream gradient r is
    random, so the function that is differentiated is L = sum(r * y). Each entry is moved by a step h, and

        dL/dx = (8 (L(x+h) - L(x-h)) - (L(x+2h) - L(x-2h))) / 12h + O(h^4)

    Where this disagrees, smaller steps are tried, because there may be a kink of ReLU in between, and one ten times
    larger, because a large L may be rounded by more than it changes; the best agreement counts. The error of an entry
    is |analytic - numeric| / max(|analytic|, |numeric|, 1e-4 of the largest gradient of all). Random generators inside
    the layer are reset before each forward. With `entries`, only n random entries of each array are checked.

    The layer, its random generators and the inputs are left as they were. Raises `InputError` when `layer` is no
    Module, when it or an input is not float64 or is empty, or `entries` is below 1. Raises AssertionError when backward
    gives no gradient for an input, or one of another shape; when an input, a parameter or dy is changed; when forward
    uses a layer that named_modules() does not find; and when a second backward does not add to the parameters'
    gradients.

    >>> from npformer.layers import Linear
    >>> rng = np.random.default_rng(0)
    >>> report = gradcheck(Linear(3, 5, rng=rng, dtype="float64"), rng.normal(size=(2, 4, 3)), rng=rng)
    >>> [row.name for row in report.rows], report.ok
    (['input 0', 'weight', 'bias'], True)

    The report says what is known of a wrong gradient if all its entries were checked:

    >>> class Averaged(Linear):
    ...     def backward(self, dy):
    ...         return super().backward(dy / len(dy))
    >>> report = gradcheck(Averaged(3, 5, rng=rng, dtype="float64"), rng.normal(size=(2, 4, 3)), rng=rng)
    >>> report.rows[1].finding
    'is right except for a factor 1/B, as if a mean over B had been taken (B = 2)'
    """
    if not isinstance(layer, Module):
        came = layer.__name__ if isinstance(layer, type) else type(layer).__name__
        raise InputError(f"gradcheck got {came}: expected a layer, a Module with forward and backward, and its inputs")
    rng = np.random.default_rng(random_generator(0 if rng is None else rng).integers(2**63, size=2))
    inputs = [to_device(np.array(to_host(x))) if hasattr(x, "dtype") else x for x in inputs]
    arrays = {f"input {i}": x for i, x in enumerate(inputs) if is_float(x)}
    arrays |= {name: p.data for name, p in layer.named_parameters()}
    for name, array in arrays.items():
        if array.dtype != np.float64:
            raise InputError(f"{name} is {array.dtype}: gradients are checked in float64, build with dtype='float64'")
        if not array.size:
            raise InputError(f"{name} has the shape {array.shape}: expected one entry at least, to be checked")
    if entries is not None and entries < 1:
        raise InputError(f"entries = {entries}: expected 1 or more of each array, or None for all")

    kept = {name: array.copy() for name, array in arrays.items()}
    states = [(rng_inside, rng_inside.bit_generator.state) for rng_inside in layer.generators()]

    def rewind():
        for rng_inside, state in states:
            rng_inside.bit_generator.state = state

    def run():
        rewind()
        return layer.forward(*inputs)

    def loss():
        return float((run() * upstream).sum())

    try:
        upstream = to_device(rng.normal(size=np.shape(checked_run(layer, run))))
        analytic = analytic_gradients(layer, run, upstream, arrays)
        floor = SMALL * max((np.abs(gradient).max(initial=0.0) for gradient in analytic.values()), default=0.0)

        rows = []
        for name, array in arrays.items():
            chosen = np.arange(array.size)
            if entries is not None and entries < array.size:
                chosen = np.sort(rng.choice(array.size, entries, replace=False))
            rows.append(_check_array(name, array, analytic[name], chosen, loss, floor, tolerance))
        report = GradientReport(layer.label, rows, tolerance)
        if report.ok:
            check_adds_up(layer, run, upstream, arrays, analytic)
        elif entries is None:
            report = explained(report, Check(layer, inputs, rewind, analytic_gradients, numeric_derivative))
        return report
    finally:
        rewind()
        for name, array in arrays.items():
            array[...] = kept[name]


def is_float(x) -> bool:
    """Tell whether x is an array of floats."""
    return dtype_kind(x) == "f"


def _check_array(
    name: str, array, analytic: np.ndarray, chosen: np.ndarray, loss: Callable, floor: float, tolerance: float
) -> GradientRow:
    """Compare the chosen entries (flat indices) of one array's gradient, and return the row of the worst.

    Where either side is NaN the error is infinite.
    """
    worst = (-1.0, 0, 0.0, 0.0)
    for flat_index in chosen:
        index = np.unravel_index(flat_index, array.shape)
        given = float(analytic[index])
        error, numeric = math.inf, math.nan
        for step in STEPS:
            estimate = numeric_derivative(array, index, step, loss)
            distance = abs(given - estimate) / max(abs(given), abs(estimate), floor, np.finfo(float).tiny)
            if math.isnan(numeric) or distance < error:
                error, numeric = math.inf if math.isnan(distance) else distance, estimate
            if error <= CLOSE * tolerance:
                break
        if error > worst[0]:
            worst = (error, flat_index, given, numeric)
    error, flat_index, given, numeric = worst
    position = tuple(int(i) for i in np.unravel_index(flat_index, array.shape))
    return GradientRow(name, array.shape, error, position, given, numeric)


def numeric_derivative(array, index: tuple, step: float, loss: Callable) -> float:
    """Differentiate loss() with respect to one entry of an array, which is moved and then put back."""
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
