"""The exercises of the loss, of an update and of rotary positions inside npformer's training."""

from typing import Any

from npformer.layers import Generator, RotaryPositionalEncoding
from npformer.layers.loss import LabelSmoothingLoss
from npformer.training import Adam, WarmupSchedule

from .forward_adapters import Adapter, Methods


def _tied_generator(own: Any) -> Methods:
    def forward(self, x):
        return self.remember(own.generator(x, self.table.data).astype(x.dtype), x)

    def backward(self, dlogits):
        (x,) = self.recall(dlogits)
        dx, dtable = own.generator_backward(dlogits, x, self.table.data)
        self.table.grad += dtable
        return dx.astype(dlogits.dtype)

    return {(Generator, "forward"): forward, (Generator, "backward"): backward}


def _label_smoothing(own: Any) -> Methods:
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


def _adam(own: Any) -> Methods:
    def update_part(self, part, step, lr):
        [data], state = own.adam_step(
            [self.data[part]],
            [self.grad[part]],
            # the learner's function adds 1 to the steps taken before it uses them
            {"m": [self.m[part]], "v": [self.v[part]], "t": step - 1},
            lr,
            beta1=self.beta1,
            beta2=self.beta2,
            eps=self.eps,
        )
        self.data[part] = data
        self.m[part] = state["m"][0]
        self.v[part] = state["v"][0]

    return {(Adam, "update_part"): update_part}


def _warmup(own: Any) -> Methods:
    def rate(self, step):
        return float(self.factor * own.learning_rate(step, self.d_model, self.warmup_steps))

    return {(WarmupSchedule, "__call__"): rate}


def _rotary(own: Any) -> Methods:
    def forward(self, x, start=0):
        return self.remember(own.rotate(x, start).astype(x.dtype), start)

    def backward(self, dy):
        (start,) = self.recall(dy)
        return own.rotate_backward(dy, start).astype(dy.dtype)

    return {
        (RotaryPositionalEncoding, "forward"): forward,
        (RotaryPositionalEncoding, "backward"): backward,
    }


TRAINING: dict[str, Adapter] = {  # by the id of the exercise
    "label_smoothing": _label_smoothing,
    "tied_generator": _tied_generator,
    "adam": _adam,
    "warmup": _warmup,
    "rotary": _rotary,
}
