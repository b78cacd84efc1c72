"""The student's own functions inside npformer's layers: what was written is used to train a model."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

import numpy as np

from ...layers import Embedding, Generator, LayerNorm, Linear, SinusoidalPositionalEncoding, Softmax
from ...layers import ScaledDotProductAttention as Attention
from ...tasks import LabelSmoothingLoss, Objective
from ...training import Adam, WarmupSchedule

Methods = dict[tuple[type, str], Callable]


def linear(own: ModuleType) -> Methods:
    """Linear, out of exercise 02."""

    def forward(self, x):
        bias = np.zeros(1, x.dtype) if self.bias is None else self.bias.data
        return self.remember(own.linear(x, self.weight.data, bias).astype(x.dtype), x)

    def backward(self, dy):
        (x,) = self.recall(dy)
        dx, dweight, dbias = own.linear_backward(dy, x, self.weight.data)
        self.weight.grad += dweight
        if self.bias is not None:
            self.bias.grad += dbias
        return dx.astype(dy.dtype)

    return {(Linear, "forward"): forward, (Linear, "backward"): backward}


def masked_softmax(own: ModuleType) -> Methods:
    """Softmax, out of exercise 07."""

    def forward(self, x, mask=None):
        mask = np.True_ if mask is None else mask
        y = own.masked_softmax(x, np.broadcast_to(mask, x.shape)).astype(x.dtype)
        return self.remember(y, y)

    def backward(self, dy):
        (y,) = self.recall(dy)
        return own.masked_softmax_backward(dy, y).astype(dy.dtype)

    return {(Softmax, "forward"): forward, (Softmax, "backward"): backward}


def attention_backward(own: ModuleType) -> Methods:
    """The backward of scaled dot-product attention, out of exercise 09."""

    def backward(self, dy):
        *inputs, weights = self.recall(dy)
        return tuple(dx.astype(dy.dtype) for dx in own.attention_backward(dy, *inputs, weights))

    return {(Attention, "backward"): backward}


def layer_norm(own: ModuleType) -> Methods:
    """The forward of LayerNorm, out of exercise 14."""

    def forward(self, x):
        y, xhat, rstd = own.layer_norm(x, self.gain.data, self.bias.data, self.eps)
        return self.remember(y.astype(x.dtype), xhat.astype(x.dtype), rstd.astype(x.dtype))

    return {(LayerNorm, "forward"): forward}


def layer_norm_backward(own: ModuleType) -> Methods:
    """The backward of LayerNorm, out of exercise 15."""

    def backward(self, dy):
        dx, dgain, dbias = own.layer_norm_backward(dy, *self.recall(dy), self.gain.data)
        self.gain.grad += dgain
        self.bias.grad += dbias
        return dx.astype(dy.dtype)

    return {(LayerNorm, "backward"): backward}


def embedding(own: ModuleType) -> Methods:
    """Embedding, out of exercise 18."""

    def forward(self, ids):
        return self.remember(own.embed(ids, self.table.data).astype(self.table.data.dtype), ids)

    def backward(self, dy):
        (ids,) = self.recall(dy)
        self.table.grad += own.embed_backward(dy, ids, len(self.table.data))

    return {(Embedding, "forward"): forward, (Embedding, "backward"): backward}


def positions(own: ModuleType) -> Methods:
    """The sum with the table of positions, out of exercise 19."""

    def forward(self, x, start=0):
        return self.remember(own.add_positions(x, self.table, start).astype(x.dtype))

    return {(SinusoidalPositionalEncoding, "forward"): forward}


def tied_generator(own: ModuleType) -> Methods:
    """Generator, out of exercise 20."""

    def forward(self, x, matrix=None):
        return self.remember(own.generator(x, self.table.data).astype(x.dtype), x)

    def backward(self, dlogits):
        (x,) = self.recall(dlogits)
        dx, dtable = own.generator_backward(dlogits, x, self.table.data)
        self.table.grad += dtable
        return dx.astype(dlogits.dtype)

    return {(Generator, "forward"): forward, (Generator, "backward"): backward}


def label_smoothing(own: ModuleType) -> Methods:
    """The loss, out of exercise 21."""

    def forward(self, logits, targets, n_tokens=None, *, overwrite=False):
        q, real = own.smooth_targets(targets, logits.shape[-1], self.eps), targets != self.pad_id
        share = real.sum() / (n_tokens or real.sum())  # in the real tokens of the whole batch
        dlogits = share * own.cross_entropy_backward(logits, q, real)
        return self.remember(float(share * own.cross_entropy(logits, q, real)), dlogits.astype(logits.dtype))

    return {(LabelSmoothingLoss, "forward"): forward}


def adam(own: ModuleType) -> Methods:
    """Adam's step, out of exercise 22."""

    def step(self, each=map):
        lr = self.learning_rate_at(self.steps + 1)
        state = {"m": [self.m], "v": [self.v], "t": self.steps}
        how = {"beta1": self.beta1, "beta2": self.beta2, "eps": self.eps}
        (self.flat.data[...],), state = own.adam_step([self.flat.data], [self.flat.grad], state, lr, **how)
        self.m[...], self.v[...], self.steps = state["m"][0], state["v"][0], state["t"]

    return {(Adam, "step"): step}


def warmup(own: ModuleType) -> Methods:
    """The learning rate, out of exercise 23."""

    def rate(self, step):
        return float(self.factor * own.learning_rate(step, self.d_model, self.warmup_steps))

    return {(WarmupSchedule, "__call__"): rate}


def unpacked() -> Methods:
    """A model that computes padding too, for exercises speak of texts (B, T, D) that lie one under the other."""

    def logits_of(self, batch):
        return self.model.forward(*batch.inputs)

    def loss_of(self, logits, batch, n_tokens=None, *, overwrite=False):
        n_tokens = batch.n_tokens if n_tokens is None else n_tokens
        return self.loss.forward(logits, batch.targets, n_tokens, overwrite=overwrite)

    return {(Objective, "logits_of"): logits_of, (Objective, "loss_of"): loss_of}


ADAPTERS: dict[str, Callable[[ModuleType], Methods]] = {
    adapter.__name__: adapter
    for adapter in (
        linear,
        masked_softmax,
        attention_backward,
        layer_norm,
        layer_norm_backward,
        embedding,
        positions,
        tied_generator,
        label_smoothing,
        adam,
        warmup,
    )
}


@contextmanager
def own_layers(modules: Mapping[str, ModuleType]) -> Iterator[list[str]]:
    """Within this block npformer's layers compute with the student's functions; gives the exercises that are used.

    `modules` are the student's files, run, by the id of their exercise. What is not among them stays npformer's own.
    """
    used = [id for id in ADAPTERS if id in modules]
    methods = unpacked()
    for id in used:
        methods |= ADAPTERS[id](modules[id])
    before = {(owner, name): vars(owner)[name] for owner, name in methods}
    try:
        for (owner, name), method in methods.items():
            setattr(owner, name, method)
        yield used
    finally:
        for (owner, name), method in before.items():
            setattr(owner, name, method)
