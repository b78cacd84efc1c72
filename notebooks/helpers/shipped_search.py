"""The shipped translator as the models of the exercises greedy and beam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

import npformer as npf
from npformer.tasks import TranslationBatch

PAD = 0
BOS = 2
EOS = 3
MAX_LEN = 60  # tokens that are written at most
EMPTY = -1  # in a state: nothing was read yet


@cache
def translator():
    """Return the shipped translator."""
    return npf.load("phrasebook")


def reads_beginnings(sentences: Sequence[str]) -> Callable:
    """Return a model: ids (B, t), which begin with <bos>, to log-probabilities (B, t, V).

    >>> model = reads_beginnings(["The dog sleeps."])
    >>> int(model(np.array([[BOS]]))[0, -1].argmax()) == translator().target.encode("Der")[0]
    True
    """
    src = _source_ids(sentences)

    def model(ids):
        return _log_probabilities(translator().model.forward(src, ids))

    return model


def reads_tokens(sentence: str, beam: int) -> tuple[Callable, np.ndarray]:
    """Return a model, and the state (K, M) of its start, whose rows are equal.

    The model takes the last tokens (K,) and the state (K, M), and returns log-probabilities (K, V)
    of what follows, and the new state. A row of the state is what a hypothesis has read.
    """
    memory, mask = translator().model.encode(_source_ids([sentence]))  # (1, S, D), (1, 1, S)

    def model(tokens, state):
        n_read = int((state[0] != EMPTY).sum())
        state = state.copy()
        state[:, n_read] = tokens
        k = len(tokens)
        read = state[:, : n_read + 1]
        logits = translator().model.decode(read, memory.repeat(k, 0), mask.repeat(k, 0))
        return _log_probabilities(logits[:, -1]), state

    return model, np.full((beam, MAX_LEN), EMPTY)


def token_probabilities(sentence: str, translation: str) -> tuple[list[str], np.ndarray]:
    """Return the tokens of a translation, with <eos>, and the probability of each (T,)."""
    vocabulary = translator().target
    ids = [*vocabulary.encode(translation), EOS]
    read = np.array([[BOS, *ids[:-1]]])
    log_p = reads_beginnings([sentence])(read)[0]  # (T, V)
    tokens = [vocabulary.tokens[i] for i in ids]
    return tokens, np.exp(log_p[np.arange(len(ids)), ids])


def text_of(ids) -> str:
    """Return the words of ids."""
    return translator().target.decode([int(i) for i in ids if i not in (PAD, EOS)])


def _source_ids(sentences: Sequence[str]) -> np.ndarray:
    encoded = [translator().source.encode(sentence) for sentence in sentences]
    return TranslationBatch.of(encoded, encoded).src


def _log_probabilities(logits: np.ndarray) -> np.ndarray:
    shifted = logits.astype(np.float64) - logits.max(-1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    log_p[..., PAD] = -np.inf  # padding is never written
    return log_p
