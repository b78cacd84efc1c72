"""Sampling: the next token drawn at random, the likelier the oftener."""

import numpy as np

from ..base import InputError, generator, to_host
from ..models import Transformer
from ..text import BOS, EOS
from .cached_decoder import check_scores
from .greedy import write_token_by_token
from .top_k import top_k as best_of


def sample(
    model: Transformer,
    src,
    *,
    bos_id: int = BOS,
    eos_id: int = EOS,
    rng: np.random.Generator | int | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    extra: int = 50,
) -> list[list[int]]:
    """Draw a translation of each padded source (B, S); return target ids without <bos> and <eos>.

        P(token) = softmax(logits / temperature)

    A temperature below 1 favours the likely tokens, one above 1 the others; with `top_k` only so many of the likeliest
    are drawn from. Limits on length are those of `greedy_decode`. The same state of `rng` gives the same translations
    of the same batch. The model is used in eval mode.

    Raises `InputError` when temperature is not above 0 or top_k is below 1, and when src is not of two axes, empty,
    or its ids do not fit the model.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model, rng = Transformer(config, rng=np.random.default_rng(0)), np.random.default_rng(1)
    >>> [len(ids) for ids in sample(model, np.array([[4, 5, 3]]), bos_id=2, eos_id=-1, rng=rng, extra=2)]
    [5]
    """
    if not temperature > 0:
        raise InputError(f"temperature = {temperature}: expected a number above 0; for the likeliest use greedy_decode")
    if top_k is not None and top_k < 1:
        raise InputError(f"top_k = {top_k}: expected 1 or more tokens to draw from, or None for all")

    rng = generator(rng)

    def draw(logits):  # (B, V)
        check_scores(logits.max(-1))
        n = min(top_k or logits.shape[1], logits.shape[1])
        values, tokens = map(to_host, best_of(logits, n))  # (B, n), best first
        # the largest of values to which Gumbel noise is added is a draw from their softmax
        noisy = values / temperature + rng.gumbel(size=values.shape)
        return np.take_along_axis(tokens, noisy.argmax(1)[:, None], 1)[:, 0]  # (B,)

    return write_token_by_token(model, src, draw, bos_id=bos_id, eos_id=eos_id, extra=extra)
