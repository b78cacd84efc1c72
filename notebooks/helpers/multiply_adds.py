"""The cost of a model, which the paper's table 2 estimates: multiply-adds of its matrix products.

Notebook 28c compares encoders with it.
"""

from npformer.models import ClassifierConfig, LanguageModelConfig, TransformerConfig
from npformer.models.config import StackConfig


def forward_multiply_adds(
    config: TransformerConfig | LanguageModelConfig | ClassifierConfig, *lengths: int
) -> int:
    """Return the multiply-adds of one example's forward pass.

    A product of an (n, m) and an (m, p) matrix takes n m p multiply-adds. Sums, look-ups and
    element-wise operations are not counted. `neighbors` limits the keys of self-attention.

    Arguments:
        config: of the model
        lengths: (S, T) for a Transformer, (T,) for other models
    """
    d = config.d_model
    layers = []
    for n in lengths:
        layers.append(_self_attention(config, n) + 2 * n * d * config.d_ff)

    if isinstance(config, TransformerConfig):
        s, t = lengths
        encoder = config.n_encoder_layers * layers[0]
        decoder = config.n_decoder_layers * (layers[1] + _attention(config, t, s))
        return encoder + decoder + t * d * config.tgt_vocab_size

    [n] = lengths
    [layer] = layers
    if isinstance(config, LanguageModelConfig):
        return config.n_decoder_layers * layer + n * d * config.vocab_size
    if config.encoder != "attention":
        layer = 6 * n * d * d  # LSTM and convolution are built to this size
    return config.n_encoder_layers * layer + d * config.n_classes


def _attention(config: StackConfig, queries: int, keys: int) -> int:
    """Return the multiply-adds of multi-head attention."""
    width = _width_of_heads(config)
    # W^Q and W^O of the queries, W^K and W^V of the keys
    projections = (queries + keys) * config.d_model * width
    return projections + queries * keys * width  # equation 1: scores and weighted sums


def _self_attention(config: StackConfig, n: int) -> int:
    """Return the multiply-adds of self-attention, without those of keys that are no neighbors."""
    keys = n if config.neighbors is None else min(config.neighbors + 1, n)
    # projections are computed for all positions
    return _attention(config, n, n) - n * (n - keys) * _width_of_heads(config)


def _width_of_heads(config: StackConfig) -> int:
    """Return d_k + d_v of all heads together."""
    d_k = config.d_k or config.d_model // config.n_heads
    d_v = config.d_v or config.d_model // config.n_heads
    return config.n_heads * (d_k + d_v)
