"""The exercises of the backward pass inside npformer's layers; see `forward_adapters`.

A backward takes what forward remembered, npformer's or the learner's, and adds the gradients of
parameters, which exercises return.
"""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from npformer.layers import (
    CrossAttention,
    Dropout,
    Embedding,
    FeedForward,
    LayerNorm,
    Linear,
    PostNorm,
    SelfAttention,
    Softmax,
)
from npformer.layers import ScaledDotProductAttention as Attention
from npformer.models.decoder import Decoder

from .forward_adapters import Adapter, Methods, given

NPFORMERS_CROSS_ATTENTION = CrossAttention.backward


def _linear(own: Any) -> Methods:
    def forward(self, x):
        if self.bias is None:
            bias = np.zeros(1, x.dtype)  # the learner's function always takes one
        else:
            bias = self.bias.data
        return self.remember(own.linear(x, self.weight.data, bias).astype(x.dtype), x)

    def backward(self, dy):
        (x,) = self.recall(dy)
        dx, dweight, dbias = own.linear_backward(dy, x, self.weight.data)
        _add_gradients(self, dweight, dbias)
        return dx.astype(dy.dtype)

    return {(Linear, "forward"): forward, (Linear, "backward"): backward}


def _add_gradients(linear: Linear, dweight: np.ndarray, dbias: np.ndarray) -> None:
    linear.weight.grad += dweight
    if linear.bias is not None:
        linear.bias.grad += dbias


def _softmax_backward(own: Any) -> Methods:
    def backward(self, dy):
        (y,) = self.recall(dy)
        return own.softmax_backward(dy, y).astype(dy.dtype)

    return {(Softmax, "backward"): backward}


def _attention_backward(own: Any) -> Methods:
    def backward(self, dy):
        query, key, value, weights = self.recall(dy)
        dquery, dkey, dvalue = own.attention_backward(dy, query, key, value, weights)
        return dquery.astype(dy.dtype), dkey.astype(dy.dtype), dvalue.astype(dy.dtype)

    return {(Attention, "backward"): backward}


def _layer_norm_backward(own: Any) -> Methods:
    def backward(self, dy):
        xhat, rstd = self.recall(dy)
        dx, dgain, dbias = own.layer_norm_backward(dy, xhat, rstd, self.gain.data)
        self.gain.grad += dgain
        self.bias.grad += dbias
        return dx.astype(dy.dtype)

    return {(LayerNorm, "backward"): backward}


def _embedding_backward(own: Any) -> Methods:
    def backward(self, dy):
        (ids,) = self.recall(dy)
        self.table.grad += own.embed_backward(dy, ids, len(self.table.data))

    return {(Embedding, "backward"): backward}


def _feed_forward_backward(own: Any) -> Methods:
    def backward(self, dy):
        first = self.linear_1
        second = self.linear_2
        (hidden,) = second.recall(dy)
        (x,) = first.recall(hidden)
        dx, dw1, db1, dw2, db2 = own.feed_forward_backward(
            dy, x, hidden, first.weight.data, second.weight.data
        )
        _add_gradients(first, dw1, db1)
        _add_gradients(second, dw2, db2)
        return dx.astype(dy.dtype)

    return {(FeedForward, "backward"): backward}


def _add_norm_backward(own: Any) -> Methods:
    def backward(self, dy):
        xhat, rstd = self.norm.recall(dy)
        drop = self.dropout.backward(np.ones_like(dy))  # the factors of dropout, as in forward
        dcontext = []  # the gradients of other inputs, such as the memory

        def sublayer_backward(dresult):
            dinput, *others = _as_tuple(self.sublayer.backward(dresult.astype(dy.dtype)))
            dcontext.extend(others)
            return dinput

        gain = self.norm.gain.data
        with given(own.post_norm_backward, layer_norm_backward=_layer_norm_backward_of_model):
            dx, dgain, dbias = own.post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward)
        self.norm.gain.grad += dgain
        self.norm.bias.grad += dbias
        dx = dx.astype(dy.dtype)
        return (dx, *dcontext) if dcontext else dx

    return {(PostNorm, "backward"): backward}


def _as_tuple(gradients: Any) -> tuple:
    return gradients if isinstance(gradients, tuple) else (gradients,)


def _layer_norm_backward_of_model(dy, xhat, rstd, gain):
    """Return dx, dgain and dbias by the model's LayerNorm, whose backward may be the learner's."""
    norm = LayerNorm(gain.size, dtype=str(dy.dtype))
    norm.gain.data = gain
    norm.remember(dy, xhat, rstd)
    dx = norm.backward(dy)
    return dx, norm.gain.grad, norm.bias.grad


def _dropout(own: Any) -> Methods:
    layers: WeakKeyDictionary[Dropout, Any] = WeakKeyDictionary()  # the learner's, by npformer's

    def forward(self, x):
        if self not in layers:
            layers[self] = own.Dropout(self.p, self.rng)
        layer = layers[self]
        layer.training = self.training
        return self.remember(layer.forward(x).astype(x.dtype))

    def backward(self, dy):
        self.recall(dy)
        return layers[self].backward(dy).astype(dy.dtype)

    return {(Dropout, "forward"): forward, (Dropout, "backward"): backward}


def _multi_head_backward(own: Any) -> Methods:
    # self_attention_backward is made of the other two functions of the exercise. Between them is
    # the backward of the model's attention, and npformer adds the biases that the exercise lacks.
    def backward(self, dy):
        self.recall(dy)
        (merged,) = self.w_output.recall(dy)
        heads = self._split(merged)
        dheads, dw_output = own.output_backward(dy, heads, self.w_output.weight.data)
        _add_gradients(self.w_output, dw_output, dy.sum((0, 1)))

        dheads = self.attention.backward(dheads.astype(dy.dtype))  # of query, key and value
        projections = (self.w_query, self.w_key, self.w_value)
        for projection, dhead in zip(projections, dheads, strict=True):
            (x,) = projection.recall(self._merge(dhead))

        weights = [projection.weight.data for projection in projections]
        dx, *dweights = own.projections_backward(*dheads, x, *weights)
        for projection, dweight, dhead in zip(projections, dweights, dheads, strict=True):
            _add_gradients(projection, dweight, self._merge(dhead).sum((0, 1)))
        return dx.astype(dy.dtype)

    return {(SelfAttention, "backward"): backward}


def _cross_attention_backward(own: Any) -> Methods:
    def backward(self, dy):
        _, (query, key, value, weights) = self.attention._cache
        projections = (self.w_query, self.w_key, self.w_value, self.w_output)
        matrices = [projection.weight.data for projection in projections]
        dx, dmemory = own.cross_attention_backward(dy, query, key, value, weights, *matrices)
        # the exercise leaves out the gradients of the matrices: npformer's backward adds them
        NPFORMERS_CROSS_ATTENTION(self, dy)
        return dx.astype(dy.dtype), dmemory.astype(dy.dtype)

    def decoder_backward(self, dy):
        if self.norm is not None:
            dy = self.norm.backward(dy)
        backwards = [layer.backward for layer in self.layers]
        dx, dmemory = own.decoder_backward(dy, backwards)
        self.input_embedding.backward(dx.astype(dy.dtype))
        return None, dmemory.astype(dy.dtype)

    return {(CrossAttention, "backward"): backward, (Decoder, "backward"): decoder_backward}


BACKWARD: dict[str, Adapter] = {  # by the id of the exercise
    "linear": _linear,
    "softmax_backward": _softmax_backward,
    "attention_backward": _attention_backward,
    "layer_norm_backward": _layer_norm_backward,
    "embedding_backward": _embedding_backward,
    "feed_forward_backward": _feed_forward_backward,
    "add_norm_backward": _add_norm_backward,
    "dropout": _dropout,
    "multi_head_backward": _multi_head_backward,
    "cross_attention_backward": _cross_attention_backward,
}
