"""How many multiplications a model takes: counted from its config, for the training cost of paper table 2."""

from typing import NamedTuple

from ..models.classifier import ClassifierConfig
from ..models.config import StackConfig, TransformerConfig
from ..models.language_model import LanguageModelConfig

PAPER_FLOPS = {"base": 3.3e18, "big": 2.3e19}  # table 2; a multiply-add is two of them


class Cost(NamedTuple):
    """Multiply-adds of all products of matrices, on the way forward and on the way back."""

    forward: int
    backward: int

    @property
    def total(self) -> int:
        return self.forward + self.backward


class Texts(NamedTuple):
    """The texts of one side of a batch: how many, how long with padding, and how many tokens are in all of them."""

    n: int
    length: int
    n_tokens: int


def multiplications(config: StackConfig, shape: tuple[int, ...], n_tokens: tuple[int, ...] | None = None) -> Cost:
    """Return the cost of one batch: of (B, S, T) sentences for a Transformer, of (B, length) texts for the others.

    `n_tokens` says for each side how many of its B S or B T places hold tokens, where texts are packed, as training has
    them: padding is then multiplied in equation 1 and in pooling alone. Without it padding counts as tokens do.

    A product of matrices (n, m) and (m, p) is n m p multiply-adds, and backward makes two of its size: one for each
    factor. Only mean pooling has none on its way back. Layers that recompute have their forward in backward once more.
    Sums that are computed as products with a vector of ones, look-ups and what works entry by entry are no products of
    matrices; the zeros that a convolution lays between texts are not counted.

    >>> base = TransformerConfig.base(src_vocab_size=37000, tgt_vocab_size=37000)
    >>> cost = multiplications(base, (1, 25, 25))
    >>> f"{cost.forward:.2e} {cost.total:.2e}"
    '1.59e+09 4.76e+09'
    """
    batch, *lengths = shape
    n_tokens = n_tokens or [batch * length for length in lengths]
    sides = [Texts(batch, length, n) for length, n in zip(lengths, n_tokens, strict=True)]
    if isinstance(config, TransformerConfig):
        (layers, ends), pooled = translated(config, *sides), 0
    elif isinstance(config, ClassifierConfig):
        (layers, ends), pooled = classified(config, *sides), pooling(config, *sides)
    else:
        (layers, ends), pooled = continued(config, *sides), 0
    again = layers if config.recompute else 0
    return Cost(layers + ends + pooled, 2 * (layers + ends) + again)


def costs_of(config: StackConfig, cut, stop: int | None = None) -> list[int]:
    """Return the multiply-adds, forward and backward, of each batch of an epoch's cut, or of the first `stop`."""
    sizes = zip(cut.shapes(stop), cut.tokens(stop), strict=True)
    return [multiplications(config, shape, n_tokens).total for shape, n_tokens in sizes]


def cost_in_words(multiply_adds: int) -> str:
    """Say in two lines what a run cost, beside the paper's, which is not counted but is what its GPUs could have done.

    >>> print(cost_in_words(1_234_000_000_000))
    1.2e+12 multiply-adds in products of matrices, counted forward and backward: 2.5e+12 FLOPs
    (table 2 has 3.3e+18 for the base model and 2.3e+19 for the big one: not counted, but hours x what the GPUs can do)
    """
    cost = f"{multiply_adds:.1e} multiply-adds in products of matrices, counted forward and backward"
    papers = f"table 2 has {PAPER_FLOPS['base']:.1e} for the base model and {PAPER_FLOPS['big']:.1e} for the big one"
    return f"{cost}: {2 * multiply_adds:.1e} FLOPs\n({papers}: not counted, but hours x what the GPUs can do)"


def translated(config: TransformerConfig, source: Texts, target: Texts) -> tuple[int, int]:
    """Return the multiply-adds forward of sentence pairs, in the layers and at both of their ends."""
    encoder_layer = self_attention(config, source) + feed_forward(config, source)
    decoder_layer = self_attention(config, target) + cross_attention(config, target, source)
    decoder_layer += feed_forward(config, target)
    layers = config.n_encoder_layers * encoder_layer + config.n_decoder_layers * decoder_layer
    ends = embedded(config, source) + embedded(config, target) + scored(config, target, config.tgt_vocab_size)
    return layers, ends


def continued(config: LanguageModelConfig, texts: Texts) -> tuple[int, int]:
    """Return those of texts for a language model."""
    layers = config.n_decoder_layers * (self_attention(config, texts) + feed_forward(config, texts))
    return layers, embedded(config, texts) + scored(config, texts, config.vocab_size)


def classified(config: ClassifierConfig, texts: Texts) -> tuple[int, int]:
    """Return those of texts for a classifier, but for its pooling."""
    if config.reader == "attention":
        layer = self_attention(config, texts) + feed_forward(config, texts)
    else:  # both replaced kinds, which go along a text and its padding; see models/replaced.py
        texts = texts._replace(n_tokens=texts.n * texts.length)
        layer = 6 * texts.n_tokens * config.d_model**2
    return config.n_encoder_layers * layer, embedded(config, texts) + texts.n * config.d_model * config.n_classes


def pooling(config: ClassifierConfig, texts: Texts) -> int:
    """Return those of the mean over a text, which is a product with weights; other pooling has none."""
    return texts.n * texts.length * config.d_model if config.pooling == "mean" else 0


def embedded(config: StackConfig, texts: Texts) -> int:
    """Return those of the map into d_model, where the embeddings have another width."""
    width = config.table_width
    return texts.n_tokens * width * config.d_model if width != config.d_model else 0


def scored(config: StackConfig, texts: Texts, vocab_size: int) -> int:
    """Return those of the generator, and of the map before it where it shares a table of another width."""
    if config.tie == "none" or config.table_width == config.d_model:
        return texts.n_tokens * config.d_model * vocab_size
    return texts.n_tokens * (config.d_model + vocab_size) * config.table_width


def feed_forward(config: StackConfig, texts: Texts) -> int:
    """Return those of the two maps of equation 2."""
    return 2 * texts.n_tokens * config.d_model * config.d_ff


def self_attention(config: StackConfig, texts: Texts) -> int:
    """Return those of a self-attention; one that is restricted to r neighbours scores r + 1 keys a query.

    Positions beyond either end, and what the blocks multiply beside the neighbourhood, are not taken out or added; nor
    are, of attention by blocks, the tiles in the future that it leaves out and the scores that backward makes anew.
    """
    keys = texts.length if config.neighbours is None else min(config.neighbours + 1, texts.length)
    return 2 * projected(config, texts) + texts.n * texts.length * keys * sum(all_heads(config))


def cross_attention(config: StackConfig, queries: Texts, keys: Texts) -> int:
    """Return those of an attention to other texts."""
    scores = queries.n * queries.length * keys.length * sum(all_heads(config))  # and the weighted sums: equation 1
    return projected(config, queries) + projected(config, keys) + scores


def projected(config: StackConfig, texts: Texts) -> int:
    """Return those of W^Q and W^O of the queries, or as many, of W^K and W^V of the keys."""
    return texts.n_tokens * config.d_model * sum(all_heads(config))


def all_heads(config: StackConfig) -> tuple[int, int]:
    """Return the widths of the keys and of the values of all heads together."""
    d_k, d_v = (config.n_heads * (d or config.d_model // config.n_heads) for d in (config.d_k, config.d_v))
    return d_k, d_v
