"""The numerical gradient check."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..backend import to_device, to_host
from ..module import Module
from ..utils import InputError
from .explain_gradients import explain
from .layer_gradients import LayerGradients, numeric_derivative

TOLERANCE = 1e-7
STEPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-2)
CLOSE = 0.01  # an error this small a part of the tolerance needs no smaller step
SMALL = 1e-4  # entries below this part of the largest gradient are measured against it
TWICE = 1e-7  # relative error of two backwards against twice the gradient


@dataclass(frozen=True)
class GradientRow:
    """How well the gradient of one input or parameter agrees; `worst` is the index of the worst entry.

    `finding` says what else is known of a wrong one.
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
    """The result of `gradcheck`: one row per input or parameter; `ok` is the verdict."""

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
        """Raise AssertionError with the whole table unless every row is within the tolerance; return the report."""
        if not self.ok:
            raise AssertionError(f"wrong gradients, tolerance {self.tolerance:g}\n{self}")
        return self

    def __str__(self) -> str:
        width = max([len(row.name) for row in self.rows] + [20])
        lines = [self.title, f"  {'':{width}} {'shape':>14}  {'rel. error':>10}  worst entry"]
        for row in self.rows:
            verdict = (
                ""
                if row.error <= self.tolerance
                else f"  WRONG: {row.analytic:.6g}, not {row.numeric:.6g}"
            )
            lines.append(
                f"  {row.name:{width}} {row.shape!s:>14}  {row.error:10.1e}  {row.worst}{verdict}"
            )
            lines += [f"    {row.name} {row.finding}"] if row.finding else []
        return "\n".join(lines)


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
    the layer are reset before each forward. With `entries`, only n random entries of each array are checked;
    without, the report says what is known of a wrong gradient.

    The layer, its random generators and the inputs are left as they were. Raises `InputError` when `layer` is no
    Module, when it or an input is not float64 or is empty, or `entries` is below 1. Raises AssertionError when backward
    gives no gradient for an input, or one of another shape; when an input, a parameter or dy is changed; and when a
    second backward does not add to the parameters' gradients.

    >>> from npformer.layers import Linear
    >>> rng = np.random.default_rng(0)
    >>> report = gradcheck(Linear(3, 5, rng=rng, dtype="float64"), rng.normal(size=(2, 4, 3)), rng=rng)
    >>> [row.name for row in report.rows], report.ok
    (['input 0', 'weight', 'bias'], True)
    """
    if not isinstance(layer, Module):
        kind = layer.__name__ if isinstance(layer, type) else type(layer).__name__
        raise InputError(
            f"gradcheck got {kind}: expected a layer, a Module with forward and backward, and its inputs"
        )
    if entries is not None and entries < 1:
        raise InputError(f"entries = {entries}: expected 1 or more of each array, or None for all")
    rng = np.random.default_rng(
        np.random.default_rng(0 if rng is None else rng).integers(2**63, size=2)
    )
    check = LayerGradients.of(
        layer, [to_device(np.array(to_host(x))) if hasattr(x, "dtype") else x for x in inputs]
    )
    for name, array in check.arrays.items():
        if array.dtype != np.float64:
            raise InputError(
                f"{name} is {array.dtype}: gradients are checked in float64, build with dtype='float64'"
            )
        if not array.size:
            raise InputError(
                f"{name} has the shape {array.shape}: expected one entry at least, to be checked"
            )

    originals = {name: array.copy() for name, array in check.arrays.items()}
    try:
        upstream = check.draw_upstream(rng)
        analytic = check.analytic(upstream)
        floor = max(
            (np.abs(gradient).max(initial=0.0) for gradient in analytic.values()), default=0.0
        )

        rows = []
        for name, array in check.arrays.items():
            chosen = np.arange(array.size)
            if entries is not None and entries < array.size:
                chosen = np.sort(rng.choice(array.size, entries, replace=False))
            indices = [tuple(map(int, np.unravel_index(i, array.shape))) for i in chosen]
            numeric = partial(
                numeric_derivative, array, loss=lambda: float((check.forward() * upstream).sum())
            )
            rows.append(
                _check_array(name, analytic[name], numeric, indices, SMALL * floor, tolerance)
            )
        report = GradientReport(layer.label, rows, tolerance)
        if report.ok:
            _check_adding(check, upstream, analytic, TWICE / 100 * floor)
        elif entries is None:
            findings = explain(check, [row.name for row in rows if not row.error <= tolerance])
            report = replace(
                report, rows=[replace(row, finding=findings.get(row.name, "")) for row in rows]
            )
        return report
    finally:
        check.rewind()
        for name, array in check.arrays.items():
            array[...] = originals[name]


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
    worst = (-1.0, (), 0.0, 0.0)
    for index in indices:
        value, error, closest = float(analytic[index]), math.inf, math.nan
        for step in STEPS:
            estimate = numeric(index, step)
            distance = abs(value - estimate) / max(
                abs(value), abs(estimate), floor, np.finfo(float).tiny
            )
            if math.isnan(closest) or distance < error:
                error, closest = math.inf if math.isnan(distance) else distance, estimate
            if error <= CLOSE * tolerance:
                break
        if error > worst[0]:
            worst = (error, index, value, closest)
    return GradientRow(name, analytic.shape, *worst)


def _check_adding(
    check: LayerGradients, upstream, once: dict[str, np.ndarray], floor: float
) -> None:
    """Raise AssertionError unless forward and backward once more leave twice the gradients of `once`, to rounding."""
    twice = check.analytic(upstream, start=once)
    for name, _ in check.layer.named_parameters():
        if not np.allclose(twice[name], 2 * once[name], rtol=TWICE, atol=floor):
            raise AssertionError(
                f"{check.layer.label}.backward is right once, but a second one does not add to the gradient of {name}: "
                "expected += there"
            )
