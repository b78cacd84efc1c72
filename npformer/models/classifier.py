"""The text classifier: an encoder, pooling, and a linear layer."""

from dataclasses import dataclass

import numpy as np

from ..backend import to_device
from ..layers import Embedding, FirstTokenPooling, Linear, MaxPooling, MeanPooling
from ..layers.masks import padding_mask
from ..module import Module
from ..utils import InputError, Rng, setting
from .baseline_layers import ConvolutionalLayer, RecurrentLayer
from .config import StackConfig, check_config
from .encoder import Encoder, EncoderLayer

ENCODER_LAYERS = {
    "attention": EncoderLayer,
    "lstm": RecurrentLayer,
    "convolution": ConvolutionalLayer,
}
POOLING = {"mean": MeanPooling, "first": FirstTokenPooling, "max": MaxPooling}


@dataclass(frozen=True, kw_only=True)
class ClassifierConfig(StackConfig):
    """The settings of a classifier.

    Encoders "lstm" and "convolution" have neither heads nor a feed-forward network: the settings of
    those have no effect then.

    Raises `InputError` on construction when a setting is out of range or two do not fit together.

    >>> config = ClassifierConfig(vocab_size=100, n_classes=6)
    >>> config.encoder, config.pooling
    ('attention', 'mean')
    """

    vocab_size: int = setting(least=1)
    n_classes: int = setting(least=2)
    n_encoder_layers: int = setting(6, "encoder layers", least=1)
    encoder: str = setting(
        "attention",
        "the encoder's layers; lstm and convolution are baselines",
        choices=tuple(ENCODER_LAYERS),
    )
    pooling: str = setting("mean", "how the positions' vectors become one", choices=tuple(POOLING))

    def __post_init__(self):
        super().__post_init__()
        if self.encoder == "lstm" and self.d_model % 2:
            raise InputError(
                f"d_model = {self.d_model} is odd: each direction of a bidirectional LSTM has half "
                "of it. Use an even d_model"
            )

    def _check_heads(self) -> None:
        if self.encoder == "attention":
            super()._check_heads()


class Classifier(Module):
    """Read a text and score every class: encoder, pooling, a linear layer.

        logits = pool(encoder(ids)) W + b

    `forward(ids)` takes ids (B, S), padded with `config.pad_id`, and returns logits (B, C).
    `backward(dlogits)` adds to the gradient of every parameter.

    Arguments:
        config: A `ClassifierConfig`.
        rng: A generator or a seed for weights and dropout.

    Raises `InputError` when ids are not integers, out of range, longer than max_len, empty, or not
    of two axes.

    >>> config = ClassifierConfig(
    ...     vocab_size=10, n_classes=3, d_model=8, d_ff=16, n_heads=2, n_encoder_layers=1
    ... )
    >>> model = Classifier(config, rng=0)
    >>> logits = model.forward(np.array([[4, 5, 6], [7, 0, 0]]))
    >>> logits.shape, model.backward(logits)
    ((2, 3), None)
    """

    def __init__(self, config: ClassifierConfig, *, rng: Rng = None):
        check_config(config, ClassifierConfig)
        rng = np.random.default_rng(rng)
        self.config = config
        embedding = Embedding(config.vocab_size, config.d_model, rng=rng, dtype=config.dtype)
        layer = ENCODER_LAYERS[config.encoder]
        self.encoder = Encoder(embedding, config, config.n_encoder_layers, rng=rng, layer=layer)
        self.pooling = POOLING[config.pooling]()
        self.output = Linear(
            config.d_model, config.n_classes, init=config.init, rng=rng, dtype=config.dtype
        )

    def forward(self, ids):  # (B, S)
        ids = to_device(ids)
        mask = padding_mask(ids, self.config.pad_id)  # (B, 1, S)
        memory = self.encoder.forward(ids, mask)  # (B, S, D)
        pooled = self.pooling.forward(memory, mask[:, 0])  # (B, D)
        return self.output.forward(pooled)  # (B, C)

    def backward(self, dlogits):  # (B, C)
        dpooled = self.output.backward(dlogits)  # (B, D)
        dmemory = self.pooling.backward(dpooled)  # (B, S, D)
        self.encoder.backward(dmemory)
