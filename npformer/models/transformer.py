"""The Transformer: the whole of figure 1.

Next: layers/loss.py
"""

import numpy as np

from ..backend import Array, to_device
from ..layers import Embedding, Generator
from ..layers.masks import padding_mask, target_mask
from ..module import Module
from ..utils import InputError, Rng
from .config import TransformerConfig, check_config
from .decoder import Decoder
from .encoder import Encoder


class Transformer(Module):
    """Encode the source, decode the target, and score every token as the next one.

    `forward(src, tgt)` takes source ids (B, S) and the target shifted right (B, T), both padded with `config.pad_id`,
    and returns logits (B, T, V). `backward(dlogits)` adds to the gradient of every parameter. Source, target and
    generator share one table unless `config.tie` says otherwise (section 3.4). Weights and dropout draw from `rng`. One
    number at a time it is `transformer` in npformer/slow_formulas.py.

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
        d_model, how = config.d_model, {"rng": rng, "dtype": config.dtype}
        source = Embedding(config.src_vocab_size, d_model, **how)
        target = Embedding(
            config.tgt_vocab_size,
            d_model,
            table=source.table if config.tie == "all" else None,
            **how,
        )
        self.encoder = Encoder(source, config, config.n_encoder_layers, rng=rng)
        self.decoder = Decoder(target, config, rng=rng)
        table = target.table if config.tie != "none" else None
        self.generator = Generator(
            config.tgt_vocab_size, d_model, table=table, bias=config.generator_bias, **how
        )

    def forward(self, src, tgt):  # (B, S), (B, T)
        src, tgt = to_device(src), to_device(tgt)
        if src.ndim and tgt.ndim and len(src) != len(tgt):
            raise InputError(
                f"src has {len(src)} sentences and tgt {len(tgt)}: expected as many targets as sources"
            )
        memory, memory_mask = self.encode(src)  # (B, S, D), (B, 1, S)
        return self.decode(tgt, memory, memory_mask)  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dy = self.generator.backward(dlogits)  # (B, T, D)
        _, dmemory = self.decoder.backward(dy)  # (B, S, D)
        self.encoder.backward(dmemory)

    def encode(self, src: Array) -> tuple[Array, Array]:  # (B, S)
        """Return the memory (B, S, D) of source ids and its mask (B, 1, S): the first half of forward."""
        mask = padding_mask(src, self.config.pad_id)
        return self.encoder.forward(src, mask), mask

    def decode(
        self, tgt: Array, memory: Array, memory_mask: Array
    ) -> Array:  # (B, T), (B, S, D), (B, 1, S)
        """Return the logits (B, T, V) of target ids: the second half of forward."""
        y = self.decoder.forward(
            tgt, memory, target_mask(tgt, self.config.pad_id, self.config.start_id), memory_mask
        )  # (B, T, D)
        return self.generator.forward(y)
