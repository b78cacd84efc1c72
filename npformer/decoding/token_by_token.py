"""Writing translations token by token, whichever way the next token is chosen."""

from collections.abc import Callable

import numpy as np

from ..models import Transformer
from .cached_decoder import CachedDecoder
from .limits import length_limits


def write_token_by_token(
    model: Transformer, src, choose: Callable, *, bos_id: int, eos_id: int, extra: int
) -> list[list[int]]:
    """Translate padded source ids (B, S), each next token chosen from the logits: `choose` turns (B, V) into (B,).

    A sentence ends with <eos> or at its limit, and then leaves the batch. The chosen tokens are on the host.
    """
    with model.evaluating():
        decoder = CachedDecoder(model, src)
        limits = length_limits(model, src, extra)  # (B,)
        results = [[] for _ in limits]
        tokens = np.full(len(limits), bos_id)  # (B,)
        going = np.arange(len(limits))  # which sentences the rows still stand for
        still_open = limits > 0

        while still_open.any():
            if not still_open.all():
                going, tokens = going[still_open], tokens[still_open]
                decoder.keep(np.flatnonzero(still_open))
            logits = decoder.step(tokens[:, None])[:, 0]  # (B, V)
            tokens = choose(logits)  # (B,)
            for sentence, token in zip(going, tokens, strict=True):
                if token != eos_id:
                    results[sentence].append(int(token))
            still_open = (tokens != eos_id) & (decoder.n_steps < limits[going])
    return results
