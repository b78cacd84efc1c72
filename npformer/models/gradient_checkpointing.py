"""Gradient checkpointing: less memory for one more forward."""

from ..module import Module


class Checkpointed(Module):
    """A layer whose forward caches its inputs alone; backward computes the rest of the cache again.

    Chen et al. 2016, section 4.1. The second forward draws the random numbers of the first, and afterwards every
    generator continues as if there had been one: all results are those of the layer itself, bit for bit. The names of
    parameters are the layer's own, and so is every other attribute.

    >>> import numpy as np
    >>> from npformer.layers import Dropout
    >>> layer = Checkpointed(Dropout(0.5, rng=4))
    >>> layer.forward(np.ones(6)).tolist(), layer.backward(np.ones(6)).tolist()
    ([0.0, 2.0, 0.0, 2.0, 0.0, 2.0], [0.0, 2.0, 0.0, 2.0, 0.0, 2.0])
    """

    def __init__(self, layer: Module):
        self.layer = layer

    def __getattr__(self, name):
        if name == "layer":  # while it is copied or unpickled
            raise AttributeError(name)
        return getattr(self.layer, name)

    def named_modules(self, prefix: str = "") -> list[tuple]:
        return [(prefix.rstrip("."), self), *self.layer.named_modules(prefix)]

    def forward(self, *inputs):
        states = self._exchange_states()
        y = self.layer.forward(*inputs)
        self.layer.forget()
        return self.remember(y, inputs, states)

    def backward(self, dy):
        inputs, states = self.recall(dy)
        states = self._exchange_states(states)
        self.layer.forward(*inputs)
        self._exchange_states(states)
        return self.layer.backward(dy)

    def _exchange_states(self, states=None) -> list:
        """Return the states of the layer's random generators, and set them to others where these are given."""
        before = [rng.bit_generator.state for rng in self.generators()]
        for rng, state in zip(self.generators(), states or before, strict=True):
            rng.bit_generator.state = state
        return before
