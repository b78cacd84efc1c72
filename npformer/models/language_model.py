"""The language model: a decoder without a source."""

import numpy as np

from ..backend import to_device
from ..layers import Embedding, Generator
from ..layers.masks import padding_mask
from ..layers.validation import check_ids_shape
from ..module import Module
from ..utils import Rng
from .config import check_config
from .language_model_config import LanguageModelConfig
from .language_model_layers import LanguageModelLayer, make_input_embedding
from .sublayers import make_final_norm, make_layers


class LanguageModelDecoder(Module):
    """A decoder without cross-attention: embed ids (B, T) and pass them through N layers."""

    def __init__(self, embedding: Embedding, config: LanguageModelConfig, *, rng: Rng):
        self.input_embedding = make_input_embedding(embedding, config, rng)
        self.layers = make_layers(LanguageModelLayer, config.n_decoder_layers, config, rng)
        self.norm = make_final_norm(config)

    def forward(self, ids, mask=None):  # (B, T)
        x = self.input_embedding.forward(ids)  # (B, T, D)
        for layer in self.layers:
            x = layer.forward(x, mask)
        if self.norm is not None:
            x = self.norm.forward(x)
        return x  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        if self.norm is not None:
            dy = self.norm.backward(dy)
        for layer in reversed(self.layers):
            dy = layer.backward(dy)
        self.input_embedding.backward(dy)


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
        embedding = Embedding(
            config.vocab_size,
            config.d_model,
            scale=config.embedding_scale,
            rng=rng,
            dtype=config.dtype,
        )
        self.decoder = LanguageModelDecoder(embedding, config, rng=rng)
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
        check_ids_shape(ids)
        mask = None
        if self.config.pad_id is not None:
            mask = padding_mask(ids, self.config.pad_id)  # (B, 1, T)
        y = self.decoder.forward(ids, mask)  # (B, T, D)
        return self.generator.forward(y)  # (B, T, V)

    def backward(self, dlogits):  # (B, T, V)
        dy = self.generator.backward(dlogits)  # (B, T, D)
        self.decoder.backward(dy)
