"""Greedy decoding: always the most probable next token.

Next: beam.py
"""

from collections.abc import Callable

import numpy as np

from ..backend import Array, to_host, xp
from ..models import Transformer, TransformerConfig
from ..text import EOS
from .cached_decoder import CachedDecoder
from .scores import check_scores, forbid_padding

__all__ = ["greedy_decode", "length_limits", "most_probable_tokens"]


def most_probable_tokens(logits: Array) -> np.ndarray:  # (B, V)
    """Return the most probable token of each row, (B,), on the host."""
    tokens = logits.argmax(-1)  # (B,); NaN counts as the largest
    check_scores(xp.take_along_axis(logits, tokens[:, None], 1))
    return to_host(tokens)


def greedy_decode(
    model: Transformer,
    src: Array,
    *,
    bos_id: int | None = None,
    eos_id: int = EOS,
    max_extra_tokens: int = 50,
    choose: Callable[[Array], np.ndarray] = most_probable_tokens,
) -> list[list[int]]:
    """Translate padded source ids (B, S); return each translation's ids, without <bos> and <eos>.

    `CachedDecoder` gives the logits that `model.decode` gives for all tokens so far, but is given
    the newest token alone. A sentence leaves the batch when its translation ends. The model is
    used in eval mode.

    The other arguments, by keyword:
        bos_id: the token that each translation begins with, by default `model.config.start_id`.
        eos_id: the token that ends a translation.
        max_extra_tokens: a translation ends, even without <eos>, when it has that many tokens more
            than its source (paper section 6.1), or as many as the model's max_len allows.
        choose: returns the next tokens (B,), on the host, for logits (B, V), in which <pad> has
            -inf; by default the most probable ones. `sample` draws them.

    Raises `InputError` when src is not of two axes, empty, or its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> src = np.array([[4, 5, 3]])
    >>> [len(ids) for ids in greedy_decode(model, src, bos_id=2, eos_id=3, max_extra_tokens=2)]
    [5]
    """
    decoder = CachedDecoder(model, src)
    if bos_id is None:
        bos_id = model.config.start_id
    limits = length_limits(model.config, src, max_extra_tokens)  # (B,)
    translations: list[list[int]] = [[] for _ in limits]

    sentences = np.arange(len(limits))  # the numbers of those that are not finished
    tokens = np.full(len(limits), bos_id)  # the newest token of each of them
    unfinished = limits > 0

    while unfinished.any():
        sentences = sentences[unfinished]
        tokens = tokens[unfinished]
        decoder.select_sentences(np.flatnonzero(unfinished))

        logits = decoder.step(tokens[:, None])[:, 0]  # (B, V)
        forbid_padding(logits, model.config.pad_id)
        tokens = choose(logits)  # (B,)

        for sentence, token in zip(sentences, tokens, strict=True):
            if token != eos_id:
                translations[sentence].append(int(token))
        unfinished = (tokens != eos_id) & (decoder.n_steps < limits[sentences])
    return translations


def length_limits(config: TransformerConfig, src: Array, max_extra_tokens: int) -> np.ndarray:
    """Return how many tokens each translation of src (B, S) may have, (B,), on the host.

    That is the number of its source's tokens, padding not counted, plus `max_extra_tokens` (paper
    section 6.1), and never more than the model can read: max_len with <bos>.
    """
    source_lengths = (to_host(src) != config.pad_id).sum(1)  # (B,)
    return np.minimum(source_lengths + max_extra_tokens, config.max_len - 1)
