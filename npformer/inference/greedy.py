"""Greedy decoding: always the most likely next token."""

from __future__ import annotations

import numpy as np

from ..backend import to_device, to_host
from ..model import Transformer


def greedy_decode(model: Transformer, src, *, bos_id: int, eos_id: int, extra: int = 50) -> list[list[int]]:
    """Translate padded source ids (B, S); return for each sentence its target ids, without <bos> and <eos>.

    A sentence ends with <eos>, or after as many tokens as its source has plus `extra` (paper section 6.1), or at the
    model's max_len. The model is used in eval mode. Sentences that have ended leave the batch.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> [len(ids) for ids in greedy_decode(model, np.array([[4, 5, 3]]), bos_id=2, eos_id=3, extra=2)]
    [5]
    """
    with model.evaluating():
        src = to_device(src)
        memory = model.encode(src)  # (B, S, D)
        limits = to_host((src != model.config.pad_id).sum(1)) + extra  # (B,)
        limits = np.minimum(limits, model.config.max_len - 1)
        results = [[] for _ in range(len(src))]
        going = np.arange(len(src))  # which sentences the rows still stand for
        tgt = np.full((len(src), 1), bos_id)

        while len(going):
            logits = model.decode(tgt, memory, src, last_only=True)  # (B, 1, V)
            tokens = to_host(logits[:, 0].argmax(-1))  # (B,)
            for sentence, token in zip(going, tokens, strict=True):
                if token != eos_id:
                    results[sentence].append(int(token))
            tgt = np.concatenate([tgt, tokens[:, None]], 1)
            open_rows = (tokens != eos_id) & (tgt.shape[1] - 1 < limits[going])
            if not open_rows.all():
                going, tgt = going[open_rows], tgt[open_rows]
                rows = to_device(np.flatnonzero(open_rows))
                memory, src = memory[rows], src[rows]
    return results
