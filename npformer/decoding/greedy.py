"""Greedy decoding: always the most likely next token."""

from ..base.backend import to_host, xp
from ..models import Transformer
from ..text import BOS, EOS
from .limits import check_scores
from .token_by_token import write_token_by_token


def greedy_decode(model: Transformer, src, *, bos_id: int = BOS, eos_id: int = EOS, extra: int = 50) -> list[list[int]]:
    """Translate padded source ids (B, S); return for each sentence its target ids, without <bos> and <eos>.

    A sentence ends with <eos>, or after as many tokens as its source has plus `extra` (paper section 6.1), or at the
    model's max_len. The model is used in eval mode. Sentences that have ended leave the batch.

    Raises `InputError` when src is not of two axes, empty, or its ids do not fit the model.

    >>> import numpy as np
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
