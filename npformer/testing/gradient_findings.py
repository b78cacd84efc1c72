"""What a gradient check that fails finds out: a factor, a place, an input with which the gradient would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from ..backend import dtype_kind, to_device, to_host
from ..module import Module
from . import diagnose as facts
from .gradient_report import GradientReport
from .mismatch import Wrong, agree

MOST_ENTRIES = 500  # of all wrong gradients together: each is differentiated about ten times more
STEP, NOISE = 1e-4, 1e-9
SEED = 1507, 6450  # such as nobody takes for inputs: dy = x is no random dy
LETTERS = {1: "N", 2: "N", 3: "BT"}  # by the axes of the first input: what can be cut
Both = dict[str, tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Check:
    """A layer whose gradients are checked: `analytic` and `numeric` are backward's and forward's gradients."""

    layer: Module
    inputs: list
    rewind: Callable
    analytic: Callable
    numeric: Callable

    def gradients(self, names: list[str], ones: bool = False) -> Both:
        """Return what backward gives by name, and what forward's differences give, for every entry."""
        upstream = None

        def run():
            self.rewind()
            return self.layer.forward(*self.inputs)

        def loss():
            return float((run() * upstream).sum())

        arrays, shape = {**self.arrays()}, np.shape(run())
        upstream = to_device(np.ones(shape) if ones else np.random.default_rng(SEED).normal(size=shape))
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
    if sum(check.arrays()[name].size for name in names) > MOST_ENTRIES or not check.inputs:
        return report
    with np.errstate(all="ignore"):
        found = facts_of(check, names)
        found |= simplest(check, [name for name in names if name not in found])
    return replace(report, rows=[replace(row, finding=found.get(row.name, "")) for row in report.rows])


def facts_of(check: Check, names: list[str]) -> dict[str, str]:
    """Return what holds of the wrong gradients, here and where the batch and the length are one less."""
    letters = LETTERS.get(np.ndim(check.inputs[0]), "")
    lengths = dict(zip(letters, np.shape(check.inputs[0]), strict=False))
    if (here := attempt(check, names)) is None:
        return {}
    draws = [(check, here, lengths)]
    for axis, (letter, n) in enumerate(lengths.items()):
        if n > 1 and (both := attempt(shorter := check.cut(axis, n - 1), names)):
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


def attempt(check: Check, names: list[str], ones: bool = False) -> Both | None:
    """Return the gradients, or None where the layer does not take such inputs."""
    try:
        return check.gradients(names, ones)
    except Exception:  # a layer may refuse other inputs in whichever way it likes
        return None


def simplest(check: Check, names: list[str]) -> dict[str, str]:
    """Return with which simpler inputs the wrong gradients are right and not 0."""
    found: dict[str, str] = {}
    for words, simpler, ones in simplifications(check):
        left = [name for name in names if name not in found]
        both = attempt(simpler, left, ones) if left else None
        for name, (got, expected) in (both or {}).items():
            if expected.any() and agree(got, expected):
                found[name] = f"is right when {words}"
    return found


def simplifications(check: Check) -> Iterator[tuple[str, Check, bool]]:
    """Yield simpler inputs: words for them, the check with them, and whether dy is all ones."""
    masks = [dtype_kind(x) == "b" for x in check.inputs]
    if any(masks) and not all(x.all() for x, is_mask in zip(check.inputs, masks, strict=True) if is_mask):
        inputs = [x | True if is_mask else x for x, is_mask in zip(check.inputs, masks, strict=True)]
        yield "the mask is True everywhere", replace(check, inputs=inputs), False
    with gains_at_one(check.layer) as moved:
        if moved:
            yield "gain = 1", check, False
    yield "dy is all ones", check, True
    for axis, letter in enumerate(LETTERS.get(np.ndim(check.inputs[0]), "")):
        if check.inputs[0].shape[axis] > 1:
            yield f"{letter} = 1", check.cut(axis, 1), False


@contextmanager
def gains_at_one(layer: Module) -> Iterator[bool]:
    """Set every parameter whose name ends in gain to 1 for a while, and say whether there is one."""
    gains = [p.data for name, p in layer.named_parameters() if name.endswith("gain")]
    before = [gain.copy() for gain in gains]
    try:
        for gain in gains:
            gain[...] = 1
        yield bool(gains)
    finally:
        for gain, kept in zip(gains, before, strict=True):
            gain[...] = kept
