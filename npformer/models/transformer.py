"""The Transformer: the whole of figure 1.

Next: layers/loss.py
"""

from typing import Any

import numpy as np

from ..backend import Array, to_device
from ..layers import Embedding, Generator
from ..layers.masks import padding_mask, target_padding_mask
from ..module import Module
from ..utils import InputError, Rng
from .config import TransformerConfig, check_config
from .decoder import Decoder
from .encoder import Encoder


class Transformer(Module):
    """Encode the source, decode the target, and score every token as the next one.

    `forward(src, tgt)` takes source ids (B, S) and the target shifted right (B, T), both padded
    with `config.pad_id`, and returns logits (B, T, V). `backward(dlogits)` adds to the gradient of
    every parameter. `config.tie_embeddings` says which embedding tables are shared (section 3.4).
    See `transformer` in npformer/slow_formulas.py for the same formula with scalar loops.

    Arguments:
        config: A `TransformerConfig`. `Transformer.base`, `big` and `tiny` need none.
        rng: A generator or a seed for weights and dropout.

    Raises `InputError` when ids are not integers, out of range, longer than max_len, empty, not of
    two axes, or of different batch sizes.

    >>> model = Transformer.tiny(20, 20, rng=0)
    >>> src, tgt = np.array([[4, 5, 6, 3], [7, 3, 0, 0]]), np.array([[2, 8, 9], [2, 8, 0]])
    >>> logits = model(src, tgt)
    >>> logits.shape
    (2, 3, 20)
    >>> model.backward(logits)
    >>> len(model.parameters())
    86
    """

    def __init__(self, config: TransformerConfig, *, rng: Rng = None):
        check_config(config, TransformerConfig)
        rng = np.random.default_rng(rng)
        self.config = config

        d_model = config.d_model
        source = Embedding(config.src_vocab_size, d_model, rng=rng, dtype=config.dtype)
        shared = source.table if config.tie_embeddings == "all" else None
        target = Embedding(
            config.tgt_vocab_size, d_model, table=shared, rng=rng, dtype=config.dtype
        )
        self.encoder = Encoder(source, config, config.n_encoder_layers, rng=rng)
        self.decoder = Decoder(target, config, config.n_decoder_layers, rng=rng)
        table = None  # of its own
        if config.tie_embeddings != "none":
            table = target.table
        self.generator = Generator(
            config.tgt_vocab_size,
            d_model,
            table=table,
            bias=config.generator_bias,
            rng=rng,
            dtype=config.dtype,
        )

    @classmethod
    def base(
        cls, src_vocab_size: int, tgt_vocab_size: int, *, rng: Rng = None, **settings: Any
    ) -> "Transformer":
        """Return a model with the paper's base sizes; see `tiny`."""
        return cls._with_preset(
            TransformerConfig.base, src_vocab_size, tgt_vocab_size, rng, settings
        )

    @classmethod
    def big(
        cls, src_vocab_size: int, tgt_vocab_size: int, *, rng: Rng = None, **settings: Any
    ) -> "Transformer":
        """Return a model with the paper's big sizes; see `tiny`."""
        return cls._with_preset(
            TransformerConfig.big, src_vocab_size, tgt_vocab_size, rng, settings
        )

    @classmethod
    def tiny(
        cls, src_vocab_size: int, tgt_vocab_size: int, *, rng: Rng = None, **settings: Any
    ) -> "Transformer":
        """Return a small model: 2 + 2 layers, d_model 64, d_ff 256, 4 heads.

        The target's embedding and the generator share their table. If source and target have one
        vocabulary, `tie_embeddings="all"` shares all three.

        Arguments:
            src_vocab_size: The number of tokens of the source vocabulary.
            tgt_vocab_size: The number of tokens of the target vocabulary.
            rng: A generator or a seed for weights and dropout.
            settings: Other fields of `TransformerConfig`, by name.
        """
        return cls._with_preset(
            TransformerConfig.tiny, src_vocab_size, tgt_vocab_size, rng, settings
        )

    @classmethod
    def _with_preset(cls, preset, src_vocab_size, tgt_vocab_size, rng, settings) -> "Transformer":
        for name in settings:
            if name not in TransformerConfig.__dataclass_fields__:
                # as Python raises for an argument that a function does not have
                raise TypeError(f"{cls.__name__}.{preset.__name__}() has no setting {name!r}")
        # not the config's default, which needs one vocabulary for both sides
        settings = {"tie_embeddings": "target", **settings}
        config = preset(src_vocab_size=src_vocab_size, tgt_vocab_size=tgt_vocab_size, **settings)
        return cls(config, rng=rng)

    def forward(self, src, tgt):  # (B, S), (B, T)
        src = to_device(src)
        tgt = to_device(tgt)
        # ids without an axis have no length: padding_mask refuses them
        if src.ndim and tgt.ndim and len(src) != len(tgt):
            got = f"src has {len(src)} sentences and tgt {len(tgt)}"
            raise InputError(f"{got}: expected as many targets as sources")
        memory, memory_mask = self.encode(src)  # (B, S, D), (B, 1, S)
        return self.decode(tgt, memory, memory_mask)  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dy = self.generator.backward(dlogits)  # (B, T, D)
        _, dmemory = self.decoder.backward(dy)  # (B, S, D)
        self.encoder.backward(dmemory)

    def encode(self, src: Array) -> tuple[Array, Array]:  # (B, S)
        """Return the memory (B, S, D) of source ids and its mask (B, 1, S)."""
        mask = padding_mask(src, self.config.pad_id)  # (B, 1, S)
        return self.encoder.forward(src, mask), mask

    def decode(self, tgt: Array, memory: Array, memory_mask: Array) -> Array:
        """Return the logits (B, T, V) of target ids (B, T) and a memory."""
        mask = target_padding_mask(tgt, self.config.pad_id, self.config.start_id)  # (B, 1, T)
        y = self.decoder.forward(tgt, memory, mask, memory_mask)  # (B, T, D)
        return self.generator.forward(y)  # (B, T, V)
