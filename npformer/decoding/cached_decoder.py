"""The decoder one position at a time, with the keys and values of earlier positions cached."""

from typing import Any

import numpy as np

from ..backend import Array, to_device
from ..layers import MultiHeadAttention
from ..layers.add_norm import AddNorm
from ..models import LanguageModel, Transformer
from ..module import Module
from ..utils import InputError
from .kv_cache import KeyValueCache

__all__ = ["CachedDecoder"]


class CachedDecoder:
    """The decoder of a model, which is given the newest tokens alone.

    Source ids (B, S) are encoded once. Each `step` then takes the next token of K hypotheses per
    sentence, (B, K), and returns the logits of the tokens after those, (B, K, V): the last ones of
    what `model.decode` gives for the whole prefixes. `select_hypotheses` and `select_sentences`
    specify which of them continue.

    All arithmetic is that of the model's layers, in eval mode. No token of a target is masked, so
    padded texts of several lengths cannot be read together. The K hypotheses of a sentence share
    its memory; each has a row of its own in the cache of the tokens.

    Arguments:
        model: a Transformer, or a LanguageModel. With a language model `read` takes several
            tokens of each text at once.
        src: the source ids (B, S) of a Transformer.

    Raises `InputError` when ids are not integers, out of range, or not of two axes, when a source
    or the target becomes longer than max_len, and for a LanguageModel with a source.

    >>> from npformer import TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    >>> src = np.array([[4, 5, 3]])
    >>> decoder = CachedDecoder(model, src)
    >>> first = decoder.step(np.array([[2]]))
    >>> second = decoder.step(np.array([[7]]))
    >>> with model.evaluating():
    ...     expected = model.forward(src, np.array([[2, 7]]))
    >>> second.shape, np.allclose(second, expected[:, -1:], atol=1e-5)
    ((1, 1, 10), True)
    """

    def __init__(self, model: Transformer | LanguageModel, src: Array | None = None):  # (B, S)
        if src is not None and isinstance(model, LanguageModel):
            raise InputError(
                "a LanguageModel has no source to translate: use npf.TextGenerator(model, ...)"
            )
        self.model = model
        self.n_steps = 0  # the tokens read so far
        self.n_hypotheses = 1  # per sentence
        self.memory_mask: Array | None = None
        memory = None
        # warnings are off because the search checks the scores of the tokens it chooses
        with model.evaluating(), np.errstate(all="ignore"):
            if not isinstance(model, LanguageModel):
                memory, self.memory_mask = model.encode(to_device(src))  # (B, S, D), (B, 1, S)
            self.layers = [_CachedDecoderLayer(layer, memory) for layer in model.decoder.layers]

    def step(self, tokens: Array) -> Array:  # (B, K)
        """Read the next token of each hypothesis, on the host; return the logits (B, K, V)."""
        tokens = np.asarray(tokens)
        self.n_hypotheses = tokens.shape[1]
        logits = self.read(tokens.reshape(-1, 1))  # (B * K, 1, V)
        return logits.reshape(*tokens.shape, -1)

    def read(self, tokens: Array) -> Array:  # (N, T)
        """Read the next T tokens of N hypotheses, on the host; return the last logits (N, 1, V)."""
        decoder = self.model.decoder
        with self.model.evaluating(), np.errstate(all="ignore"):
            x = decoder.input_embedding.forward(tokens, start=self.n_steps)  # (N, T, D)
            self.n_steps += tokens.shape[1]
            for layer in self.layers:
                x = layer.read(x, self.memory_mask)
            if decoder.norm is not None:
                x = decoder.norm.forward(x)
            return self.model.generator.forward(x[:, -1:])  # (N, 1, V)

    def select_hypotheses(self, parents: Array) -> None:  # (B, K)
        """Let hypothesis k of sentence b continue what was hypothesis parents[b, k].

        The numbers are on the host.
        """
        rows = np.arange(len(parents))[:, None] * self.n_hypotheses + parents
        for layer in self.layers:
            layer.token_cache.select(rows.reshape(-1))

    def select_sentences(self, sentences: Array) -> None:
        """Continue with these sentences alone, in this order: their numbers, on the host."""
        sentences = np.asarray(sentences)
        rows = sentences[:, None] * self.n_hypotheses + np.arange(self.n_hypotheses)
        if self.memory_mask is not None:
            self.memory_mask = self.memory_mask[to_device(sentences)]
        for layer in self.layers:
            layer.token_cache.select(rows.reshape(-1))
            layer.memory_cache.select(sentences)


class _CachedDecoderLayer:
    """A DecoderLayer, or a layer of a language model, that is given the newest positions alone."""

    def __init__(self, layer: Any, memory: Array | None):
        self_attention = _CachedSelfAttention(layer.self_attention.sublayer)
        self.token_cache = self_attention.cache
        self.self_attention = _with_sublayer(layer.self_attention, self_attention)

        self.memory_cache = KeyValueCache()
        self.cross_attention: AddNorm | None = None  # a language model has none
        if memory is not None:
            cross_attention = _CachedCrossAttention(layer.cross_attention.sublayer, memory)
            self.memory_cache = cross_attention.cache
            self.cross_attention = _with_sublayer(layer.cross_attention, cross_attention)

        self.feed_forward = layer.feed_forward

    def read(self, x: Array, memory_mask: Array | None) -> Array:  # (N, T, D), (B, 1, S)
        """Take the newest positions through the layer, as DecoderLayer.forward does: (N, T, D)."""
        x = self.self_attention.forward(x)
        if self.cross_attention is not None:
            x = self.cross_attention.forward(x, memory_mask)
        return self.feed_forward.forward(x)


class _CachedSelfAttention(Module):
    """The self-attention of the newest positions to themselves and all earlier ones."""

    def __init__(self, attention: MultiHeadAttention):
        self.attention = attention
        self.cache = KeyValueCache()

    def forward(self, x: Array) -> Array:  # (N, T, D)
        self.cache.append(*self.attention.project(x, x))
        keys = self.cache.keys  # (N, H, L, d_k)
        values = self.cache.values  # (N, H, L, d_v)
        return self.attention.attend(x, keys, values)


class _CachedCrossAttention(Module):
    """The attention to the memory, whose keys and values are computed once."""

    def __init__(self, attention: MultiHeadAttention, memory: Array):  # (B, S, D)
        self.attention = attention
        self.cache = KeyValueCache()
        self.cache.append(*attention.project(memory, memory))

    def forward(self, x: Array, memory_mask: Array) -> Array:  # (N, T, D), (B, 1, S)
        keys = self.cache.keys  # (B, H, S, d_k)
        values = self.cache.values  # (B, H, S, d_v)

        # the hypotheses of a sentence share its memory: one after the other they are its queries
        queries = x.reshape(len(keys), -1, x.shape[-1])  # (B, K * T, D)
        return self.attention.attend(queries, keys, values, memory_mask).reshape(x.shape)


def _with_sublayer(add_norm: Any, sublayer: Module) -> AddNorm:
    """Return an Add & Norm that has the dropout and the norm of this one, and another sub-layer."""
    # by the constructor: a copy would keep what a recorder has put around forward
    d_model = add_norm.norm.gain.data.size
    other = type(add_norm)(sublayer, d_model, norm=add_norm.norm)
    other.dropout = add_norm.dropout
    return other
