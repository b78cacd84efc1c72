"""Where a model looked while it read a sentence and wrote another: the weights of all its attentions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..base.backend import to_host
from ..base.threads import threads_for
from ..models import Transformer
from .wrapping import wrapped


class AttentionWeights(NamedTuple):
    """The weights of the three kinds of attention (paper section 3.2.3), one map a layer, sentence and head.

    `encoder` is (layers, B, H, S, S), `decoder` (layers, B, H, T, T), `cross` (layers, B, H, T, S): row t says where
    the position that reads token t looks. In the decoder that is the position that predicts the token after t.
    """

    encoder: np.ndarray
    decoder: np.ndarray
    cross: np.ndarray


def attention_weights(model: Transformer, src, tgt) -> AttentionWeights:
    """Return the weights of every attention for ids src (B, S) and tgt (B, T), on the host.

    The model is used in eval mode, and its layers are left as they were. Raises `InputError` when the ids do not fit.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> weights = attention_weights(model, np.array([[4, 5, 3]]), np.array([[2, 6]]))
    >>> weights.encoder.shape, weights.decoder.shape, weights.cross.shape
    ((2, 1, 4, 3, 3), (2, 1, 4, 2, 2), (2, 1, 4, 2, 3))
    """
    boxes = {
        "encoder": [layer.self_attention for layer in model.encoder.layers],
        "decoder": [layer.self_attention for layer in model.decoder.layers],
        "cross": [layer.cross_attention for layer in model.decoder.layers],
    }
    softmaxes = {kind: [box.sublayer.attention.softmax for box in found] for kind, found in boxes.items()}
    seen = {kind: [] for kind in boxes}

    def noted(notes):
        def note(forward, scores, mask=None):
            weights = forward(scores, mask)
            notes.append(to_host(weights))
            return weights

        return note

    methods = [(softmax, "forward", noted(seen[kind])) for kind, found in softmaxes.items() for softmax in found]
    with wrapped(methods), model.evaluating(), threads_for(model.config.d_model):
        model.forward(src, tgt)
    return AttentionWeights(**{kind: np.stack(notes) for kind, notes in seen.items()})
