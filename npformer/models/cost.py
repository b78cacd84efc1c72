"""How many multiplications a model takes: counted from its config, for the training cost of paper table 2."""

from collections.abc import Iterable
from typing import NamedTuple

from .classifier import ClassifierConfig
from .config import ColumnConfig, TransformerConfig
from .language_model import LanguageModelConfig

PAPER_FLOPS = {"base": 3.3e18, "big": 2.3e19}  # table 2; a multiply-add is two of them


class Cost(NamedTuple):
    """Multiply-adds of all products of matrices, on the way forward and on the way back."""

    forward: int
    backward: int

    @property
    def total(self) -> int:
        return self.forward + self.backward


def multiplications(config: ColumnConfig, shape: tuple[int, ...]) -> Cost:
    """Return the cost of one batch: of (B, S, T) sentences for a Transformer, of (B, length) texts for the others.

    Padding is multiplied too, and counts. A product of matrices (n, m) and (m, p) is n m p multiply-adds, and backward
    makes two of its size: one for each factor. Only mean pooling has none on its way back. Layers that
    recompute have their forward in backward once more. Sums that are computed as products with a vector of ones,
    look-ups and what works entry by entry are no products of matrices; the zeros that a convolution lays between texts
    are not counted.

    >>> base = TransformerConfig.base(src_vocab_size=37000, tgt_vocab_size=37000)
    >>> cost = multiplications(base, (1, 25, 25))
    >>> f"{cost.forward:.2e} {cost.total:.2e}"
    '1.59e+09 4.76e+09'
    """
    batch, *lengths = shape
    if isinstance(config, TransformerConfig):
        (layers, ends), pooled = translated(config, *lengths), 0
    elif isinstance(config, ClassifierConfig):
        (layers, ends), pooled = classified(config, *lengths), pooling(config, *lengths)
    else:
        (layers, ends), pooled = continued(config, *lengths), 0
    again = layers if config.recompute else 0
    return Cost(batch * (layers + ends + pooled), batch * (2 * (layers + ends) + again))


def total_cost(config: ColumnConfig, shapes: Iterable[tuple[int, ...]]) -> int:
    """Return the multiply-adds, forward and backward, of batches of these shapes."""
    return sum(multiplications(config, shape).total for shape in shapes)


def cost_in_words(multiply_adds: int) -> str:
    """Say in two lines what a run cost, beside the paper's, which is not counted but is what its GPUs could have done.

    >>> print(cost_in_words(1_234_000_000_000))
    1.2e+12 multiply-adds in products of matrices, counted forward and backward: 2.5e+12 FLOPs
    (table 2 has 3.3e+18 for the base model and 2.3e+19 for the big one: not counted, but hours x what the GPUs can do)
    """
    cost = f"{multiply_adds:.1e} multiply-adds in products of matrices, counted forward and backward"
    papers = f"table 2 has {PAPER_FLOPS['base']:.1e} for the base model and {PAPER_FLOPS['big']:.1e} for the big one"
    return f"{cost}: {2 * multiply_adds:.1e} FLOPs\n({papers}: not counted, but hours x what the GPUs can do)"


def translated(config: TransformerConfig, n_source: int, n_target: int) -> tuple[int, int]:
    """Return the multiply-adds forward of one sentence pair, in the layers and at both of their ends."""
    encoder_layer = self_attention(config, n_source) + feed_forward(config, n_source)
    decoder_layer = self_attention(config, n_target) + attention(config, n_target, n_source)
    decoder_layer += feed_forward(config, n_target)
    layers = config.n_encoder_layers * encoder_layer + config.n_decoder_layers * decoder_layer
    ends = embedded(config, n_source) + embedded(config, n_target) + scored(config, n_target, config.tgt_vocab_size)
    return layers, ends


def continued(config: LanguageModelConfig, length: int) -> tuple[int, int]:
    """Return those of one text for a language model."""
    layers = config.n_decoder_layers * (self_attention(config, length) + feed_forward(config, length))
    return layers, embedded(config, length) + scored(config, length, config.vocab_size)


def classified(config: ClassifierConfig, length: int) -> tuple[int, int]:
    """Return those of one text for a classifier, but for its pooling."""
    if config.reader == "attention":
        layer = self_attention(config, length) + feed_forward(config, length)
    else:
        layer = 6 * length * config.d_model**2  # both replaced kinds; see models/replaced.py
    return config.n_encoder_layers * layer, embedded(config, length) + config.d_model * config.n_classes


def pooling(config: ClassifierConfig, length: int) -> int:
    """Return those of the mean over a text, which is a product with weights; other pooling has none."""
    return length * config.d_model if config.pooling == "mean" else 0


def embedded(config: ColumnConfig, length: int) -> int:
    """Return those of the map into d_model, where the embeddings have another width."""
    width = config.table_width
    return length * width * config.d_model if width != config.d_model else 0


def scored(config: ColumnConfig, length: int, vocab_size: int) -> int:
    """Return those of the generator, and of the map before it where it shares a table of another width."""
    if config.tie == "none" or config.table_width == config.d_model:
        return length * config.d_model * vocab_size
    return length * (config.d_model + vocab_size) * config.table_width


def feed_forward(config: ColumnConfig, length: int) -> int:
    """Return those of the two maps of equation 2."""
    return 2 * length * config.d_model * config.d_ff


def self_attention(config: ColumnConfig, length: int) -> int:
    """Return those of a self-attention; one that is restricted to r neighbours scores r + 1 keys a query.

    Positions beyond either end, and what the blocks multiply beside the neighbourhood, are not taken out or added; nor
    are, of attention by blocks, the tiles in the future that it leaves out and the scores that backward makes anew.
    """
    projections = attention(config, length, 0) + attention(config, 0, length)
    scored_keys = length if config.neighbours is None else min(config.neighbours + 1, length)
    return projections + length * scored_keys * sum(all_heads(config))


def attention(config: ColumnConfig, n_queries: int, n_keys: int) -> int:
    """Return those of a multi-head attention: W^Q and W^O of the queries, W^K and W^V of the keys, and equation 1."""
    widths = sum(all_heads(config))
    return (n_queries + n_keys) * config.d_model * widths + n_queries * n_keys * widths


def all_heads(config: ColumnConfig) -> tuple[int, int]:
    """Return the widths of the keys and of the values of all heads together."""
    d_k, d_v = (config.n_heads * (d or config.d_model // config.n_heads) for d in (config.d_k, config.d_v))
    return d_k, d_v
