"""The findings of a gradient check that fails: a factor, a region, another array."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..backend import dtype_kind, to_device, to_host
from ..module import Module
from . import diagnose as facts
from .gradient_report import GradientReport
from .mismatch import Wrong

MAX_ENTRIES = 500  # of all wrong gradients together: each is differentiated a few more times
STEP, NOISE = 1e-4, 1e-9
SEED = 1507, 6450  # unlikely to be the seed of an input
LETTERS = {1: "N", 2: "N", 3: "BT"}  # the axes of the first input that can be shortened
Both = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Check:
    """A layer whose gradients are checked: `analytic` and `numeric` are backward's and forward's gradients."""

    layer: Module
    inputs: list
    rewind: Callable
    analytic: Callable
    numeric: Callable

    def gradients(self, names: list[str]) -> Both:
        """Return what backward gives by name, and what forward's differences give, for every entry."""
        upstream = None

        def run():
            self.rewind()
            return self.layer.forward(*self.inputs)

        def loss():
            return float((run() * upstream).sum())

        arrays, shape = {**self.arrays()}, np.shape(run())
        upstream = to_device(np.random.default_rng(SEED).normal(size=shape))
        analytic = self.analytic(self.layer, run, upstream, arrays)
        both = {}
        for name in names:
            shape = arrays[name].shape
            numeric = np.array([self.numeric(arrays[name], i, STEP, loss) for i in np.ndindex(shape)]).reshape(shape)
            noise = NOISE * max(np.abs(numeric).max(initial=0.0), 1.0)
            both[name] = analytic[name], np.where(np.abs(numeric) > noise, numeric, 0)
        return both

    def arrays(self) -> dict:
        """Return the inputs of floats and the parameters, by name."""
        kinds = {i: dtype_kind(x) for i, x in enumerate(self.inputs)}
        inputs = {f"input {i}": self.inputs[i] for i, kind in kinds.items() if kind == "f"}
        return inputs | {name: p.data for name, p in self.layer.named_parameters()}

    def known(self) -> dict:
        """Return copies of all arrays, on the host, by name."""
        inputs = {f"input {i}": x for i, x in enumerate(self.inputs) if hasattr(x, "dtype")}
        return {name: to_host(x).copy() for name, x in (inputs | self.arrays()).items()}

    def cut(self, axis: int, length: int) -> Check:
        """Return the check with an axis of the first input cut, and of every input that has it."""
        n, first = self.inputs[0].shape[axis], (slice(None),) * axis + (slice(length),)
        fitting = [getattr(x, "shape", ())[axis : axis + 1] == (n,) for x in self.inputs]
        inputs = [x[first].copy() if fits else x for x, fits in zip(self.inputs, fitting, strict=True)]
        return replace(self, inputs=inputs)


def explained(report: GradientReport, check: Check) -> GradientReport:
    """Return the report with what was found out about its wrong rows."""
    names = [row.name for row in report.rows if not row.error <= report.tolerance]
    if sum(check.arrays()[name].size for name in names) > MAX_ENTRIES or not check.inputs:
        return report
    with np.errstate(all="ignore"):
        found = _facts_of(check, names)
    return replace(report, rows=[replace(row, finding=found.get(row.name, "")) for row in report.rows])


def _facts_of(check: Check, names: list[str]) -> dict[str, str]:
    """Return what holds of the wrong gradients, here and where the batch and the length are one less."""
    letters = LETTERS.get(np.ndim(check.inputs[0]), "")
    lengths = dict(zip(letters, np.shape(check.inputs[0]), strict=False))
    if (here := _attempt(check, names)) is None:
        return {}
    draws = [(check, here, lengths)]
    for axis, (letter, n) in enumerate(lengths.items()):
        if n > 1 and (both := _attempt(shorter := check.cut(axis, n - 1), names)):
            draws.append((shorter, both, {**lengths, letter: n - 1}))
    varied = [letter for letter in lengths if len({sizes[letter] for _, _, sizes in draws}) > 1]
    sizes = [{letter: sizes[letter] for letter in varied} for _, _, sizes in draws]
    found = {}
    for name in names:
        got, expected = ([both[name][side] for _, both, _ in draws] for side in (0, 1))
        fact = facts.find(Wrong(got, expected, sizes, [one.known() for one, _, _ in draws]))
        if fact:
            named = re.findall(r"\b[A-Z]\b", fact.id) if "factor" in fact.id else []
            told = [f"{letter} = {lengths[letter]}" for letter in varied if letter in named]
            found[name] = fact.text + (f" ({', '.join(told)})" if told else "")
    return found


def _attempt(check: Check, names: list[str]) -> Both | None:
    """Return the gradients, or None where the layer does not take such inputs."""
    try:
        return check.gradients(names)
    except Exception:  # a layer may refuse other inputs in whichever way it likes
        return None
