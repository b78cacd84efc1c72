"""The Transformer: the whole of figure 1.

Next: layers/loss.py
"""

import numpy as np

from ..backend import Array, to_device
from ..module import Module
from ..utils import InputError, Rng
from .config import TransformerConfig, check_config
from .decoder import Decoder
from .embeddings import make_embedding, make_generator
from .encoder import Encoder
from .masks import padding_mask, target_mask


class Transformer(Module):
    """Encode the source, decode the target, and score every token as the next one.

    `forward(src, tgt)` takes source ids (B, S) and the target shifted right (B, T), both padded with `config.pad_id`,
    and returns logits (B, T, V). `backward(dlogits)` adds to the gradient of every parameter. Source, target and
    generator share one table unless `config.tie` says otherwise (section 3.4). Weights and dropout draw from `rng`. One
    number at a time it is `transformer` in tests/slow_formulas.py.

    Raises `InputError` when ids are not integers, out of range, longer than max_len, empty, not of two axes, or of
    different batch sizes.

    >>> config = TransformerConfig.tiny(src_vocab_size=20, tgt_vocab_size=20)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> src, tgt = np.array([[4, 5, 6, 3], [7, 3, 0, 0]]), np.array([[2, 8, 9], [2, 8, 0]])
    >>> logits = model.forward(src, tgt)
    >>> logits.shape
    (2, 3, 20)
    >>> model.backward(logits)
    >>> len(model.parameters())
    85
    """

    def __init__(self, config: TransformerConfig, *, rng: Rng = None):
        check_config(config, TransformerConfig)
        rng = np.random.default_rng(rng)
        self.config = config
        src_embedding = make_embedding(config.src_vocab_size, config, rng=rng)
        src_table = src_embedding.table if config.tie == "all" else None
        tgt_embedding = make_embedding(config.tgt_vocab_size, config, table=src_table, rng=rng)
        tgt_table = tgt_embedding.table if config.tie != "none" else None
        self.encoder = Encoder(src_embedding, config, rng=rng)
        self.decoder = Decoder(tgt_embedding, config, rng=rng)
        self.generator = make_generator(config.tgt_vocab_size, config, table=tgt_table, rng=rng)

    def forward(self, src, tgt):  # (B, S), (B, T)
        src, tgt = to_device(src), to_device(tgt)
        if src.ndim and tgt.ndim and len(src) != len(tgt):
            raise InputError(f"src has {len(src)} sentences and tgt {len(tgt)}: expected as many targets as sources")
        return self.decode(tgt, *self.encode(src))  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dy = self.generator.backward(dlogits)  # (B, T, D)
        _, dmemory = self.decoder.backward(dy)  # (B, S, D)
        self.encoder.backward(dmemory)

    def encode(self, src: Array) -> tuple[Array, Array]:  # (B, S)
        """Return the memory (B, S, D) of source ids and its mask (B, 1, S): the first half of forward."""
        mask = padding_mask(src, self.config.pad_id)
        return self.encoder.forward(src, mask), mask

    def decode(self, tgt: Array, memory: Array, memory_mask: Array) -> Array:  # (B, T), (B, S, D), (B, 1, S)
        """Return the logits (B, T, V) of target ids: the second half of forward."""
        y = self.decoder.forward(tgt, memory, target_mask(tgt, self.config), memory_mask)  # (B, T, D)
        return self.generator.forward(y)
