"""The decoder of figure 1 one position at a time, with the keys and values of all earlier positions cached."""

from collections.abc import Callable
from copy import copy
from types import SimpleNamespace

import numpy as np

from ..backend import Array, to_device, to_host, xp
from ..layers import ScaledDotProductAttention
from ..layers.add_norm import AddNorm
from ..models import DecoderLayer, LanguageModel, Transformer
from ..utils import InputError
from .kv_cache import KeyValueCache


class CachedDecoder:
    """The state of one generation: the memory of the sentences, and the keys and values of the tokens so far.

    Source ids (B, S) are encoded once. Each `step` then takes the next token of K hypotheses per sentence, (B, K), and
    returns the logits of the tokens after those, (B, K, V): the last ones of what `model.decode` gives for the whole
    prefixes. `follow` and `keep` say which hypotheses and sentences continue. The model is used in eval mode. All
    arithmetic is that of its layers.

    The K hypotheses of a sentence share its memory; each has a row of its own in the cache of the tokens.

    A language model has no source: `CachedDecoder(model)`. There `read` takes several tokens of each text at once.

    Raises `InputError` when ids are not integers, out of range, or not of two axes, and when a source or the target
    becomes longer than max_len.

    >>> from npformer import TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    >>> decoder = CachedDecoder(model, np.array([[4, 5, 3]]))
    >>> first, second = decoder.step(np.array([[2]])), decoder.step(np.array([[7]]))
    >>> with model.evaluating():
    ...     expected = model.forward(np.array([[4, 5, 3]]), np.array([[2, 7]]))
    >>> second.shape, np.allclose(second, expected[:, -1:], atol=1e-5)
    ((1, 1, 10), True)
    """

    def __init__(self, model: Transformer | LanguageModel, src: Array | None = None):  # (B, S)
        self.model = model
        self.n_steps, self.n_hypotheses = 0, 1
        memory = self.memory_mask = None
        with model.evaluating(), np.errstate(all="ignore"):  # who chooses a token checks the scores
            if src is not None:
                src = to_device(src)
                memory, self.memory_mask = model.encode(src)  # (B, S, D), (B, 1, S)
                self.source_lengths = to_host(self.memory_mask[:, 0].sum(1))  # (B,)
            self.layers = [
                CachedDecoderLayer(layer, memory, model.config.neighbors)
                for layer in model.decoder.layers
            ]

    def length_limits(self, extra: int) -> np.ndarray:
        """Return how many tokens each translation may have, (B,), on the host.

        That is the number of its source's tokens plus `extra` (paper section 6.1), padding not counted, and never more
        than the model can read: max_len with <bos>.
        """
        return np.minimum(self.source_lengths + extra, self.model.config.max_len - 1)

    def step(self, tokens: Array) -> Array:  # (B, K)
        """Read the next token of each hypothesis, on the host; return the logits (B, K, V) of what follows."""
        tokens = np.asarray(tokens)
        self.n_hypotheses = tokens.shape[1]
        return self.read(tokens.reshape(-1, 1)).reshape(*tokens.shape, -1)

    def read(self, tokens: Array) -> Array:  # (N, T)
        """Read the next T tokens of N hypotheses, on the host; return the logits (N, 1, V) after the last of them."""
        decoder = self.model.decoder
        with self.model.evaluating(), np.errstate(all="ignore"):
            x = decoder.tokens.forward(tokens, start=self.n_steps)  # (N, T, D)
            self.n_steps += tokens.shape[1]
            for layer in self.layers:
                x = layer.read(x, self.memory_mask)
            x = decoder.norm.forward(x) if decoder.norm else x
            return self.model.generator.forward(x[:, -1:])  # (N, 1, V)

    def follow(self, parents: Array) -> None:  # (B, K)
        """Let hypothesis k of sentence b continue what was hypothesis parents[b, k], numbers on the host."""
        rows = np.arange(len(parents))[:, None] * self.n_hypotheses + parents
        for layer in self.layers:
            layer.tokens.select(to_device(rows.reshape(-1)))

    def keep(self, sentences: Array) -> None:
        """Continue with these sentences alone, in this order: their numbers, on the host."""
        rows = np.asarray(sentences)[:, None] * self.n_hypotheses + np.arange(self.n_hypotheses)
        sentences = to_device(np.asarray(sentences))
        self.memory_mask = self.memory_mask[sentences]
        for layer in self.layers:
            layer.tokens.select(to_device(rows.reshape(-1)))
            layer.memory.select(sentences)


class CachedDecoderLayer:
    """A DecoderLayer with the keys and values of its two attentions: of the tokens so far, and of the memory."""

    def __init__(self, layer: DecoderLayer, memory: Array, neighbors: int | None):  # (B, S, D)
        self.layer, self.neighbors = layer, neighbors
        self.self_attention = layer.self_attention.sublayer
        if neighbors is not None:  # the mask of `read` says which keys are near
            self.self_attention = copy(self.self_attention)
            self.self_attention.attention = ScaledDotProductAttention(causal=True).eval()
        self.tokens, self.memory = KeyValueCache(), KeyValueCache()
        if memory is not None:
            self.memory.append(*layer.cross_attention.sublayer.project(memory, memory))

    def read(self, x: Array, memory_mask: Array) -> Array:  # (N, T, D), (B, 1, S)
        """Take the newest positions through the layer, as DecoderLayer.forward does: (N, T, D)."""

        def attend_to_tokens(x):  # (N, T, D)
            attention, length = self.self_attention, x.shape[1]
            self.tokens.append(*attention.project(x, x))
            keys, values = self.tokens.keys, self.tokens.values  # (N, H, L, d_k), (N, H, L, d_v)
            if self.neighbors is None:
                return attention.attend(x, keys, values)
            n_keys = keys.shape[2]
            near = xp.triu(
                xp.ones((length, n_keys), bool), n_keys - length - self.neighbors
            )  # (T, L)
            return attention.attend(x, keys, values, near)

        def attend_to_memory(x):  # (N, T, D)
            keys, values = self.memory.keys, self.memory.values  # (B, H, S, d_k), (B, H, S, d_v)
            together = x.reshape(
                len(keys), -1, x.shape[-1]
            )  # (B, K * T, D): the hypotheses of a sentence
            return self.layer.cross_attention.sublayer.attend(
                together, keys, values, memory_mask
            ).reshape(x.shape)

        x = _around(attend_to_tokens, self.layer.self_attention).forward(x)
        if self.memory.keys is not None:
            x = _around(attend_to_memory, self.layer.cross_attention).forward(x)
        return self.layer.feed_forward.forward(x)


def _around(function: Callable, add_norm: AddNorm) -> AddNorm:
    """Return an Add & Norm with the dropout and the norm of this one, and a function in place of the sub-layer."""
    other = type(add_norm).__new__(type(add_norm))
    other.sublayer, other.dropout, other.norm = (
        SimpleNamespace(forward=function),
        add_norm.dropout,
        add_norm.norm,
    )
    return other


def forbid_padding(scores: Array, pad_id: int) -> None:  # (..., V)
    """Give padding, in place, a score below that of all other tokens, so that it is never chosen."""
    scores[..., pad_id] = -np.inf


def check_scores(scores: Array) -> None:
    """Raise `InputError` when a token's score is not a finite number, which only diverged weights give."""
    if not np.isfinite(to_host(scores)).all():
        raise InputError(
            "the model's scores are not numbers: its weights have diverged, lower the learning rate"
        )


def top_k(scores: Array, k: int) -> tuple[Array, Array]:
    """Return the k largest of each row of scores (N, M), or all M, best first, and their columns: (N, k), (N, k).

    >>> largest, columns = top_k(np.array([[0.1, 0.9, 0.4], [0.5, 0.3, 0.7]]), 2)
    >>> largest.tolist(), columns.tolist()
    ([[0.9, 0.4], [0.7, 0.5]], [[1, 2], [2, 0]])
    """
    columns = xp.argpartition(-scores, min(k, scores.shape[1] - 1), axis=1)[
        :, :k
    ]  # (N, k), in any order
    columns = xp.take_along_axis(
        columns, xp.argsort(-xp.take_along_axis(scores, columns, 1), axis=1), 1
    )
    return xp.take_along_axis(scores, columns, 1), columns
