"""The decoder of figure 1 one position at a time, with the keys and values of all earlier positions at hand."""

import numpy as np

from ..backend import to_device, to_host, xp
from ..layers import LocalAttention, ScaledDotProductAttention
from ..models import DecoderLayer, LanguageModel, Transformer, causal_mask
from ..utils import InputError
from .kv_cache import KeyValueCache


class CachedDecoder:
    """All that one generation remembers: the sentences' memory, and the keys and values of the tokens so far.

    Source ids (B, S) are encoded once. Each `step` then takes the next token of K hypotheses a sentence, (B, K), and
    returns the logits of the tokens after those, (B, K, V): the last ones of what `model.decode` gives for the whole
    prefixes. `follow` and `keep` tell which hypotheses and sentences went on. The model is used in eval mode, whichever
    it is in. The arithmetic is that of its layers; here is only what is kept.

    The K hypotheses of a sentence share its memory and also one row of cached keys, those of all K tokens of the first
    step, then of the second, and so on. A mask says which of them lie on a hypothesis' own path, so that nothing is
    moved when hypotheses fork.

    A language model has no source: `CachedDecoder(model)`. There `read` takes several tokens of each text at once.

    Raises `InputError` when ids are not integers, out of range, or not of two axes, and when a source or the target
    grows longer than max_len.

    >>> from npformer import TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10), rng=0)
    >>> decoder = CachedDecoder(model, np.array([[4, 5, 3]]))
    >>> first, second = decoder.step(np.array([[2]])), decoder.step(np.array([[7]]))
    >>> with model.evaluating():
    ...     expected = model.forward(np.array([[4, 5, 3]]), np.array([[2, 7]]))
    >>> second.shape, np.allclose(second, expected[:, -1:], atol=1e-5)
    ((1, 1, 10), True)
    """

    def __init__(self, model: Transformer | LanguageModel, src=None):  # (B, S)
        self.model = model
        self.n_steps = 0
        self.own_path = None  # (B, K, n_steps * K) on the host, True = may attend; None while there is nothing to hide
        self.matrix = model.generator.matrix()  # (D, V), or of a shared table of another width (d_word_vec, V)
        memory = self.memory_mask = None
        with model.evaluating(), np.errstate(all="ignore"):
            if src is not None:
                src = to_device(src)
                model.check_ids_fit(src, src)
                self.source_lengths = to_host((src != model.config.pad_id).sum(1))  # (B,)
                memory, mask = model.encode(src)  # (B, S, D), (B, 1, S)
                self.memory_mask = None if mask.all() else mask
            self.layers = [CachedDecoderLayer(layer, memory) for layer in model.decoder.layers]

    def length_limits(self, extra: int) -> np.ndarray:
        """Return how many tokens each translation may have, (B,), on the host.

        That is as many as its source has plus `extra` (paper section 6.1), padding not counted, and never more than the
        model can read: max_len with <bos>.
        """
        return np.minimum(self.source_lengths + extra, self.model.config.max_len - 1)

    def step(self, tokens):  # (B, K)
        """Read the next token of each hypothesis, on the host; return the logits (B, K, V) of what follows."""
        tokens = np.asarray(tokens)
        if tokens.ndim != 2:
            raise InputError(f"step got tokens of shape {tokens.shape}: expected (sentences, hypotheses)")
        tokens = tokens[..., None]  # (B, K, 1)
        mask = self.extended_own_path(tokens)  # (B, K, n_steps * K)
        with self.model.evaluating():
            x = self.model.decoder.tokens.forward(tokens, start=self.n_steps)[..., 0, :]  # (B, K, D)
            self.n_steps += 1
            return self.logits(x, mask)

    def read(self, tokens):  # (B, T)
        """Read the next T tokens of one hypothesis a sentence, on the host; return the logits (B, 1, V) after them."""
        length, before = tokens.shape[1], self.n_steps
        mask, neighbours = self.extended_own_path(tokens[:, None]), self.model.config.neighbours  # (B, 1, n_steps)
        if neighbours is not None:
            near = xp.triu(causal_mask(length, before), before - neighbours)  # (T, n_steps)
            mask = near if mask is None else near & mask  # (B, T, n_steps)
        with self.model.evaluating():
            x = self.model.decoder.tokens.forward(tokens, start=before)  # (B, T, D)
            self.n_steps += length
            return self.logits(x, mask)[:, -1:]

    def logits(self, x, mask):  # (B, K, D), (B, K, n_steps * K)
        """Take the newest positions through all layers."""
        norm = self.model.decoder.norm
        with np.errstate(all="ignore"):  # whoever chooses a token sees to that
            for layer in self.layers:
                x = layer.step(x, mask, self.memory_mask)
            return self.model.generator.forward(norm.forward(x) if norm else x, self.matrix)  # (B, K, V)

    def extended_own_path(self, tokens):  # (B, K, T), of which K or T is 1
        """Let each hypothesis see its newest tokens but for padding, and `neighbours` tokens before the first of them.

        A start token that is padding is seen, as `target_mask` has it. Return the mask (B, K, n_steps * K), None while
        there is nothing to hide.
        """
        batch, n, length = tokens.shape
        config = self.model.config
        seen = tokens != config.pad_id  # (B, K, T)
        if self.n_steps == 0 and config.start_id == config.pad_id:
            seen[..., 0] = True
        newest = (np.eye(n, dtype=bool)[..., None] & seen[:, None]).reshape(batch, n, n * length)
        neighbours = config.neighbours
        n_far = 0 if neighbours is None else max(self.n_steps - neighbours, 0) * n
        if self.own_path is None and (n_far or not newest.all()):
            self.own_path = np.ones((batch, n, self.n_steps * n), bool)
        if self.own_path is not None:
            self.own_path = np.concatenate([self.own_path, newest], -1)
            self.own_path[..., :n_far] = False
        return None if self.own_path is None else to_device(self.own_path)

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
        restricted = isinstance(layer.self_attention.sublayer.attention, LocalAttention)
        self.attention = ScaledDotProductAttention().eval() if restricted else None  # the mask has the neighbourhood
        if layer.cross_attention:
            self.memory.append(*layer.cross_attention.sublayer.project(memory, memory))

    def step(self, x, mask, memory_mask):  # (B, K, D)
        """Take the newest positions through the layer's boxes, in the order of DecoderLayer.forward."""
        layer, to_itself, to_memory = self.layer, self.layer.self_attention, self.layer.cross_attention

        def attend_to_tokens(x):  # (B, K, D)
            self.tokens.append(*to_itself.sublayer.project(x, x))
            return to_itself.sublayer.attend(x, self.tokens.keys, self.tokens.values, mask, self.attention)

        def attend_to_memory(x):  # (B, K, D)
            return to_memory.sublayer.attend(x, self.memory.keys, self.memory.values, memory_mask)

        x = to_itself.around(x, attend_to_tokens)
        if to_memory:
            x = to_memory.around(x, attend_to_memory)
        return layer.feed_forward.forward(x)  # (B, K, D)


def forbid_padding(scores, pad_id: int) -> None:  # (..., V)
    """Let no token that is chosen be padding: give it, in place, a score below all others."""
    scores[..., pad_id] = -np.inf


def check_scores(scores) -> None:
    """Raise `InputError` where a score of a token is no number, which no weights but diverged ones give."""
    if not np.isfinite(to_host(scores)).all():
        raise InputError("the model's scores are no numbers: its weights have diverged, lower the learning rate")
