"""Which known mistake an answer has: the wrong variant that gives the same numbers on every draw."""

from __future__ import annotations

import types
from dataclasses import replace

import numpy as np

from ..execution import Job, make_call
from ..exercise import Mistake, module_of
from ..report import Finding
from ..tolerance import error, same
from .part import View

FORWARDS, STEP, CLOSE = 240, 1e-4, 1e-6


def named(view: View) -> Finding | None:
    """Return the mistake of the exercise that gives the student's numbers; one that is right here does not count.

    On further draws it must give them too: on a few, two searches may well go wrong at the same sentences alone.
    Where its text is about all that it makes wrong, all the call's results must be those of the mistake.
    """
    every = [replace(view, index=i) for i in range(len(view.call.parts))]
    for mistake in view.case.exercise.mistakes:
        concerned = [view] if mistake.of_each_part else [other for other in every if spoils(mistake, other)]
        fits = spoils(mistake, view) and all(other.fits(values_of(mistake, other)) for other in concerned)
        if fits and lasts(mistake, view, concerned):
            return Finding("mistake", mistake.id, *mistake.told(view.name))
    return None


def lasts(mistake: Mistake, view: View, concerned: list[View]) -> bool:
    """Tell whether a mistake gives the student's numbers on further draws too, or the student gives none there."""
    if (more := view.with_more()) is None:
        return True
    module = module_of(view.case.exercise.mistaken(mistake))
    return all(gives(replace(more, index=other.index), module) for other in concerned)


def gives(view: View, module: types.ModuleType) -> bool:
    """Tell whether code gives the student's numbers."""
    for drawn, answer in zip(view.drawn, view.answers, strict=True):
        made = make_call(module, view.call, drawn.inputs)
        if made.state != "done" or len(made.values) != len(answer.values):
            return False
        if not same(answer.values[view.index], made.values[view.index]):
            return False
    return True


def values_of(mistake: Mistake, view: View) -> list[np.ndarray]:
    """Return what a mistake gives in place of the right values, a draw each."""
    return [values[view.index] for values in view.case.mistaken[mistake.id][view.call.name]]


def spoils(mistake: Mistake, view: View) -> bool:
    """Tell whether a mistake makes this result wrong."""
    return not all(map(same, values_of(mistake, view), view.right))


def gradient_of_wrong_forward(view: View, answers) -> Finding | None:
    """Tell that forward is wrong and this the true gradient of it, at a sample of entries on every draw.

    The exercise's `backward` says which call differentiates which, and by which inputs.
    """
    forward, inputs = view.case.exercise.backward.get(view.call.name, (None, {}))
    name = inputs.get(view.name)
    if name is None or forward not in answers or view.agrees:
        return None
    given, right = answers[forward], view.case.expected[forward]
    if any(a.state != "done" or isinstance(a.values[0], str) for a in given):
        return None
    if all(same(a.values[0], e[0]) for a, e in zip(given, right, strict=True)):
        return None
    rng, jobs, chosen = np.random.default_rng(0), [], []
    first_part = next(iter(view.case.exercise.call(forward).parts))
    for one, got, wanted, answer in zip(view.drawn, view.got, view.right, given, strict=True):
        x, dy = one.inputs[name], upstream(one.inputs, first_part, answer.values[0])
        if dy is None or got.shape != x.shape or got.shape != wanted.shape:
            return None
        n = min(x.size, FORWARDS // (2 * len(view.drawn)))
        far = np.argsort(-np.abs(got - wanted), axis=None)[: n // 2]
        rest = rng.permutation(np.setdiff1d(np.arange(x.size), far))[: n - len(far)]
        chosen.append((np.concatenate([far, rest]), dy))
        for flat in chosen[-1][0]:
            for step in (STEP, -STEP):
                moved = x.copy()
                moved.flat[flat] += step
                jobs.append(Job(forward, {**one.inputs, name: moved}))
    found = iter(view.again(jobs))
    for (entries, dy), got in zip(chosen, view.got, strict=True):
        numeric = []
        for _ in entries:
            pair = next(found), next(found)
            if any(a.state != "done" or isinstance(a.values[0], str) or a.values[0].shape != dy.shape for a in pair):
                return None
            plus, minus = ((a.values[0] * dy).sum() for a in pair)
            numeric.append((plus - minus) / (2 * STEP))
        if error(np.array(numeric), got.flat[entries]) > CLOSE:
            return None
    text = f"{view.name} is the true gradient of your forward, which is wrong itself"
    question = "What is right about this backward? Which part is to be looked at first?"
    return Finding("fact", "gradient_of_wrong_forward", text, question)


def upstream(inputs, name: str, y: np.ndarray) -> np.ndarray | None:
    """Return the drawn gradient from above of a forward's result (`dy`, or d and its name), 1 for a single number."""
    if y.shape == ():
        return np.ones(())
    drawn = inputs.get(f"d{name}", inputs.get("dy"))
    return drawn if getattr(drawn, "shape", None) == y.shape else None
