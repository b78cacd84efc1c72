"""The settings of a model: those of every encoder and decoder, and the Transformer's own."""

from dataclasses import dataclass

from ..layers.hyperparameter_checks import check_even_d_model, check_heads
from ..layers.initialization import INITS
from ..utils import InputError, Settings, setting

FLASH_FROM = 1024  # tokens, where tiles take a sixth of the memory
SOURCE_SPECIAL_TOKENS = ("eos", "both", "none")  # as in text.SPECIAL_TOKEN_AFFIXES
ACTIVATIONS = ("relu", "gelu", "silu")
POSITIONS = ("sinusoidal", "sinusoidal_concatenated", "learned")


@dataclass(frozen=True, kw_only=True)
class StackConfig(Settings):
    """The settings of an encoder or decoder; the defaults are the paper's base model.

    A setting that has no effect together with others is accepted, such as `attention` where
    `neighbors` says which positions are seen.
    """

    source_special_tokens = "eos"  # <eos> follows what is read, unless a subclass says otherwise

    d_model: int = setting(512, "width of every layer", least=1)
    d_ff: int = setting(2048, "width inside the feed-forward network", least=1)
    n_heads: int = setting(8, "attention heads", least=1)
    d_k: int | None = setting(
        None, "width of a head's queries and keys", least=1, none_is="d_model / n_heads"
    )
    d_v: int | None = setting(
        None, "width of a head's values", least=1, none_is="d_model / n_heads"
    )
    dropout: float = setting(
        0.1, "dropout on sub-layer outputs and embedding sums", least=0, below=1
    )
    attention_dropout: float = setting(0.0, "dropout on attention weights", least=0, below=1)
    activation: str = setting(
        "relu", "between the feed-forward network's linear maps", choices=ACTIVATIONS
    )
    norm: str = setting(
        "post",
        "LayerNorm after each residual sum, or before each sub-layer",
        choices=("post", "pre"),
    )
    # the paper does not give it; its authors' program has 1e-6
    layer_norm_eps: float = setting(1e-6, "LayerNorm's eps", above=0, below=1)
    final_norm: bool | None = setting(
        None, "a LayerNorm at the end of encoder and decoder", none_is="unless norm is post"
    )
    embedding_norm: bool = setting(False, "a LayerNorm after the embedding sum")
    positions: str = setting(
        "sinusoidal",
        "positional encoding; sinusoidal_concatenated: all sines first, as in Marian",
        choices=POSITIONS,
    )
    max_len: int = setting(512, "the longest text, in tokens", least=1)
    attention: str = setting(
        "auto",
        "plain: as in the paper; flash: FlashAttention-style (tiled), which saves memory on long "
        f"texts; auto: flash where max_len is {FLASH_FROM:,} or more",
        choices=("auto", "plain", "flash"),
    )
    neighbors: int | None = setting(
        None, "how many others a position sees in self-attention", least=1, none_is="all"
    )
    # not mentioned in the paper either
    attention_bias: bool = setting(True, "biases in W^Q, W^K, W^V, W^O")
    init: str = setting(
        "glorot",
        "initial matrices: Glorot uniform, normal, or normal for each head of W^Q, W^K, W^V",
        choices=tuple(INITS),
    )
    gradient_checkpointing: bool = setting(False, "less memory for one more forward")
    pad_id: int = setting(0, least=0)
    dtype: str = setting("float32", "type of all numbers", choices=("float32", "float64"))

    @property
    def is_flash(self) -> bool:
        """Whether attention is computed in tiles (`FlashAttention`)."""
        return self.attention == "flash" or (
            self.attention == "auto" and self.max_len >= FLASH_FROM
        )

    def __post_init__(self):
        super().__post_init__()
        self._check_heads()
        if self.positions.startswith("sinusoidal"):
            check_even_d_model(self.d_model)
        # one vocabulary, or those of source and target
        sizes = [size for name, size in vars(self).items() if name.endswith("vocab_size")]
        if self.pad_id is not None and any(self.pad_id >= size for size in sizes):
            whose = "the vocabulary"
            if len(sizes) > 1:
                whose = "both vocabularies"
            raise InputError(f"pad_id = {self.pad_id}: expected an id of {whose}")

    def _check_heads(self) -> None:
        check_heads(self.d_model, self.n_heads, self.d_k, self.d_v)


def check_config(config: StackConfig, kind: type[StackConfig]) -> None:
    """Raise `InputError` unless a config is of this kind."""
    if not isinstance(config, kind):
        raise InputError(f"config is a {type(config).__name__}: expected a {kind.__name__}")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(StackConfig):
    """The settings of a Transformer; the defaults are the paper's base model (table 3).

    d_k and d_v default to d_model / n_heads. `tie_embeddings` says who shares an embedding table:
    "all" is the paper (source, target and generator, section 3.4), "target" is target and
    generator, "none" is three tables. `attention_bias` gives W^Q, W^K, W^V and W^O a bias. Token
    `pad_id` is never attended to.

    Every target begins with token `start_id`. It may be `pad_id`, as in Marian, and is attended to,
    or <eos>, as in fairseq. `source_special_tokens` says which special tokens a source has.

    Raises `InputError` on construction when a setting is out of range or two do not fit together.

    >>> config = TransformerConfig(src_vocab_size=100, tgt_vocab_size=100)
    >>> config.d_model, config.n_heads, config.norm
    (512, 8, 'post')
    >>> TransformerConfig(src_vocab_size=100, tgt_vocab_size=90)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: tie_embeddings = 'all' shares one table, but src_vocab_size \
= 100 and tgt_vocab_size = 90 differ: use one joint vocabulary, or tie_embeddings = 'target'
    """

    src_vocab_size: int = setting(least=1)
    tgt_vocab_size: int = setting(least=1)
    n_encoder_layers: int = setting(6, "encoder layers", least=1)
    n_decoder_layers: int = setting(6, "decoder layers", least=1)
    tie_embeddings: str = setting(
        "all", "which embedding tables are shared", choices=("all", "target", "none")
    )
    generator_bias: bool = setting(False, "a bias in the generator")
    start_id: int = setting(2, "id of the token that targets begin with; 2 is <bos>", least=0)
    source_special_tokens: str = setting(
        "eos",
        "special tokens of a source: <eos> after it, <bos> before it too, or none",
        choices=SOURCE_SPECIAL_TOKENS,
    )

    @classmethod
    def base(cls, **settings) -> "TransformerConfig":
        """Return the config of the paper's base model.

        6 + 6 layers, d_model 512, d_ff 2048, 8 heads.
        """
        return cls(**settings)

    @classmethod
    def big(cls, **settings) -> "TransformerConfig":
        """Return the config of the paper's big model.

        6 + 6 layers, d_model 1024, d_ff 4096, 16 heads, dropout 0.3.
        """
        big = {"d_model": 1024, "d_ff": 4096, "n_heads": 16, "dropout": 0.3}
        return cls(**{**big, **settings})

    @classmethod
    def tiny(cls, **settings) -> "TransformerConfig":
        """Return the config of a model that learns the phrasebook in one to two minutes.

        2 + 2 layers, d_model 64, d_ff 256, 4 heads.
        """
        tiny = {
            "n_encoder_layers": 2,
            "n_decoder_layers": 2,
            "d_model": 64,
            "d_ff": 256,
            "n_heads": 4,
        }
        return cls(**{**tiny, **settings})

    def __post_init__(self):
        super().__post_init__()
        if self.start_id >= self.tgt_vocab_size:
            raise InputError(f"start_id = {self.start_id}: expected an id of the target vocabulary")
        if self.tie_embeddings == "all" and self.src_vocab_size != self.tgt_vocab_size:
            raise InputError(
                "tie_embeddings = 'all' shares one table, but "
                f"src_vocab_size = {self.src_vocab_size} and "
                f"tgt_vocab_size = {self.tgt_vocab_size} differ: use one joint vocabulary, "
                "or tie_embeddings = 'target'"
            )
