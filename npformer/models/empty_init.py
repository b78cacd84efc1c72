"""Models whose weights will be loaded, made without drawing initial ones."""

from ..layers.init import zero_init
from ..module import Module
from .config import StackConfig


def make_empty_model(model_class: type[Module], config: StackConfig) -> Module:
    """Return a model whose weights start at zero; its dropout draws from seed 0.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = make_empty_model(Transformer, TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9))
    >>> float(model.generator.table.data.max())
    0.0
    """
    with zero_init():
        return model_class(config, rng=0)
