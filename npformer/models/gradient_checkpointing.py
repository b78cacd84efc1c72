"""Gradient checkpointing: less memory for one more forward."""

from typing import Any

from ..module import Module


class Checkpointed(Module):
    """A layer whose forward caches its inputs alone; backward computes the rest of the cache again.

    Chen et al. 2016, section 4.1. The second forward draws the random numbers of the first, and
    afterwards every generator continues as if there had been one: all results are those of the
    layer itself, bit for bit. Parameters and attributes are found under the layer's own names.

    Arguments:
        layer: The layer, such as an `EncoderLayer`.

    >>> import numpy as np
    >>> from npformer.layers import Dropout
    >>> layer = Checkpointed(Dropout(0.5, rng=4))
    >>> layer.forward(np.ones(6)).tolist(), layer.backward(np.ones(6)).tolist()
    ([0.0, 2.0, 0.0, 2.0, 0.0, 2.0], [0.0, 2.0, 0.0, 2.0, 0.0, 2.0])
    """

    def __init__(self, layer: Module):
        self.layer = layer

    def forward(self, *inputs):
        states = self._random_states()
        y = self.layer.forward(*inputs)
        # frees the caches of all layers inside, which is the purpose
        self.layer.forget()
        return self.remember(y, inputs, states)

    def backward(self, dy):
        inputs, states = self.recall(dy)
        # all layers of a model draw from one generator, which has moved on to other layers since
        later = self._random_states()
        self._set_random_states(states)
        self.layer.forward(*inputs)
        self._set_random_states(later)
        return self.layer.backward(dy)

    def _random_states(self) -> list:
        return [rng.bit_generator.state for rng in self.generators()]

    def _set_random_states(self, states: list) -> None:
        for rng, state in zip(self.generators(), states, strict=True):
            rng.bit_generator.state = state

    def __getattr__(self, name: str) -> Any:
        # called for what this module itself lacks, such as `self_attention` of an EncoderLayer
        if name == "layer":  # which is missing only while the module is copied or unpickled
            raise AttributeError(name)
        return getattr(self.layer, name)

    def _collect_modules(self, name: str, modules: list[tuple], seen: set[int]) -> None:
        # the layer's parameters have the names that they have without checkpointing
        modules.append((name, self))
        self.layer._collect_modules(name, modules, seen)
