"""The findings of a gradient check that fails: a factor, a region, another array."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..backend import to_host
from .facts import find
from .hypotheses import WrongGradient, fitting_hypotheses
from .layer_gradients import LayerGradients
from .mismatch import Mismatch

MAX_ENTRIES = 500  # of all wrong gradients together: each is differentiated a few more times
STEP, NOISE = 1e-4, 1e-9
SEED = 1507, 6450  # unlikely to be the seed of an input
LETTERS = {1: "N", 2: "N", 3: "BT"}  # the axes of the first input that can be shortened


def explain(check: LayerGradients, names: list[str]) -> dict[str, str]:
    """Return what holds of the wrong gradients of these arrays, here and where the batch and the length are one less.

    There is no finding about a layer without inputs, or about more entries than can be differentiated soon.
    """
    if not check.inputs or sum(check.arrays[name].size for name in names) > MAX_ENTRIES:
        return {}
    lengths = dict(
        zip(LETTERS.get(np.ndim(check.inputs[0]), ""), np.shape(check.inputs[0]), strict=False)
    )
    checks = [(check, lengths)]
    for axis, (letter, n) in enumerate(lengths.items()):
        checks += [(_cut(check, axis, n - 1), {**lengths, letter: n - 1})] if n > 1 else []
    with np.errstate(all="ignore"):
        draws = [
            (gradients, sizes) for one, sizes in checks if (gradients := _gradients(one, names))
        ]
        varying_letters = [
            letter for letter in lengths if len({sizes[letter] for _, sizes in draws}) > 1
        ]
        sizes = [{letter: sizes[letter] for letter in varying_letters} for _, sizes in draws]
        numbers = {str(n): n for array in check.arrays.values() for n in array.shape if n > 2}
        numbers |= {name: x for name, x in vars(check.layer).items() if isinstance(x, float)}
        findings = {}
        for name in names if draws else ():
            wrong = [gradients[name] for gradients, _ in draws]
            inputs = [numbers | w.arrays for w in wrong]
            fact = find(Mismatch([w.got for w in wrong], [w.right for w in wrong], sizes, inputs))
            texts = fitting_hypotheses(wrong) if not fact or fact.id != "close" else []
            if fact and not (
                texts and (fact.id == "factor" or fact.id.startswith("only"))
            ):  # these say less
                letters = re.findall(r"\b[A-Z]\b", fact.id) if "factor" in fact.id else []
                values = ", ".join(
                    f"{letter} = {lengths[letter]}"
                    for letter in varying_letters
                    if letter in letters
                )
                texts = [fact.text + (f" ({values})" if values else ""), *texts]
            findings[name] = "; also ".join(texts)
        return findings


def _gradients(check: LayerGradients, names: list[str]) -> dict[str, WrongGradient]:
    """Return what is known of the gradients of these arrays, or nothing where the layer refuses the inputs."""
    try:
        upstream, gradients = check.draw_upstream(np.random.default_rng(SEED)), {}
        analytic, y = check.analytic(upstream), to_host(check.forward())
        inputs = {f"input {i}": x for i, x in enumerate(check.inputs) if hasattr(x, "dtype")}
        arrays = {name: to_host(x).copy() for name, x in (inputs | check.arrays).items()}
        for name in names:
            jacobian = check.jacobian(name, STEP)
            jacobian[np.abs(jacobian) <= NOISE * max(np.abs(jacobian).max(initial=0.0), 1.0)] = 0
            gradients[name] = WrongGradient(
                analytic[name], jacobian, arrays[name], y, to_host(upstream), arrays
            )
        return gradients
    except Exception:  # a layer may refuse other inputs in whichever way it likes
        return {}


def _cut(check: LayerGradients, axis: int, length: int) -> LayerGradients:
    """Return the check with an axis of the first input cut, and of every input that has it."""
    n, first = check.inputs[0].shape[axis], (slice(None),) * axis + (slice(length),)
    fits = [getattr(x, "shape", ())[axis : axis + 1] == (n,) for x in check.inputs]
    return replace(
        check,
        inputs=[x[first].copy() if cut else x for x, cut in zip(check.inputs, fits, strict=True)],
    )
