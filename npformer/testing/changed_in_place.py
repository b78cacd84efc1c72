"""Arrays that are changed in place between forward and backward."""

from functools import partial
from typing import Any

import numpy as np

from ..backend import to_host
from ..module import Module
from ..utils.wrap_methods import wrap_methods
from .layer_gradients import LayerGradients


def find_changed_in_place(check: LayerGradients, upstream: Any) -> str:
    """Run forward and backward, and name a layer whose cached arrays change in between.

    Returns what a report says of it, empty where there is none.
    """
    copies: dict[int, list] = {}  # by id, because a module that is a dataclass has no hash
    changed: list[Module] = []

    def note_remember(module, remember, y, *values):
        copies[id(module)] = [_copied(value) for value in values]
        return remember(y, *values)

    def note_recall(module, recall, dy):
        values = recall(dy)
        for value, copy in zip(values, copies.pop(id(module), []), strict=False):
            if copy is not None and not np.array_equal(to_host(value), copy, equal_nan=True):
                changed.append(module)
        return values

    methods = []
    for module in check.layer.modules():
        methods.append((module, "remember", partial(note_remember, module)))
        methods.append((module, "recall", partial(note_recall, module)))
    with wrap_methods(methods):
        check.analytic(upstream)

    if not changed:
        return ""
    return (
        f"is wrong; an array that {changed[0].display_name} keeps for backward is changed in place "
        "before it: write h = h + y in the place of h += y"
    )


def _copied(value: Any) -> np.ndarray | None:
    """Return a copy of an array of numbers, and None of anything else."""
    if not hasattr(value, "dtype"):
        return None
    return to_host(value).copy()
