"""The cost of a model, which the paper's table 2 estimates: multiply-adds of its matrix products."""

from ..models import ClassifierConfig, LanguageModelConfig, TransformerConfig
from ..models.config import StackConfig


def forward_multiply_adds(config: StackConfig, *lengths: int) -> int:
    """Return the multiply-adds of one example's forward pass: lengths (S, T) for a Transformer, (T,) for other models.

    A product of an (n, m) and an (m, p) matrix takes n m p multiply-adds. Sums, look-ups and element-wise operations
    are not counted. `neighbors` limits the keys of self-attention.
    """
    d, d_ff = config.d_model, config.d_ff
    heads = config.n_heads * (
        (config.d_k or d // config.n_heads) + (config.d_v or d // config.n_heads)
    )

    def attention(queries: int, keys: int) -> int:
        projections = (
            (queries + keys) * d * heads
        )  # W^Q and W^O of the queries, W^K and W^V of the keys
        return projections + queries * keys * heads  # equation 1: scores and weighted sums

    def self_attention(n: int) -> int:
        keys = n if config.neighbors is None else min(config.neighbors + 1, n)
        return attention(n, n) - n * (n - keys) * heads

    layers = [self_attention(n) + 2 * n * d * d_ff for n in lengths]
    if isinstance(config, TransformerConfig):
        s, t = lengths
        decoder = config.n_decoder_layers * (layers[1] + attention(t, s))
        return config.n_encoder_layers * layers[0] + decoder + t * d * config.tgt_vocab_size
    (n,), (layer,) = lengths, layers
    if isinstance(config, LanguageModelConfig):
        return config.n_decoder_layers * layer + n * d * config.vocab_size
    if isinstance(config, ClassifierConfig) and config.encoder != "attention":
        layer = 6 * n * d * d  # LSTM and convolution are built to this size
    return config.n_encoder_layers * layer + d * config.n_classes
