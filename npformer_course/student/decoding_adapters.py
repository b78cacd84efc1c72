"""The exercises of decoding inside npformer's: searches, the KV cache, and drawing a token."""

import math
from typing import Any

import numpy as np

from npformer.decoding import Hypothesis, Sampler
from npformer.decoding.cached_decoder import _CachedCrossAttention, _CachedSelfAttention
from npformer.decoding.kv_cache import KeyValueCache
from npformer.layers import MultiHeadAttention
from npformer.tasks import translator
from npformer.text import BOS, EOS, PAD

from . import prefix_readers
from .forward_adapters import Adapter, Methods

MORE_TOKENS = 50  # than the source has, at most, as in section 6.1 of the paper
ALMOST_1 = 1 - 1e-9  # the largest p, as the exercise has it


def _greedy(own: Any) -> Methods:
    def greedy_decode(model, src):
        read = prefix_readers.batch_reader(model, src)

        def log_probabilities(ids):  # (B, t)
            return _log_probabilities(read(ids))  # (B, t, V)

        max_len = _longest(model, src)
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
    read = prefix_readers.hypotheses_reader(model, source)
    max_len = _longest(model, source)

    # the state of a hypothesis is what it has read, with -1 in the places that are still empty
    def model_of_exercise(tokens, state):  # (K,), (K, max_len)
        n_read = int((state[0] >= 0).sum())
        state = state.copy()
        state[:, n_read] = tokens
        return _log_probabilities(read(state[:, : n_read + 1])), state

    empty = np.full((beam, max_len), -1)
    return own.beam_search(model_of_exercise, empty, BOS, EOS, PAD, max_len, beam, alpha)


def _longest(model: Any, src: np.ndarray) -> int:
    """Return how many tokens are written at most; the model reads one more, <bos>."""
    return min(src.shape[1] + MORE_TOKENS, model.config.max_len - 1)


def _log_probabilities(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    log_p[..., PAD] = -np.inf  # padding is never written
    return log_p


def _words_alone(ids: np.ndarray) -> list[int]:
    return [id for id in ids.tolist() if id not in (EOS, PAD)]


def _kv_cache(own: Any) -> Methods:
    def self_attention(self, x):  # (N, T, D)
        weights = _with_biases(self.attention)
        if self.cache.keys is None:
            n_heads = self.attention.n_heads
            empty = np.zeros((len(x), n_heads, 0, weights.shape[1] // n_heads), x.dtype)
            self.cache.append(empty, empty)
        y, keys, values = own.self_attention_step(
            _with_one(x, weights), weights, self.cache.keys, self.cache.values
        )
        self.cache.keys = keys.astype(x.dtype)
        self.cache.values = values.astype(x.dtype)
        return y[..., : x.shape[-1]].astype(x.dtype)

    def read_memory(self, attention, memory):  # (B, S, D)
        self.attention = attention
        self.cache = KeyValueCache()
        weights = _with_biases(attention)
        keys, values = own.project_memory(_with_one(memory, weights), weights, attention.n_heads)
        self.cache.append(keys.astype(memory.dtype), values.astype(memory.dtype))

    def cross_attention(self, x, memory_mask):  # (N, T, D), (B, 1, S)
        # the hypotheses of a sentence share its memory: one after the other they are its queries
        queries = x.reshape(len(self.cache.keys), -1, x.shape[-1])
        weights = _with_biases(self.attention)
        y = own.cross_attention_step(
            _with_one(queries, weights),
            weights,
            self.cache.keys,
            self.cache.values,
            memory_mask[:, 0],
        )
        return y[..., : x.shape[-1]].reshape(x.shape).astype(x.dtype)

    return {
        (_CachedSelfAttention, "forward"): self_attention,
        (_CachedCrossAttention, "__init__"): read_memory,
        (_CachedCrossAttention, "forward"): cross_attention,
        # the learner's searches read by the cache, too
        (prefix_readers, "batch_reader"): prefix_readers.cached_batch_reader,
        (prefix_readers, "hypotheses_reader"): prefix_readers.cached_hypotheses_reader,
    }


def _with_biases(attention: MultiHeadAttention) -> np.ndarray:
    """Return W^Q, W^K, W^V and W^O in one array, (4, D + H, D + H), with their biases.

    The exercise knows no biases. But a bias is the row of a matrix that belongs to a feature which
    is always 1. So x has more features, of which the first is 1, and each head has one more.
    """
    n_heads = attention.n_heads
    d_model, width = attention.w_query.weight.data.shape
    d_k = width // n_heads
    weights = np.zeros(
        (4, d_model + n_heads, n_heads, d_k + 1), attention.w_query.weight.data.dtype
    )
    for i, linear in enumerate((attention.w_query, attention.w_key, attention.w_value)):
        weights[i, :d_model, :, :d_k] = linear.weight.data.reshape(d_model, n_heads, d_k)
        if linear.bias is not None:
            weights[i, d_model, :, :d_k] = linear.bias.data.reshape(n_heads, d_k)
    # scores are divided by the root of d_k + 1
    weights[0] *= math.sqrt((d_k + 1) / d_k)
    # a feature that is 1 in all values is 1 in their mean, for the bias of W^O
    weights[2, d_model, 0, d_k] = 1

    weights = weights.reshape(4, d_model + n_heads, d_model + n_heads)
    output = weights[3].reshape(n_heads, d_k + 1, d_model + n_heads)
    output[:, :d_k, :d_model] = attention.w_output.weight.data.reshape(n_heads, d_k, d_model)
    if attention.w_output.bias is not None:
        output[0, d_k, :d_model] = attention.w_output.bias.data
    return weights


def _with_one(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return x (B, T, D) with the features that `_with_biases` needs: 1, then zeros."""
    more = np.zeros((*x.shape[:2], weights.shape[1] - x.shape[2]), x.dtype)
    more[..., 0] = 1
    return np.concatenate([x, more], -1)


def _top_p(own: Any) -> Methods:
    def draw(self, logits):  # (B, V)
        p = self.top_p or 1
        probabilities = own.top_p_probabilities(
            logits.astype(float), self.temperature, min(p, ALMOST_1)
        )
        return own.draw_tokens(probabilities, self.rng.random(len(logits)))

    return {(Sampler, "__call__"): draw}


DECODING: dict[str, Adapter] = {  # by the id of the exercise
    "greedy": _greedy,
    "beam": _beam,
    "kv_cache": _kv_cache,
    "top_p": _top_p,
}
