"""Attention weights of a model (paper section 3.2.3)."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..backend import to_host, xp
from ..layers import ScaledDotProductAttention
from ..models import Classifier, LanguageModel, Transformer
from ..utils import InputError, threads_for
from ..utils.wrap_methods import wrap_methods


class AttentionWeights(NamedTuple):
    """The weights of the three kinds of attention (paper section 3.2.3).

    There is one map per layer, sentence and head. Row t belongs to the position that reads token t;
    in the decoder it predicts the token after t. A classifier has `encoder` alone, a language model
    `decoder` alone; the others are None.

    Arguments:
        encoder: (layers, B, H, S, S).
        decoder: (layers, B, H, T, T).
        cross: (layers, B, H, T, S).
    """

    encoder: np.ndarray | None = None
    decoder: np.ndarray | None = None
    cross: np.ndarray | None = None


def attention_weights(
    model: Transformer | LanguageModel | Classifier, *ids: np.ndarray
) -> AttentionWeights:
    """Return the weights of every attention, on the host. The model runs in eval mode.

    Raises `InputError` when the ids do not fit, and for a classifier whose encoder is not made of
    attention.

    Arguments:
        model: The model.
        ids: The ids src (B, S) and tgt (B, T); for a classifier and a language model those of one
            text each.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> weights = attention_weights(model, np.array([[4, 5, 3]]), np.array([[2, 6]]))
    >>> weights.encoder.shape, weights.decoder.shape, weights.cross.shape
    ((2, 1, 4, 3, 3), (2, 1, 4, 2, 2), (2, 1, 4, 2, 3))
    """
    maps: dict[str, list[np.ndarray]] = {}

    def note(
        kind: str,
        attention: ScaledDotProductAttention,
        forward: Callable,
        query: Any,
        key: Any,
        value: Any,
        mask: Any = None,
    ) -> Any:
        weights = to_host(_weights(attention, query, key, mask))
        maps.setdefault(kind, []).append(weights)
        return forward(query, key, value, mask)

    methods = []
    for kind, attention in _attentions(model):
        methods.append((attention, "forward", partial(note, kind, attention)))
    with wrap_methods(methods), model.evaluating(), threads_for(model.config.d_model):
        model.forward(*ids)
    weights_of_kind = {kind: np.stack(layers) for kind, layers in maps.items()}
    return AttentionWeights(**weights_of_kind)


def _weights(attention: ScaledDotProductAttention, query: Any, key: Any, mask: Any) -> Any:
    """Return the weights (..., T, S) of an attention: weights @ identity.

    So they are also there for an attention that never has them at once.
    """
    n_keys = key.shape[-2]
    identity = xp.eye(n_keys, dtype=key.dtype)
    values = xp.broadcast_to(identity, (*key.shape[:-1], n_keys))
    # the method of the class, because the instance's forward is wrapped meanwhile
    return type(attention).forward(attention, query, key, values, mask)


def _attentions(
    model: Transformer | LanguageModel | Classifier,
) -> list[tuple[str, ScaledDotProductAttention]]:
    """Return the attentions of a model with their kinds. Raises `InputError` where it has none."""
    encoder = getattr(model.config, "encoder", "attention")
    if encoder != "attention":
        raise InputError(
            f"the model was built with encoder = {encoder}: it has no attention weights"
        )

    encoder_layers: list[Any] = model.encoder.layers if hasattr(model, "encoder") else []
    decoder_layers: list[Any] = model.decoder.layers if hasattr(model, "decoder") else []
    attentions = []
    for layer in encoder_layers:
        attentions.append(("encoder", layer.self_attention.sublayer.attention))
    for layer in decoder_layers:
        attentions.append(("decoder", layer.self_attention.sublayer.attention))
        # the decoder of a language model has no cross-attention
        if encoder_layers:
            attentions.append(("cross", layer.cross_attention.sublayer.attention))
    return attentions
