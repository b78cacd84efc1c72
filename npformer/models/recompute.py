"""Layers of a column that forget what their forward left, and work it out again: less memory, a forward more."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, wraps

import numpy as np

from ..base import switched_here
from ..layers.plain_way import blockwise_in, going_plain
from ..module import Module


class Recomputed(Module):
    """Mixed into a kind of layer: of a forward its inputs alone stay, and backward runs it once more.

    Chen et al. 2016, section 4.1. In between, only the inputs of each layer are in memory, and what a single layer's
    backward needs. The second forward draws the random numbers of the first and drops out as it did; after it the
    generators stand where they stood, so that gradients and every later number are, bit for bit, those without it.
    Weights, and a dropout's p, must not change between forward and backward. Whether an attention goes by blocks may:
    inside a trace it does not, and then it drops out otherwise.
    """

    def forward(self, *inputs, **named):
        states = [rng.bit_generator.state for rng in self.generators()]
        switches = [module.now for _, module in self.named_modules()]
        plain_below = [attention.plain_below for attention in blockwise_in(self)]
        with switched_here(self.by_module(now._replace(remember=False) for now in switches)):
            y = super().forward(*inputs, **named)
        return self.remember(y, inputs, named, states, switches, plain_below)

    def backward(self, dy):
        inputs, named, states, switches, plain_below = self.recall(dy)
        with (
            switched_here(self.by_module(switches)),
            drawing_from(self.generators(), states),
            going_plain(blockwise_in(self), plain_below),
        ):
            super().forward(*inputs, **named)
        return super().backward(dy)

    def __reduce__(self):  # a pickle finds the kind that was mixed with by its name, this class it would not
        return blank, (self.mixed_with,), vars(self)

    def by_module(self, switches) -> dict:
        """Return switches, given in the order of `named_modules`, by the ids of the modules."""
        return {id(module): own for (_, module), own in zip(self.named_modules(), switches, strict=True)}


@contextmanager
def drawing_from(generators: list[np.random.Generator], states: list) -> Iterator[None]:
    """Have generators draw from these states in a with block; afterwards each goes on from where it was before.

    >>> rng = np.random.default_rng(0)
    >>> state, first = rng.bit_generator.state, rng.integers(100)
    >>> with drawing_from([rng], [state]):
    ...     again = rng.integers(100)
    >>> bool(again == first), bool(rng.integers(100) == np.random.default_rng(0).integers(100, size=2)[1])
    (True, True)
    """
    before = [rng.bit_generator.state for rng in generators]
    try:
        put(states, generators)
        yield
    finally:
        put(before, generators)


def put(states: list, generators: list[np.random.Generator]) -> None:
    """Set each generator to its state."""
    for rng, state in zip(generators, states, strict=True):
        rng.bit_generator.state = state


@cache
def recomputed(kind: type[Module]) -> type[Module]:
    """Return a kind of layer that computes as `kind` does, by the same names, and remembers as `Recomputed` does.

    >>> from npformer.layers import ReLU
    >>> relu = recomputed(ReLU)()
    >>> relu, relu.forward(np.array([-1.0, 2.0])), relu.backward(np.array([3.0, 3.0]))
    (ReLU(), array([0., 2.]), array([0., 3.]))
    """

    class Kind(Recomputed, kind):
        @wraps(kind.forward)  # with the names of its arguments, which a trace shows
        def forward(self, *inputs, **named):
            return super().forward(*inputs, **named)

    Kind.mixed_with = kind
    Kind.__name__, Kind.__qualname__, Kind.__doc__ = kind.__name__, kind.__qualname__, kind.__doc__
    return Kind


def blank(kind: type[Module]) -> Module:
    """Return such a layer without anything in it, which a pickle fills."""
    made = recomputed(kind)
    return made.__new__(made)
