"""Writing translations token by token: greedily, always the most likely one, or as another choice goes."""

from collections.abc import Callable

import numpy as np

from ..backend import to_host, xp
from ..models import Transformer
from ..text import EOS
from .cached_decoder import CachedDecoder, check_scores, forbid_padding


def greedy_decode(
    model: Transformer, src, *, bos_id: int | None = None, eos_id: int = EOS, extra: int = 50
) -> list[list[int]]:
    """Translate padded source ids (B, S); return for each sentence its target ids, without <bos> and <eos>.

    It is written after the token `bos_id`, the model's own `config.start_id` if not given, and no token of it is <pad>.
    A sentence ends with <eos>, or after as many tokens as its source has plus `extra` (paper section 6.1), or at the
    model's max_len. The model is used in eval mode. Sentences that have ended leave the batch.

    Raises `InputError` when src is not of two axes, empty, or its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> [len(ids) for ids in greedy_decode(model, np.array([[4, 5, 3]]), bos_id=2, eos_id=3, extra=2)]
    [5]
    """

    def most_likely(logits):  # (B, V)
        tokens = logits.argmax(-1)  # (B,), NaN counts as the largest
        check_scores(xp.take_along_axis(logits, tokens[:, None], 1))
        return to_host(tokens)

    return write_token_by_token(model, src, most_likely, bos_id=bos_id, eos_id=eos_id, extra=extra)


def write_token_by_token(
    model: Transformer, src, choose: Callable, *, bos_id: int | None, eos_id: int, extra: int
) -> list[list[int]]:
    """Translate padded source ids (B, S), each next token chosen from the logits: `choose` turns (B, V) into (B,).

    A sentence ends with <eos> or at its limit, and then leaves the batch. The chosen tokens are on the host. What
    begins a sentence, and that <pad> is none of its tokens, is told in `greedy_decode`.
    """
    config = model.config
    with model.evaluating():
        decoder = CachedDecoder(model, src)
        limits = decoder.length_limits(extra)  # (B,)
        results = [[] for _ in limits]
        tokens = np.full(len(limits), config.start_id if bos_id is None else bos_id)  # (B,)
        going = np.arange(len(limits))  # which sentences the rows still stand for
        still_open = limits > 0

        while still_open.any():
            if not still_open.all():
                going, tokens = going[still_open], tokens[still_open]
                decoder.keep(np.flatnonzero(still_open))
            logits = decoder.step(tokens[:, None])[:, 0]  # (B, V)
            forbid_padding(logits, config.pad_id)
            tokens = choose(logits)  # (B,)
            for sentence, token in zip(going, tokens, strict=True):
                if token != eos_id:
                    results[sentence].append(int(token))
            still_open = (tokens != eos_id) & (decoder.n_steps < limits[going])
    return results
