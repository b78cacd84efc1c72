"""Twins of layers, which share their weights; and whether they still are twins."""

import copy
from types import MethodType

import numpy as np

from ..base import held
from ..module import Module, Parameter
from .flat import FlatParameters

OWN = ("_memory", "_why_nothing", "switches")  # attributes of a layer that say nothing of how it computes


def replica(objective: Module, flat: FlatParameters, gradient, streams: dict) -> Module:
    """Copy layers, but not their weights: these are shared, and their gradients go into `gradient` (n,).

    `streams` has the copies of the random generators, by the original's id.
    """
    instead = dict(streams)
    stretches = dict(zip(map(id, flat.parameters), flat.stretches, strict=True))
    for p in objective.parameters():
        stretch = stretches.get(id(p))
        instead[id(p)] = Parameter(p.data, None if stretch is None else gradient[stretch].reshape(p.data.shape))
    return copy.deepcopy(objective, instead)


def settings_of(layer: Module) -> list:
    """Return all that a layer's attributes hold, and what is in lists, tuples, dicts and sets there, however deep.

    Of a Parameter it is the array, which may have been moved; and there are the two ways of the layer's class, for a
    process that was forked before one was exchanged has the old one.
    """
    own = (value for name, value in vars(layer).items() if name not in OWN)
    values = held([value for value in own if not isinstance(value, MethodType)])  # methods are a trace's
    ways = [getattr(type(layer), way, None) for way in ("forward", "backward")]
    return [value.data if isinstance(value, Parameter) else value for value in values] + ways


def alike(now: list[list], seen: list[list]) -> bool:
    """Tell whether the settings of all layers are what they were: equal numbers or texts, or else the same objects."""
    return all(
        len(new) == len(old) and all(a is b or equal(a, b) for a, b in zip(new, old, strict=True))
        for new, old in zip(now, seen, strict=True)
    )


def equal(a, b) -> bool:
    """Tell whether two values are equal numbers or texts.

    >>> equal(0.5, 1 / 2), equal(1, True), equal([1], [1])
    (True, False, False)
    """
    return type(a) is type(b) and isinstance(a, (int, float, str)) and a == b


def states_of(generators: list[np.random.Generator]) -> list[dict]:
    """Return where random generators stand."""
    return [rng.bit_generator.state for rng in generators]
