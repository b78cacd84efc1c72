"""The language model: a decoder without a source."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..backend import to_device
from ..layers import Embedding, Generator
from ..layers.masks import padding_mask
from ..module import Module
from ..utils import Rng, setting
from .config import StackConfig, check_config
from .encoder import Encoder, EncoderLayer


@dataclass(frozen=True, kw_only=True)
class LanguageModelConfig(StackConfig):
    """The settings of a language model.

    With `tie_embeddings` = "all" embedding and generator share their table.

    Raises `InputError` on construction when a setting is out of range or two do not fit together.

    >>> LanguageModelConfig(vocab_size=65, d_model=128, n_heads=4).n_decoder_layers
    6
    """

    vocab_size: int = setting(least=1)
    n_decoder_layers: int = setting(6, "decoder layers", least=1)
    tie_embeddings: str = setting(
        "all", "which embedding tables are shared", choices=("all", "none")
    )
    generator_bias: bool = setting(False, "a bias in the generator")


class DecoderOnly(Encoder):
    """A decoder without cross-attention: an encoder in which no position sees later ones."""

    def __init__(self, embedding: Embedding, config: LanguageModelConfig, *, rng: Rng):
        layer = partial(EncoderLayer, causal=True)
        super().__init__(embedding, config, config.n_decoder_layers, rng=rng, layer=layer)


class LanguageModel(Module):
    """Score, at each position of a text, every token as the next one.

    It is a decoder without cross-attention:

        P(token t + 1 | tokens 0 .. t) = softmax(logits_t)

    Radford et al. 2018, section 3.1, with the layers of Vaswani et al. `forward(ids)` takes ids
    (B, T) and returns logits (B, T, V); `backward(dlogits)` adds to the gradient of every
    parameter.

    Arguments:
        config: A `LanguageModelConfig`.
        rng: A generator or a seed for weights and dropout.

    Raises `InputError` when ids are not integers, out of range, longer than max_len, empty, or not
    of two axes.

    >>> config = LanguageModelConfig(
    ...     vocab_size=10, d_model=8, d_ff=16, n_heads=2, n_decoder_layers=1
    ... )
    >>> model = LanguageModel(config, rng=0)
    >>> logits = model.forward(np.array([[4, 5, 6]]))
    >>> logits.shape, model.backward(logits)
    ((1, 3, 10), None)
    """

    def __init__(self, config: LanguageModelConfig, *, rng: Rng = None):
        check_config(config, LanguageModelConfig)
        rng = np.random.default_rng(rng)
        self.config = config
        embedding = Embedding(config.vocab_size, config.d_model, rng=rng, dtype=config.dtype)
        self.decoder = DecoderOnly(embedding, config, rng=rng)
        table = None  # of its own
        if config.tie_embeddings == "all":
            table = embedding.table
        self.generator = Generator(
            config.vocab_size,
            config.d_model,
            table=table,
            bias=config.generator_bias,
            rng=rng,
            dtype=config.dtype,
        )

    def forward(self, ids):  # (B, T)
        ids = to_device(ids)
        mask = padding_mask(ids, self.config.pad_id)  # (B, 1, T)
        y = self.decoder.forward(ids, mask)  # (B, T, D)
        return self.generator.forward(y)  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dy = self.generator.backward(dlogits)  # (B, T, D)
        self.decoder.backward(dy)
