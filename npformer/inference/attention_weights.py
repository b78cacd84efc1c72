"""The cross-attention of a model that translates: what each target token looked at."""

from __future__ import annotations

import numpy as np

from ..backend import to_host
from ..model import Transformer


def cross_attention_weights(model: Transformer, src, tgt) -> np.ndarray:
    """Return the weights (layers, B, H, T, S) of every cross-attention for ids src (B, S) and tgt (B, T).

    Row t says where the position that reads target token t, and predicts the one after, looks. The model is used in
    eval mode, and its layers are left as they were.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> cross_attention_weights(model, np.array([[4, 5, 3]]), np.array([[2, 6]])).shape
    (2, 1, 4, 2, 3)
    """
    seen = []

    def watched(forward):
        def forward_and_note(scores, mask=None):
            weights = forward(scores, mask)
            seen.append(to_host(weights))
            return weights

        return forward_and_note

    softmaxes = [layer.cross_attention.sublayer.attention.softmax for layer in model.decoder.layers]
    for softmax in softmaxes:
        softmax.forward = watched(softmax.forward)
    try:
        with model.evaluating():
            model.forward(src, tgt)
    finally:
        for softmax in softmaxes:
            del softmax.forward
    return np.stack(seen)
