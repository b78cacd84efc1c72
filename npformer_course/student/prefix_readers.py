"""The model of the exercises on decoding: prefixes to logits, without a cache and with one."""

from collections.abc import Callable

import numpy as np

from npformer import Transformer
from npformer.decoding import CachedDecoder

Reader = Callable[[np.ndarray], np.ndarray]


def batch_reader(model: Transformer, src: np.ndarray) -> Reader:
    """Return what reads a prefix of each sentence (B, t), and gives all its logits (B, t, V)."""
    return lambda ids: model.forward(src, ids)


def hypotheses_reader(model: Transformer, source: np.ndarray) -> Reader:
    """Return what reads prefixes (K, t) of one sentence, and gives their last logits (K, V)."""
    memory, mask = model.encode(source)  # (1, S, D), (1, 1, S)

    def read(prefixes):
        k = len(prefixes)
        return model.decode(prefixes, memory.repeat(k, 0), mask.repeat(k, 0))[:, -1]

    return read


def cached_batch_reader(model: Transformer, src: np.ndarray) -> Reader:
    """Return what `batch_reader` returns, for prefixes that grow by one token in each call."""
    decoder = CachedDecoder(model, src)
    logits: list[np.ndarray] = []  # (B, 1, V) each

    def read(ids):
        logits.append(decoder.step(ids[:, -1:]))
        return np.concatenate(logits, 1)

    return read


def cached_hypotheses_reader(model: Transformer, source: np.ndarray) -> Reader:
    """Return what `hypotheses_reader` returns, for prefixes that continue those before."""
    decoder = CachedDecoder(model, source)
    before: list[list[int]] = []

    def read(prefixes):
        if before:
            # the rows of the cache must follow the hypotheses
            parents = [before.index(prefix[:-1]) for prefix in prefixes.tolist()]
            decoder.select_hypotheses(np.array([parents]))
        before[:] = prefixes.tolist()
        return decoder.step(prefixes[None, :, -1])[0]

    return read
