"""The numerical gradient check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..backend import to_device, to_host
from ..module import Module
from ..utils import InputError
from .changed_in_place import find_changed_in_place
from .explain_gradients import explain
from .layer_gradients import LayerGradients, numeric_derivative

TOLERANCE = 1e-7
# the first fits most entries; smaller ones avoid a kink of ReLU, the last one rounding
STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-2)
CLOSE = 0.01  # an error this small a part of the tolerance needs no smaller step
SMALL = 1e-4  # entries below this part of the largest gradient are measured against it
TWICE = 1e-7  # relative error of two backwards against twice the gradient


@dataclass(frozen=True)
class GradientRow:
    """How well the gradient of one input or parameter agrees.

    Arguments:
        name: "input 0" or the name of a parameter.
        shape: Its shape.
        error: The relative error of the worst entry.
        worst: The index of the worst entry.
        analytic: Its gradient by backward.
        numeric: Its gradient by differences of forward.
        finding: What else is known of a wrong gradient.
    """

    name: str
    shape: tuple[int, ...]
    error: float
    worst: tuple[int, ...]
    analytic: float
    numeric: float
    finding: str = ""


@dataclass(frozen=True)
class GradientReport:
    """The result of `gradcheck`: one row per input or parameter; `ok` is the verdict.

    Arguments:
        title: The name of the layer.
        rows: The rows.
        tolerance: The largest relative error that counts as correct.
    """

    title: str
    rows: list[GradientRow]
    tolerance: float = TOLERANCE

    @property
    def largest_error(self) -> float:
        """The largest relative error of all rows."""
        return max((row.error for row in self.rows), default=0.0)

    @property
    def ok(self) -> bool:
        """Whether every row is within the tolerance."""
        return self.largest_error <= self.tolerance

    def require_ok(self) -> GradientReport:
        """Return the report. Raises AssertionError with the table unless every row is correct."""
        if not self.ok:
            raise AssertionError(f"wrong gradients, tolerance {self.tolerance:g}\n{self}")
        return self

    def __str__(self) -> str:
        width = 20
        for row in self.rows:
            width = max(width, len(row.name))
        lines = [self.title, f"  {'':{width}} {'shape':>14}  {'rel. error':>10}  worst entry"]
        for row in self.rows:
            line = f"  {row.name:{width}} {row.shape!s:>14}  {row.error:10.1e}  {row.worst}"
            if not row.error <= self.tolerance:
                line += f"  WRONG: {row.analytic:.6g}, not {row.numeric:.6g}"
            lines.append(line)
            if row.finding:
                lines.append(f"    {row.name} {row.finding}")
        return "\n".join(lines)


def gradcheck(
    layer: Any,
    *inputs: Any,
    rng: np.random.Generator | int | None = None,
    tolerance: float = TOLERANCE,
    entries: int | None = None,
) -> GradientReport:
    """Compare every gradient of `layer.backward` with a numeric derivative of `layer.forward`.

    The upstream gradient r is random, so the function that is differentiated is L = sum(r * y).
    Each entry is moved by a step h, and

        dL/dx = (8 (L(x+h) - L(x-h)) - (L(x+2h) - L(x-2h))) / 12h + O(h^4)

    Where this disagrees, smaller steps are tried, because there may be a kink of ReLU in between,
    and one ten times larger, because a large L may be rounded by more than it changes. The best
    agreement counts. The error of an entry is

        |analytic - numeric| / max(|analytic|, |numeric|, 1e-4 of the largest gradient of all)

    Random generators inside the layer are reset before each forward. Parameters, their gradients,
    random generators and the inputs are left as they were. What else forward changes, such as a
    running mean or what it keeps for backward, is that of the last call: no copy is made.

    Arguments:
        layer: A Module, or any object with `forward(*inputs)` and `backward(dy)`. Its forward
            returns one array. Its Parameters are checked. A plain array, such as
            self.W = np.ones(3), is not.
        inputs: The arguments of forward, in float64. Gradients are checked for arrays of floats.
        rng: The generator, or its seed, that draws r and the entries. None draws other numbers
            each time.
        tolerance: The largest relative error that counts as correct.
        entries: How many random entries of each array are checked; None checks all, and the
            report then says what is known of a wrong gradient.

    Raises `InputError` when `layer` has no forward or backward, when it or an input is not float64
    or is empty, when there is neither an array of floats nor a parameter, when `entries` is below
    1, when forward returns nothing or several arrays, and when backward gives a list, or more
    gradients than there are inputs. Raises AssertionError when backward gives no gradient for an
    input, or one of another shape; when an input, a parameter or dy is changed; and when a second
    backward does not add to the gradients of the parameters.

    >>> from npformer.layers import Linear
    >>> rng = np.random.default_rng(0)
    >>> linear = Linear(3, 5, rng=rng, dtype="float64")
    >>> report = gradcheck(linear, rng.normal(size=(2, 4, 3)), rng=rng)
    >>> [row.name for row in report.rows], report.ok
    (['input 0', 'weight', 'bias'], True)

    A function of one's own, with a mistake in its backward:

    >>> class Square:
    ...     def forward(self, x):
    ...         self.x = x
    ...         return x * x
    ...
    ...     def backward(self, dy):
    ...         return dy * self.x
    >>> gradcheck(Square(), rng.normal(size=4), rng=rng).rows[0].finding
    'is right except for a factor 1/2'
    """
    if entries is not None and entries < 1:
        raise InputError(f"entries = {entries}: expected 1 or more of each array, or None for all")
    layer = _as_module(layer)
    # entries are moved in place, and the arrays of the caller may be read-only
    copies = []
    for x in inputs:
        if hasattr(x, "dtype"):
            copies.append(to_device(np.array(to_host(x))))
        else:
            copies.append(x)
    check = LayerGradients.of(layer, copies)
    _check_arrays(check.arrays)

    # a stream of its own: with the seed that drew the inputs, r would repeat their numbers
    rng = np.random.default_rng(np.random.default_rng(rng).integers(2**63, size=2))
    originals = {name: array.copy() for name, array in check.arrays.items()}
    try:
        return _compare(check, rng, tolerance, entries)
    finally:
        # a layer that changes an array is reported, and must not leave it changed
        check.rewind()
        for name, array in check.arrays.items():
            array[...] = originals[name]


class _OwnLayer(Module):
    """A Module of another object: the Parameters and layers that it holds are its own."""

    def __init__(self, layer: Any):
        self.layer = layer

    def members(self, kind: type) -> list[tuple]:
        """Find Parameters, layers and generators in its attributes, as in those of a Module."""
        if not hasattr(self.layer, "__dict__"):
            return []
        # members looks at attributes alone, so the object need not be a Module
        return Module.members(self.layer, kind)

    @property
    def display_name(self) -> str:
        """The name of its class."""
        return type(self.layer).__name__

    def forward(self, *inputs: Any) -> Any:
        """Run its forward."""
        return self.layer.forward(*inputs)

    def backward(self, dy: Any) -> Any:
        """Run its backward."""
        return self.layer.backward(dy)


def _as_module(layer: Any) -> Module:
    """Return a layer as a Module. Raises `InputError` when it has no forward or backward."""
    if isinstance(layer, Module):
        return layer
    is_class = isinstance(layer, type)
    if is_class or not hasattr(layer, "forward") or not hasattr(layer, "backward"):
        kind = layer.__name__ if is_class else type(layer).__name__
        raise InputError(
            f"gradcheck got {kind}: expected a layer, an object with forward and backward, "
            "and its inputs"
        )
    return _OwnLayer(layer)


def _check_arrays(arrays: dict) -> None:
    """Raise `InputError` unless there is an array, and all are float64 and have entries."""
    if not arrays:
        raise InputError(
            "there is nothing to check: expected an array of float64 as input, or parameters"
        )
    for name, array in arrays.items():
        if array.dtype != np.float64:
            raise InputError(
                f"{name} is {array.dtype}: gradients are checked in float64, "
                "build with dtype='float64'"
            )
        if not array.size:
            raise InputError(
                f"{name} has the shape {array.shape}: expected one entry at least, to be checked"
            )


def _compare(
    check: LayerGradients, rng: np.random.Generator, tolerance: float, entries: int | None
) -> GradientReport:
    """Return the report of a gradient check, which leaves the last random states behind."""
    # random, because dy of ones hides errors: LayerNorm's gradient is then 0
    upstream = check.draw_upstream(rng)
    analytic = check.analytic(upstream)
    largest = 0.0
    for gradient in analytic.values():
        largest = max(largest, np.abs(gradient).max(initial=0.0))

    def loss() -> float:
        return float((check.forward() * upstream).sum())

    rows = []
    for name, array in check.arrays.items():
        indices = _choose_indices(array.shape, entries, rng)
        numeric = partial(numeric_derivative, array, loss=loss)
        row = _check_array(name, analytic[name], numeric, indices, SMALL * largest, tolerance)
        rows.append(row)
    report = GradientReport(check.layer.display_name, rows, tolerance)

    # of a gradient that is wrong once, twice of it says nothing
    if report.ok:
        _check_adding(check, upstream, analytic, TWICE / 100 * largest)
    else:
        wrong = [row.name for row in rows if not row.error <= tolerance]
        changed = find_changed_in_place(check, upstream)
        if changed:
            findings = dict.fromkeys(wrong, changed)
        else:
            findings = explain(check, wrong) if entries is None else {}
        rows = [replace(row, finding=findings.get(row.name, "")) for row in rows]
        report = replace(report, rows=rows)
    return report


def _choose_indices(
    shape: tuple[int, ...], entries: int | None, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return the indices of all entries of an array, or of some random ones."""
    size = math.prod(shape)
    chosen = np.arange(size)
    if entries is not None and entries < size:
        chosen = np.sort(rng.choice(size, entries, replace=False))
    indices = []
    for i in chosen:
        index = np.unravel_index(i, shape)
        indices.append(tuple(map(int, index)))
    return indices


def _check_array(
    name: str,
    analytic: np.ndarray,
    numeric: Callable,
    indices: list[tuple],
    floor: float,
    tolerance: float,
) -> GradientRow:
    """Compare the chosen entries of one array's gradient, and return the row of the worst.

    `numeric(index, step)` estimates an entry. Where either side is NaN the error is infinite.
    """
    # below every error, so that the first entry takes its place
    worst = GradientRow(name, analytic.shape, -1.0, (), 0.0, 0.0)
    for index in indices:
        value = float(analytic[index])
        error = math.inf
        closest = math.nan
        for step in STEPS:
            estimate = numeric(index, step)
            # where a layer's gradients are all 0, so is the floor
            size = max(abs(value), abs(estimate), floor, np.finfo(float).tiny)
            distance = abs(value - estimate) / size
            if math.isnan(closest) or distance < error:
                error = math.inf if math.isnan(distance) else distance
                closest = estimate
            if error <= CLOSE * tolerance:
                break
        if error > worst.error:
            worst = GradientRow(name, analytic.shape, error, index, value, closest)
    return worst


def _check_adding(
    check: LayerGradients, upstream, once: dict[str, np.ndarray], floor: float
) -> None:
    """Raise AssertionError unless a second backward leaves twice the gradients of `once`."""
    twice = check.analytic(upstream, start=once)
    for name, _ in check.layer.named_parameters():
        if not np.allclose(twice[name], 2 * once[name], rtol=TWICE, atol=floor):
            raise AssertionError(
                f"after one backward of {check.layer.display_name} all gradients are right, but a "
                f"second one does not add to the gradient of {name}: expected += there"
            )
