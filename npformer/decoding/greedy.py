"""Greedy decoding: always the most probable next token.

Next: beam.py
"""

from collections.abc import Callable

import numpy as np

from ..backend import Array, to_host, xp
from ..models import Transformer
from ..text import EOS
from .cached_decoder import CachedDecoder, check_scores, forbid_padding


def greedy_decode(
    model: Transformer, src: Array, *, bos_id: int | None = None, eos_id: int = EOS, extra: int = 50
) -> list[list[int]]:
    """Translate padded source ids (B, S); return for each sentence its target ids, without <bos> and <eos>.

    A translation begins after the token `bos_id`, by default the model's `config.start_id`, and never contains <pad>.
    It ends with <eos>, or after as many tokens as its source has plus `extra` (paper section 6.1), or at the model's
    max_len. The model is used in eval mode.

    Raises `InputError` when src is not of two axes, empty, or its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> [len(ids) for ids in greedy_decode(model, np.array([[4, 5, 3]]), bos_id=2, eos_id=3, extra=2)]
    [5]
    """

    def most_probable(logits):  # (B, V)
        tokens = logits.argmax(-1)  # (B,), NaN counts as the largest
        check_scores(xp.take_along_axis(logits, tokens[:, None], 1))
        return to_host(tokens)

    return write_token_by_token(
        model, src, most_probable, bos_id=bos_id, eos_id=eos_id, extra=extra
    )


def write_token_by_token(
    model: Transformer, src: Array, choose: Callable, *, bos_id: int | None, eos_id: int, extra: int
) -> list[list[int]]:
    """Translate as `greedy_decode` does; `choose` maps logits (B, V) to the next tokens (B,) on the host."""
    config = model.config
    decoder = CachedDecoder(model, src)
    limits = decoder.length_limits(extra)  # (B,)
    outputs = [[] for _ in limits]
    sentences = np.arange(len(limits))  # those that are not finished, (B,)
    tokens = np.full(len(limits), config.start_id if bos_id is None else bos_id)  # (B,)
    is_unfinished = limits > 0

    while is_unfinished.any():
        sentences, tokens = sentences[is_unfinished], tokens[is_unfinished]
        decoder.keep(np.flatnonzero(is_unfinished))
        logits = decoder.step(tokens[:, None])[:, 0]  # (B, V)
        forbid_padding(logits, config.pad_id)
        tokens = choose(logits)  # (B,)
        for sentence, token in zip(sentences, tokens, strict=True):
            if token != eos_id:
                outputs[sentence].append(int(token))
        is_unfinished = (tokens != eos_id) & (decoder.n_steps < limits[sentences])
    return outputs
