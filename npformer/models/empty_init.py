"""A model whose weights will be read: to draw them first takes its time."""

import numpy as np

from ..module import Module
from ..utils import random_generator
from .config import StackConfig


class Undrawn(np.random.Generator):
    """Draws nothing but zeros where weights start."""

    def uniform(self, low=0.0, high=1.0, size=None):
        """Return zeros."""
        return np.broadcast_to(0.0, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Return zeros."""
        return np.broadcast_to(0.0, size)


def undrawn(kind: type[Module], config: StackConfig) -> Module:
    """Return a model of this kind with weights that are zero, and a plain generator, of seed 0, for its dropout.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = undrawn(Transformer, TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9))
    >>> float(model.generator.table.data.max()), [type(rng).__name__ for rng in model.generators()]
    (0.0, ['Generator'])
    """
    drawn_from, plain = Undrawn(np.random.PCG64(0)), random_generator(0)
    model = kind(config, rng=drawn_from)
    for _, module in model.named_modules():
        for name, _ in module.members(Undrawn):
            setattr(module, name, plain)
    return model
