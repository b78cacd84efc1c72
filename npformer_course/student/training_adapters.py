"""The exercises of the loss, of an update and of decoding inside npformer's training."""

import math
from typing import Any

import numpy as np

from npformer.decoding import Hypothesis
from npformer.layers import Generator
from npformer.layers.loss import LabelSmoothingLoss
from npformer.tasks import translator
from npformer.text import BOS, EOS, PAD
from npformer.training import Adam, WarmupSchedule

from .forward_adapters import Adapter, Methods

MORE_TOKENS = 50  # than the source has, at most, as in section 6.1 of the paper


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
    def update_part(self, part, step):
        [data], state = own.adam_step(
            [self.data[part]],
            [self.grad[part]],
            # the learner's function adds 1 to the steps taken before it uses them
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


def _warmup(own: Any) -> Methods:
    def rate(self, step):
        return float(self.factor * own.learning_rate(step, self.d_model, self.warmup_steps))

    return {(WarmupSchedule, "__call__"): rate}


def _greedy(own: Any) -> Methods:
    def greedy_decode(model, src):
        def log_probabilities(ids):  # (B, t)
            return _log_probabilities(model.forward(src, ids))  # (B, t, V)

        max_len = src.shape[1] + MORE_TOKENS
        with model.evaluating():
            ids, _ = own.greedy(log_probabilities, len(src), BOS, EOS, PAD, max_len)
        return [_words_alone(row) for row in ids]

    return {(translator, "greedy_decode"): greedy_decode}


def _beam(own: Any) -> Methods:
    def beam_search(model, src, *, beam, alpha, **others):
        found = []
        with model.evaluating():
            for sentence in src:
                source = sentence[sentence != PAD][None]  # (1, S)
                ids, score = _search(own, model, source, beam, alpha)
                found.append([Hypothesis(_words_alone(ids), score, math.nan)])
        return found

    return {(translator, "beam_search"): beam_search}


def _search(own: Any, model: Any, source: np.ndarray, beam: int, alpha: float) -> tuple:
    """Return the ids and the score that the learner's search finds for one sentence."""
    memory, mask = model.encode(source)  # (1, S, D), (1, 1, S)
    max_len = source.shape[1] + MORE_TOKENS

    # the state of a hypothesis is what it has read, with -1 in the places that are still empty
    def model_of_exercise(tokens, state):  # (K,), (K, max_len)
        n_read = int((state[0] >= 0).sum())
        state = state.copy()
        state[:, n_read] = tokens
        k = len(tokens)
        logits = model.decode(state[:, : n_read + 1], memory.repeat(k, 0), mask.repeat(k, 0))
        return _log_probabilities(logits[:, -1]), state

    empty = np.full((beam, max_len), -1)
    return own.beam_search(model_of_exercise, empty, BOS, EOS, PAD, max_len, beam, alpha)


def _log_probabilities(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    log_p[..., PAD] = -np.inf  # padding is never written
    return log_p


def _words_alone(ids: np.ndarray) -> list[int]:
    return [id for id in ids.tolist() if id not in (EOS, PAD)]


TRAINING: dict[str, Adapter] = {  # by the id of the exercise
    "label_smoothing": _label_smoothing,
    "tied_generator": _tied_generator,
    "adam": _adam,
    "warmup": _warmup,
    "greedy": _greedy,
    "beam": _beam,
}
