"""The decoder of figure 1 one position at a time, with the keys and values of all earlier positions at hand."""

from __future__ import annotations

import numpy as np

from ..base.backend import to_device, xp
from ..base.errors import InputError
from ..layers import AddNorm, MultiHeadAttention
from ..layers.multi_head_attention import merge_heads, split_heads
from ..layers.rows import flat
from ..models import DecoderLayer, Transformer, padding_mask
from .kv_cache import KeyValueCache


class CachedDecoder:
    """All that one generation remembers: the sentences' memory, and the keys and values of the tokens so far.

    Source ids (B, S) are encoded once by a model in eval mode. Each `step` then takes the next token of K hypotheses
    a sentence, (B, K), and returns the logits of the tokens after those, (B, K, V): the last ones of what
    `model.decode` gives for the whole prefixes. `follow` and `keep` tell which hypotheses and sentences went on.

    The K hypotheses of a sentence share its memory and also one row of cached keys, those of all K tokens of the first
    step, then of the second, and so on. A mask says which of them lie on a hypothesis' own path, so that nothing is
    moved when hypotheses fork.

    Raises `InputError` when ids are not integers, out of range, or not of two axes, and when a source or the target
    grows longer than max_len.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0)).eval()
    >>> decoder = CachedDecoder(model, np.array([[4, 5, 3]]))
    >>> first, second = decoder.step(np.array([[2]])), decoder.step(np.array([[7]]))
    >>> expected = model.forward(np.array([[4, 5, 3]]), np.array([[2, 7]]))
    >>> second.shape, np.allclose(second, expected[:, -1:], atol=1e-5)
    ((1, 1, 10), True)
    """

    def __init__(self, model: Transformer, src):  # (B, S)
        src = to_device(src)
        model.check_ids_fit(src, src)
        self.model = model
        self.n_steps = 0
        self.own_path = None  # (B, K, n_steps * K) on the host, True = may attend; None while there is nothing to hide
        self.positions = all_positions(model)  # (max_len, D)
        mask = padding_mask(src, model.config.pad_id)  # (B, 1, S)
        self.memory_mask = None if mask.all() else mask[:, None]  # (B, 1, 1, S)
        self.to_logits = xp.ascontiguousarray(model.generator.table.data.T)  # (D, V), for few rows the faster way round
        memory = model.encode(src)  # (B, S, D)
        self.layers = [CachedDecoderLayer(layer, memory) for layer in model.decoder.layers]

    def step(self, tokens):  # (B, K)
        """Read the next token of each hypothesis, on the host; return the logits (B, K, V) of what follows."""
        if self.n_steps == len(self.positions):
            raise InputError(f"the target is longer than max_len = {self.n_steps}: build the model with a larger one")
        self.extend_own_path(tokens)
        mask = None if self.own_path is None else to_device(self.own_path)[:, None]  # (B, 1, K, n_steps * K)
        x = self.model.decoder.tokens.embedding.forward(tokens)  # (B, K, D)
        x += self.positions[self.n_steps]
        for layer in self.layers:
            x = layer.step(x, mask, self.memory_mask)
        norm = self.model.decoder.norm
        self.n_steps += 1
        x = norm.forward(x) if norm else x
        return (flat(x) @ self.to_logits).reshape(*tokens.shape, -1)  # (B, K, V)

    def extend_own_path(self, tokens) -> None:  # (B, K)
        """Let each hypothesis see its newest token, unless that is padding."""
        batch, n = tokens.shape
        newest = np.eye(n, dtype=bool) & (tokens != self.model.config.pad_id)[:, None]  # (B, K, K)
        if self.own_path is None and not newest.all():
            self.own_path = np.ones((batch, n, self.n_steps * n), bool)
        if self.own_path is not None:
            self.own_path = np.concatenate([self.own_path, newest], -1)

    def follow(self, parents) -> None:  # (B, K)
        """Let hypothesis k of sentence b go on from what was hypothesis parents[b, k], numbers on the host."""
        if self.own_path is not None:
            self.own_path = np.take_along_axis(self.own_path, parents[..., None], 1)

    def keep(self, rows) -> None:
        """Go on with these sentences alone, in this order: their numbers, on the host."""
        self.own_path = None if self.own_path is None else self.own_path[rows]
        rows = to_device(rows)
        self.memory_mask = None if self.memory_mask is None else self.memory_mask[rows]
        for layer in self.layers:
            layer.tokens.keep(rows)
            layer.memory.keep(rows)


class CachedDecoderLayer:
    """A DecoderLayer with the keys and values of its two attentions: of the tokens so far, and of the memory."""

    def __init__(self, layer: DecoderLayer, memory):  # (B, S, D)
        self.layer = layer
        self.tokens, self.memory = KeyValueCache(), KeyValueCache()
        self.memory.append(*project(layer.cross_attention.sublayer, memory))

    def step(self, x, mask, memory_mask):  # (B, K, D)
        """Do what DecoderLayer.forward does, for the newest position alone."""
        x = add_norm(self.layer.self_attention, x, self.attend_to_tokens, mask)
        x = add_norm(self.layer.cross_attention, x, self.attend_to_memory, memory_mask)
        return self.layer.feed_forward.forward(x)  # (B, K, D)

    def attend_to_tokens(self, attention: MultiHeadAttention, x, mask):  # (B, K, D)
        """Add the newest position to the cache, then attend to all positions."""
        self.tokens.append(*project(attention, x))
        return attend(attention, x, self.tokens, mask)  # (B, K, D)

    def attend_to_memory(self, attention: MultiHeadAttention, x, mask):  # (B, K, D)
        """Attend to the memory."""
        return attend(attention, x, self.memory, mask)  # (B, K, D)


def add_norm(box: AddNorm, x, sublayer, mask):  # (B, K, D)
    """Run a sub-layer with residual connection and LayerNorm, as AddNorm.forward in eval mode."""
    inner = box.norm.forward(x) if box.pre else x
    total = sublayer(box.sublayer, inner, mask)
    total += x
    return total if box.pre else box.norm.forward(total)  # (B, K, D)


def project(attention: MultiHeadAttention, x):  # (B, L, D)
    """Return the keys (B, H, L, d_k) and the values (B, H, L, d_v) of x."""
    keys, values = attention.w_key.forward(x), attention.w_value.forward(x)
    return split_heads(keys, attention.n_heads), split_heads(values, attention.n_heads)


def attend(attention: MultiHeadAttention, x, cache: KeyValueCache, mask):  # (B, K, D)
    """Finish MultiHeadAttention.forward when keys and values are there: K queries a sentence look at the cache."""
    q = split_heads(attention.w_query.forward(x), attention.n_heads)  # (B, H, K, d_k)
    heads = attention.attention.forward(q, cache.keys, cache.values, mask)  # (B, H, K, d_v)
    return attention.w_output.forward(merge_heads(heads))  # (B, K, D)


def all_positions(model: Transformer):
    """Return the encodings of all positions, sinusoidal or learned: (max_len, D)."""
    config = model.config
    return model.decoder.tokens.positions.forward(xp.zeros((config.max_len, config.d_model), config.dtype))
