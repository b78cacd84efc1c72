"""What a translator writes when its encoder gets vectors, in place of the ids of words."""

from __future__ import annotations

from typing import Any

import numpy as np

import npformer as npf
from npformer.tasks import Translator
from npformer.text import UNK


class _GivenVectors(npf.Module):
    """An input embedding that returns the same vectors for all ids."""

    def __init__(self, x):
        self.x = x

    def forward(self, ids):
        return self.x


class _NoPositions(npf.Module):
    """A positional encoding that adds nothing."""

    def forward(self, x, start=0):
        return x


def translate_vectors(translator: Translator, x, *, decoder_positions: bool = True) -> str:
    """Return the translation of a sentence whose vectors (T, D) enter the encoder's first layer.

    They are what embedding and positions give. `decoder_positions` is whether the decoder adds
    positions to the words that it has written.
    """
    encoder: Any = translator.model.encoder  # its input embedding is replaced for a moment
    decoder_embedding = translator.model.decoder.input_embedding
    input_embedding = encoder.input_embedding
    positions = decoder_embedding.positions
    try:
        encoder.input_embedding = _GivenVectors(np.asarray(x, "float32")[None])
        if not decoder_positions:
            decoder_embedding.positions = _NoPositions()
        [[best]] = translator.translations([[UNK] * len(x)])
    finally:
        encoder.input_embedding = input_embedding
        decoder_embedding.positions = positions
    return best.text


def with_exchanged_waves(x, waves, pairs: list[tuple[str, str]], words: list[str]) -> np.ndarray:
    """Return the vectors x (T, D) plus their rows of waves, which the words of a pair exchange.

    Arguments:
        x: a vector for each word, without positions
        waves: a row for each position, at least T
        pairs: words, each of which is once in the sentence
        words: the sentence
    """
    rows = waves[: len(x)].copy()
    for one, other in pairs:
        places = [words.index(one), words.index(other)]
        rows[places] = rows[places[::-1]]
    return x + rows
