"""The settings that define a Transformer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.errors import InputError
from ..layers.checks import check_even, check_heads, check_sizes

CHOICES = {
    "norm": ("post", "pre"),
    "positions": ("sinusoidal", "learned"),
    "tie": ("all", "target", "none"),
    "dtype": ("float32", "float64"),
}
SIZES = ("src_vocab_size", "tgt_vocab_size", "d_model", "d_ff", "n_heads", "d_k", "d_v")
SIZES += ("n_encoder_layers", "n_decoder_layers", "max_len")
PROBABILITIES = ("dropout", "attention_dropout")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """Everything that fixes the shape of a model; the defaults are the paper's base model (table 3).

    d_k and d_v default to d_model / n_heads. `tie` says who shares an embedding table: "all" is the paper (source,
    target and generator, section 3.4), "target" is target and generator, "none" is three tables. `attention_bias`
    gives W^Q, W^K, W^V and W^O a bias. Token `pad_id` is never attended to.

    Raises `InputError` on construction when a setting is out of range or two do not fit together.

    >>> config = TransformerConfig(src_vocab_size=100, tgt_vocab_size=100)
    >>> config.d_model, config.n_heads, config.norm
    (512, 8, 'post')
    >>> TransformerConfig(src_vocab_size=100, tgt_vocab_size=90)
    Traceback (most recent call last):
    npformer.base.errors.InputError: tie = 'all' shares one table, but src_vocab_size = 100 and tgt_vocab_size = 90 \
differ: use one joint vocabulary, or tie = 'target'
    """

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    d_k: int | None = None
    d_v: int | None = None
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    dropout: float = 0.1
    attention_dropout: float = 0.0
    norm: str = "post"
    layer_norm_eps: float = 1e-6
    positions: str = "sinusoidal"
    max_len: int = 512
    tie: str = "all"
    attention_bias: bool = True
    pad_id: int = 0
    dtype: str = "float32"

    @classmethod
    def base(cls, **settings) -> TransformerConfig:
        """Return the paper's base model: 6 + 6 layers, d_model 512, d_ff 2048, 8 heads."""
        return cls(**settings)

    @classmethod
    def big(cls, **settings) -> TransformerConfig:
        """Return the paper's big model: 6 + 6 layers, d_model 1024, d_ff 4096, 16 heads, dropout 0.3."""
        return cls(**{"d_model": 1024, "d_ff": 4096, "n_heads": 16, "dropout": 0.3, **settings})

    @classmethod
    def small(cls, **settings) -> TransformerConfig:
        """Return a model for a small corpus: 3 + 3 layers, d_model 256, d_ff 512, 8 heads."""
        layers = {"n_encoder_layers": 3, "n_decoder_layers": 3}
        return cls(**{"d_model": 256, "d_ff": 512, "n_heads": 8, **layers, **settings})

    @classmethod
    def tiny(cls, **settings) -> TransformerConfig:
        """Return a model that learns the phrasebook in a minute: 2 + 2 layers, d_model 64, d_ff 256, 4 heads."""
        layers = {"n_encoder_layers": 2, "n_decoder_layers": 2}
        return cls(**{"d_model": 64, "d_ff": 256, "n_heads": 4, **layers, **settings})

    def __post_init__(self):
        sizes = {name: getattr(self, name) for name in SIZES}
        check_sizes(**{name: size for name, size in sizes.items() if size is not None or name not in ("d_k", "d_v")})
        for name, size in (*sizes.items(), ("pad_id", self.pad_id)):
            if isinstance(size, np.integer):  # JSON cannot hold these
                object.__setattr__(self, name, int(size))
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} = {getattr(self, name)!r}: expected one of {', '.join(map(repr, allowed))}")
        for name in PROBABILITIES:
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not 0 <= value < 1:
                raise InputError(f"{name} = {value!r}: expected a probability, 0 or more and below 1")
        self._check_combinations()

    def _check_combinations(self) -> None:
        check_heads(self.d_model, self.n_heads, self.d_k, self.d_v)
        if self.positions == "sinusoidal":
            check_even(self.d_model)
        if self.tie == "all" and self.src_vocab_size != self.tgt_vocab_size:
            raise InputError(
                f"tie = 'all' shares one table, but src_vocab_size = {self.src_vocab_size} and "
                f"tgt_vocab_size = {self.tgt_vocab_size} differ: use one joint vocabulary, or tie = 'target'"
            )
        if not isinstance(self.pad_id, int) or not 0 <= self.pad_id < min(self.src_vocab_size, self.tgt_vocab_size):
            raise InputError(f"pad_id = {self.pad_id!r}: expected an id of both vocabularies")
        if not isinstance(self.layer_norm_eps, float) or not 0 < self.layer_norm_eps < 1:
            raise InputError(f"layer_norm_eps = {self.layer_norm_eps!r}: expected a small number above 0, such as 1e-6")
        if not isinstance(self.attention_bias, bool):
            raise InputError(f"attention_bias = {self.attention_bias!r}: expected True or False")
