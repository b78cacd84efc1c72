"""The settings that define a model: those of every column of figure 1, and the Transformer's own."""

from dataclasses import dataclass

from ..layers.feed_forward import ACTIVATIONS
from ..layers.init import INITS
from ..layers.validation import check_even, check_heads
from ..utils import InputError, check_settings, setting

LONG = 1024  # tokens, from which on blocks pay, by tests/benchmarks/long_attention.py: a sixth of the memory
SOURCE_MARKS = ("eos", "both", "none")  # as in text.MARKS
POSITIONS = ("sinusoidal", "sinusoidal_halves", "learned")


@dataclass(frozen=True, kw_only=True)
class StackConfig:
    """What fixes the shape of a column of figure 1, encoder or decoder; the defaults are the paper's base model."""

    start_id = None  # no token stands before the first of a text, unless a kind of config has one
    source_marks = "eos"  # one token stands around what is read, unless a kind of config has it otherwise

    d_model: int = setting(512, "width of every layer", least=1)
    d_ff: int = setting(2048, "width inside the feed-forward network", least=1)
    n_heads: int = setting(8, "attention heads", least=1)
    d_k: int | None = setting(None, "width of a head's queries and keys", least=1, none_is="d_model / n_heads")
    d_v: int | None = setting(None, "width of a head's values", least=1, none_is="d_model / n_heads")
    d_word_vec: int | None = setting(None, "width of the embeddings, mapped into d_model", least=1, none_is="d_model")
    dropout: float = setting(0.1, "dropout on sub-layer outputs and embedding sums", least=0, below=1)
    attention_dropout: float = setting(0.0, "dropout on attention weights", least=0, below=1)
    activation: str = setting("relu", "between the feed-forward network's linear maps", choices=tuple(ACTIVATIONS))
    norm: str = setting("post", "LayerNorm after each residual sum, or before each part", choices=("post", "pre"))
    layer_norm_eps: float = setting(1e-6, "LayerNorm's eps", above=0, below=1)
    final_norm: bool | None = setting(None, "a LayerNorm at the end of each column", none_is="where norm is pre")
    embedding_norm: bool = setting(False, "a LayerNorm at the foot of each column, after the embedding sum")
    positions: str = setting("sinusoidal", "positional encoding; halves: all sines first", choices=POSITIONS)
    max_len: int = setting(512, "the longest text, in tokens", least=1)
    attention: str = setting(
        "auto",
        f"auto: by blocks from {LONG:,} tokens on, where max_len allows so many; plain: as the paper has it; "
        "blockwise: always by blocks; with neighbours it holds for cross-attention alone",
        choices=("auto", "plain", "blockwise"),
    )
    neighbours: int | None = setting(None, "positions around it that self-attention sees", least=1, none_is="all")
    attention_bias: bool = setting(True, "biases in W^Q, W^K, W^V, W^O")
    init: str = setting(
        "glorot", "how matrices start: uniform, normal, or normal with W^Q, W^K, W^V head by head", choices=tuple(INITS)
    )
    recompute: bool = setting(
        False, "forget what a layer's forward left, and work it out again in backward: less memory, a forward more"
    )
    pad_id: int = setting(0, least=0)
    dtype: str = setting("float32", "type of all numbers", choices=("float32", "float64"))

    @property
    def table_width(self) -> int:
        """How many features a row of an embedding table has."""
        return self.d_word_vec or self.d_model

    @property
    def blockwise_from(self) -> int | None:
        """From how many tokens on attention goes by blocks; None where that never comes."""
        if self.attention == "auto":
            return LONG if self.max_len >= LONG else None
        return 0 if self.attention == "blockwise" else None

    def __post_init__(self):
        check_settings(self)
        check_heads(self.d_model, self.n_heads, self.d_k, self.d_v)
        if self.positions != "learned":
            check_even(self.d_model)
        sizes = [size for name, size in vars(self).items() if name.endswith("vocab_size")]
        if any(self.pad_id >= size for size in sizes):
            whose = "both vocabularies" if len(sizes) > 1 else "the vocabulary"
            raise InputError(f"pad_id = {self.pad_id}: expected an id of {whose}")


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(StackConfig):
    """Everything that fixes the shape of a model; the defaults are the paper's base model (table 3).

    d_k and d_v default to d_model / n_heads. `tie` says who shares an embedding table: "all" is the paper (source,
    target and generator, section 3.4), "target" is target and generator, "none" is three tables. `attention_bias`
    gives W^Q, W^K, W^V and W^O a bias. Token `pad_id` is never attended to.

    Every target that is read begins with token `start_id`, in training and where one is written. It may be `pad_id`, as
    in Marian, and is attended to all the same, or <eos>, as in fairseq.
    `source_marks` says what stands around a source.

    Raises `InputError` on construction when a setting is out of range or two do not fit together.

    >>> config = TransformerConfig(src_vocab_size=100, tgt_vocab_size=100)
    >>> config.d_model, config.n_heads, config.norm
    (512, 8, 'post')
    >>> TransformerConfig(src_vocab_size=100, tgt_vocab_size=90)
    Traceback (most recent call last):
    npformer.utils.errors.InputError: tie = 'all' shares one table, but src_vocab_size = 100 and tgt_vocab_size = 90 \
differ: use one joint vocabulary, or tie = 'target'
    """

    src_vocab_size: int = setting(least=1)
    tgt_vocab_size: int = setting(least=1)
    n_encoder_layers: int = setting(6, "encoder layers", least=1)
    n_decoder_layers: int = setting(6, "decoder layers", least=1)
    tie: str = setting("all", "which embedding tables are one", choices=("all", "target", "none"))
    generator_bias: bool = setting(False, "a bias in the generator")
    start_id: int = setting(2, "id of the token that targets begin with; 2 is <bos>", least=0)
    source_marks: str = setting(
        "eos", "what stands around a source: <eos>, <bos> before it too, or none", choices=SOURCE_MARKS
    )

    @classmethod
    def base(cls, **settings) -> "TransformerConfig":
        """Return the paper's base model: 6 + 6 layers, d_model 512, d_ff 2048, 8 heads."""
        return cls(**settings)

    @classmethod
    def big(cls, **settings) -> "TransformerConfig":
        """Return the paper's big model: 6 + 6 layers, d_model 1024, d_ff 4096, 16 heads, dropout 0.3."""
        return cls(**{"d_model": 1024, "d_ff": 4096, "n_heads": 16, "dropout": 0.3, **settings})

    @classmethod
    def small(cls, **settings) -> "TransformerConfig":
        """Return a model for a small corpus: 3 + 3 layers, d_model 256, d_ff 512, 8 heads."""
        return cls(**{"d_model": 256, "d_ff": 512, "n_encoder_layers": 3, "n_decoder_layers": 3, **settings})

    @classmethod
    def tiny(cls, **settings) -> "TransformerConfig":
        """Return a model that learns the phrasebook in a minute: 2 + 2 layers, d_model 64, d_ff 256, 4 heads."""
        layers = {"n_encoder_layers": 2, "n_decoder_layers": 2}
        return cls(**{"d_model": 64, "d_ff": 256, "n_heads": 4, **layers, **settings})

    def __post_init__(self):
        super().__post_init__()
        if self.start_id >= self.tgt_vocab_size:
            raise InputError(f"start_id = {self.start_id}: expected an id of the target vocabulary")
        if self.tie == "all" and self.src_vocab_size != self.tgt_vocab_size:
            sizes = f"src_vocab_size = {self.src_vocab_size} and tgt_vocab_size = {self.tgt_vocab_size} differ"
            raise InputError(f"tie = 'all' shares one table, but {sizes}: use one joint vocabulary, or tie = 'target'")
