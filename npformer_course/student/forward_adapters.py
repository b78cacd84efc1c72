"""The exercises of the forward pass inside npformer's layers.

An adapter takes the module with a learner's functions, and returns the methods that they replace.
It turns npformer's arguments into those of the exercise, and results back into the type of the
model. A forward remembers what npformer's own would remember: the backward of the same layer may be
npformer's, or that of another exercise.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import ModuleType
from typing import Any

import numpy as np

from npformer.layers import (
    Embedding,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    PostNorm,
    SinusoidalPositionalEncoding,
    Softmax,
    attention,
)
from npformer.layers import ScaledDotProductAttention as Attention
from npformer.models import transformer
from npformer.models.decoder import DecoderLayer
from npformer.models.encoder import EncoderLayer
from npformer.module import Module

Methods = dict[tuple[type | ModuleType, str], Callable]
Adapter = Callable[[Any], Methods]


def _heads(own: Any) -> Methods:
    def split(self, x):
        return own.split_heads(x, self.n_heads)

    def merge(self, x):
        return own.merge_heads(x)

    return {(MultiHeadAttention, "_split"): split, (MultiHeadAttention, "_merge"): merge}


def _embedding(own: Any) -> Methods:
    def forward(self, ids):
        table = self.table.data
        return self.remember(own.embed(ids, table).astype(table.dtype), ids)

    return {(Embedding, "forward"): forward}


def _positions(own: Any) -> Methods:
    def forward(self, x, start=0):
        length, d_model = x.shape[1:]
        table = own.sinusoids(start + length, d_model)
        return self.remember(own.add_positions(x, table, start).astype(x.dtype))

    return {(SinusoidalPositionalEncoding, "forward"): forward}


def _layer_norm(own: Any) -> Methods:
    def forward(self, x):
        y, xhat, rstd = own.layer_norm(x, self.gain.data, self.bias.data, self.eps)
        return self.remember(y.astype(x.dtype), xhat.astype(x.dtype), rstd.astype(x.dtype))

    return {(LayerNorm, "forward"): forward}


def _feed_forward(own: Any) -> Methods:
    def forward(self, x):
        first = self.linear_1
        second = self.linear_2
        y, hidden = own.feed_forward(
            x, first.weight.data, first.bias.data, second.weight.data, second.bias.data
        )
        y = y.astype(x.dtype)
        hidden = hidden.astype(x.dtype)
        first.remember(hidden, x)
        self.activation.remember(hidden, hidden)
        return second.remember(y, hidden)

    return {(FeedForward, "forward"): forward}


def _add_norm(own: Any) -> Methods:
    def forward(self, x, *context):
        outputs = []

        def sublayer(x):
            outputs.append(self.sublayer.forward(x, *context))
            return outputs[-1]

        drop = self.dropout.forward(np.ones_like(x))  # the factors of dropout, 1 where it is off
        gain = self.norm.gain.data
        bias = self.norm.bias.data
        eps = self.norm.eps
        with given(own.post_norm, layer_norm=_layer_norm_with(eps), EPS=eps):
            y = own.post_norm(x, sublayer, drop, gain, bias).astype(x.dtype)

        # the function returns y alone, and the backward of LayerNorm needs more
        if self.training:
            self.norm.forward(x + drop * outputs[-1])
        return y

    return {(PostNorm, "forward"): forward}


def _layer_norm_with(eps: float) -> Callable:
    """Return the model's LayerNorm, which may be the learner's, as a function of arrays."""

    def layer_norm(x, gain, bias, eps=eps):
        norm = LayerNorm(gain.size, eps=eps, dtype=str(x.dtype))
        norm.gain.data = gain
        norm.bias.data = bias
        y = norm.forward(x)
        xhat, rstd = norm.recall(y)
        return y, xhat, rstd

    return layer_norm


def _masks(own: Any) -> Methods:
    def padding_mask(ids, pad_id):
        return own.padding_mask(ids, pad_id)

    def target_padding_mask(ids, pad_id, start_id):
        # it hides the future too, which the decoder's attention will do again
        return own.target_mask(ids, pad_id)

    def causal_mask(length, before=0):
        # decoding asks for the rows of the newest positions alone
        return own.causal_mask(before + length)[before:]

    return {
        (transformer, "padding_mask"): padding_mask,
        (transformer, "target_padding_mask"): target_padding_mask,
        (attention, "causal_mask"): causal_mask,
    }


def _masked_softmax(own: Any) -> Methods:
    def forward(self, x, mask=None):
        mask = _full_mask(mask, len(x), x.shape[2], x.shape[3])
        y = own.masked_softmax(x, mask).astype(x.dtype)
        return self.remember(y, y)

    return {(Softmax, "forward"): forward}


def _masked_attention(own: Any) -> Methods:
    def forward(self, query, key, value, mask=None):
        n_queries = query.shape[2]
        n_keys = key.shape[2]
        mask = _full_mask(mask, len(query), n_queries, n_keys)
        if self.causal:
            # by the name that the exercise on masks replaces
            mask = mask & attention.causal_mask(n_queries, n_keys - n_queries)

        with given(own.masked_attention, masked_softmax=self.softmax.forward):
            y, weights = own.masked_attention(query, key, value, mask)
        y = y.astype(query.dtype)
        weights = weights.astype(query.dtype)
        # a learner may have computed the softmax without the function that is given;
        # the models of the course drop no weights
        self.softmax.remember(weights, weights)
        self.dropout.forward(weights)
        return self.remember(y, query, key, value, weights)

    return {(Attention, "forward"): forward}


def _encoder_layer(own: Any) -> Methods:
    def forward(self, x, mask=None):
        n_heads = self.self_attention.sublayer.n_heads
        y = own.encoder_layer(x, mask, _arrays(self), n_heads)
        return y.astype(x.dtype)

    return {(EncoderLayer, "forward"): forward}


def _decoder_layer(own: Any) -> Methods:
    def forward(self, x, memory, mask=None, memory_mask=None):
        n_heads = self.self_attention.sublayer.n_heads
        self_mask = mask & attention.causal_mask(x.shape[1])  # (B, T, T)
        y = own.decoder_layer(x, memory, self_mask, memory_mask, _arrays(self), n_heads)
        return y.astype(x.dtype)

    return {(DecoderLayer, "forward"): forward}


def _arrays(layer: Module) -> dict[str, np.ndarray]:
    """Return the weights of a layer by their names."""
    return {name: parameter.data for name, parameter in layer.named_parameters()}


def _full_mask(mask: Any, batch: int, n_queries: int, n_keys: int) -> np.ndarray:
    """Return a mask as exercises promise it, (B, 1, T, S): npformer's may be smaller, or None."""
    if mask is None:
        mask = True
    return np.broadcast_to(mask, (batch, 1, n_queries, n_keys))


@contextmanager
def given(function: Callable, **replaced: Any) -> Iterator[None]:
    """Replace names that an exercise gives, such as its layer_norm, while a function of it runs."""
    names = getattr(unwrap(function), "__globals__", {})
    before = {name: names[name] for name in replaced if name in names}
    names.update(replaced)
    try:
        yield
    finally:
        for name in replaced:
            del names[name]
        names.update(before)


FORWARD: dict[str, Adapter] = {  # by the id of the exercise
    "heads": _heads,
    "embedding": _embedding,
    "positions": _positions,
    "layer_norm": _layer_norm,
    "feed_forward": _feed_forward,
    "add_norm": _add_norm,
    "masks": _masks,
    "masked_softmax": _masked_softmax,
    "masked_attention": _masked_attention,
}
# whole layers: nothing in them remembers anything for a backward
LAYERS: dict[str, Adapter] = {
    "encoder_layer": _encoder_layer,
    "decoder_layer": _decoder_layer,
}
