"""From a sentence to its translation."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..model import Transformer
from ..run_folder import RunFolder
from ..text import BOS, EOS, PAD, Vocabulary
from .greedy import greedy_decode


class Translator:
    """A trained model with its two vocabularies.

    Build one with `Translator.load(run)`; `translate` then takes sentences as plain text. Unknown words are read as
    <unk>; `source.unknown(sentence)` names them.
    """

    def __init__(self, model: Transformer, source: Vocabulary, target: Vocabulary):
        self.model = model
        self.source = source
        self.target = target

    @classmethod
    def load(cls, run: str | os.PathLike) -> Translator:
        """Return the translator of a run folder. Raises `InputError` when the folder is missing or damaged."""
        folder = RunFolder(run)
        source, target = folder.vocabularies()
        return cls(folder.load_model(), source, target)

    def encode(self, sentence: str) -> list[int]:
        """Return a sentence's source ids with <eos>. Raises `InputError` when it is empty or too long."""
        ids = [*self.source.encode(sentence), EOS]
        if len(ids) == 1:
            raise InputError("the sentence is empty: give at least one word")
        if len(ids) > self.model.config.max_len:
            raise InputError(
                f"the sentence has {len(ids)} tokens with <eos>, more than max_len = {self.model.config.max_len}: "
                "cut it into shorter sentences"
            )
        return ids

    def translate(self, sentences: Sequence[str], *, batch_tokens: int = 4096) -> list[str]:
        """Translate sentences greedily, in their order; about `batch_tokens` source tokens at a time.

        Raises `InputError` when a sentence is empty or longer than the model's max_len.
        """
        encoded = [self.encode(sentence) for sentence in sentences]
        translations = [""] * len(encoded)
        for group in groups_of_like_length([len(ids) for ids in encoded], batch_tokens):
            src = np.full((len(group), max(len(encoded[i]) for i in group)), PAD)
            for row, i in zip(src, group, strict=True):
                row[: len(encoded[i])] = encoded[i]
            for i, ids in zip(group, greedy_decode(self.model, src, bos_id=BOS, eos_id=EOS), strict=True):
                translations[i] = self.target.decode(ids)
        return translations


def groups_of_like_length(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Cut indices, sorted by length, into groups whose padded size stays within batch_tokens (or a single one).

    >>> groups_of_like_length([3, 9, 4, 3], batch_tokens=12)
    [[0, 3, 2], [1]]
    """
    groups = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and (len(groups[-1]) + 1) * lengths[i] <= batch_tokens:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
