"""A student's own functions inside npformer's layers, to train a model with them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import ModuleType
from unittest.mock import patch

import numpy as np

from npformer.layers import (
    Embedding,
    Generator,
    LayerNorm,
    Linear,
    MultiHeadAttention,
    SinusoidalPositionalEncoding,
    Softmax,
)
from npformer.layers import ScaledDotProductAttention as Attention
from npformer.layers.loss import LabelSmoothingLoss
from npformer.tasks import translator
from npformer.text import BOS, EOS, PAD
from npformer.training import Adam, WarmupSchedule

# The adapters of this file turn npformer's arguments into those of an exercise, and results back
# into the type of the model: students compute in float64.
Methods = dict[tuple[type | ModuleType, str], Callable]


def _linear(own: ModuleType) -> Methods:
    def forward(self, x):
        if self.bias is None:
            bias = np.zeros(1, x.dtype)  # the student's function always takes one
        else:
            bias = self.bias.data
        return self.remember(own.linear(x, self.weight.data, bias).astype(x.dtype), x)

    def backward(self, dy):
        (x,) = self.recall(dy)
        dx, dweight, dbias = own.linear_backward(dy, x, self.weight.data)
        self.weight.grad += dweight
        if self.bias is not None:
            self.bias.grad += dbias
        return dx.astype(dy.dtype)

    return {(Linear, "forward"): forward, (Linear, "backward"): backward}


def _masked_softmax(own: ModuleType) -> Methods:
    def forward(self, x, mask=None):
        # the student's function takes a mask with as many axes as x, never None
        if mask is None:
            mask = np.True_
        mask = np.broadcast_to(mask, x.shape)
        y = own.masked_softmax(x, mask).astype(x.dtype)
        return self.remember(y, y)

    return {(Softmax, "forward"): forward}


def _softmax_backward(own: ModuleType) -> Methods:
    def backward(self, dy):
        (y,) = self.recall(dy)
        return own.softmax_backward(dy, y).astype(dy.dtype)

    return {(Softmax, "backward"): backward}


def _attention_backward(own: ModuleType) -> Methods:
    def backward(self, dy):
        *inputs, weights = self.recall(dy)
        return tuple(dx.astype(dy.dtype) for dx in own.attention_backward(dy, *inputs, weights))

    return {(Attention, "backward"): backward}


def _heads(own: ModuleType) -> Methods:
    def split(self, x):
        return own.split_heads(x, self.n_heads)

    def merge(self, x):
        return own.merge_heads(x)

    return {(MultiHeadAttention, "_split"): split, (MultiHeadAttention, "_merge"): merge}


def _layer_norm(own: ModuleType) -> Methods:
    def forward(self, x):
        # remembered as by npformer's own forward, since its backward may be used with this one
        y, xhat, rstd = own.layer_norm(x, self.gain.data, self.bias.data, self.eps)
        return self.remember(y.astype(x.dtype), xhat.astype(x.dtype), rstd.astype(x.dtype))

    return {(LayerNorm, "forward"): forward}


def _layer_norm_backward(own: ModuleType) -> Methods:
    def backward(self, dy):
        dx, dgain, dbias = own.layer_norm_backward(dy, *self.recall(dy), self.gain.data)
        self.gain.grad += dgain
        self.bias.grad += dbias
        return dx.astype(dy.dtype)

    return {(LayerNorm, "backward"): backward}


def _embedding(own: ModuleType) -> Methods:
    def forward(self, ids):
        return self.remember(own.embed(ids, self.table.data).astype(self.table.data.dtype), ids)

    return {(Embedding, "forward"): forward}


def _embedding_backward(own: ModuleType) -> Methods:
    def backward(self, dy):
        (ids,) = self.recall(dy)
        self.table.grad += own.embed_backward(dy, ids, len(self.table.data))

    return {(Embedding, "backward"): backward}


def _positions(own: ModuleType) -> Methods:
    def forward(self, x, start=0):
        return self.remember(own.add_positions(x, self.table, start).astype(x.dtype))

    return {(SinusoidalPositionalEncoding, "forward"): forward}


def _tied_generator(own: ModuleType) -> Methods:
    def forward(self, x):
        return self.remember(own.generator(x, self.table.data).astype(x.dtype), x)

    def backward(self, dlogits):
        (x,) = self.recall(dlogits)
        dx, dtable = own.generator_backward(dlogits, x, self.table.data)
        self.table.grad += dtable
        return dx.astype(dlogits.dtype)

    return {(Generator, "forward"): forward, (Generator, "backward"): backward}


def _label_smoothing(own: ModuleType) -> Methods:
    def forward(self, logits, targets, n_tokens=None):
        q = own.smooth_targets(targets, logits.shape[-1], self.eps)
        real = targets != self.pad_id
        share = real.sum() / (n_tokens or real.sum())  # of the real tokens of the whole batch
        value = float(share * own.cross_entropy(logits, q, real))
        return self.remember(value, logits, q, real, share)

    def backward(self, dloss=1.0):
        logits, q, real, share = self.recall(dloss)
        dlogits = dloss * share * own.cross_entropy_backward(logits, q, real)
        return dlogits.astype(logits.dtype)

    return {(LabelSmoothingLoss, "forward"): forward, (LabelSmoothingLoss, "backward"): backward}


def _adam(own: ModuleType) -> Methods:
    def update_part(self, part, step):
        [data], state = own.adam_step(
            [self.data[part]],
            [self.grad[part]],
            # the student's function adds 1 to the steps taken before it uses them
            {"m": [self.m[part]], "v": [self.v[part]], "t": step - 1},
            self.learning_rate_at(step),
            beta1=self.beta1,
            beta2=self.beta2,
            eps=self.eps,
        )
        self.data[part] = data
        self.m[part] = state["m"][0]
        self.v[part] = state["v"][0]

    return {(Adam, "update_part"): update_part}


def _warmup(own: ModuleType) -> Methods:
    def rate(self, step):
        return float(self.factor * own.learning_rate(step, self.d_model, self.warmup_steps))

    return {(WarmupSchedule, "__call__"): rate}


def _greedy(own: ModuleType) -> Methods:
    def greedy_decode(model, src):
        def log_probabilities(ids):  # (B, t)
            logits = model.forward(src, ids)  # (B, t, V)
            return logits - np.log(np.exp(logits).sum(-1, keepdims=True))

        # up to 50 tokens more than the source has, as in section 6.1 of the paper
        max_len = src.shape[1] + 50
        with model.evaluating():
            ids, _ = own.greedy(log_probabilities, len(src), BOS, EOS, PAD, max_len)
        translations = []
        for row in ids.tolist():
            translations.append([token for token in row if token not in (EOS, PAD)])
        return translations

    return {(translator, "greedy_decode"): greedy_decode}


ADAPTERS = {  # by the id of the exercise
    "linear": _linear,
    "masked_softmax": _masked_softmax,
    "softmax_backward": _softmax_backward,
    "attention_backward": _attention_backward,
    "heads": _heads,
    "layer_norm": _layer_norm,
    "layer_norm_backward": _layer_norm_backward,
    "embedding": _embedding,
    "embedding_backward": _embedding_backward,
    "positions": _positions,
    "tied_generator": _tied_generator,
    "label_smoothing": _label_smoothing,
    "adam": _adam,
    "warmup": _warmup,
    "greedy": _greedy,
}


@contextmanager
def own_layers(modules: Mapping[str, ModuleType]) -> Iterator[list[str]]:
    """Replace npformer's layer methods by the student's functions within this block.

    `modules` are the student's files, run, by the id of their exercise; everything else stays
    npformer's own. Yields the ids of the exercises that are used.
    """
    used = [id for id in ADAPTERS if id in modules]
    with ExitStack() as replaced:
        for id in used:
            for (owner, name), method in ADAPTERS[id](modules[id]).items():
                replaced.enter_context(patch.object(owner, name, method))
        yield used
