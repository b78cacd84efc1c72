"""From a sentence to its translation."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..base.errors import InputError
from ..models import Transformer
from ..tasks.model_folder import ModelFolder
from ..text import BOS, EOS, AnyVocabulary
from .beam import beam_search, check_settings
from .greedy import greedy_decode
from .many import decode_many

BEAM, ALPHA = 4, 0.6  # paper section 6.1
BATCH_TOKENS = 4096


class Translation(NamedTuple):
    """A translation as text, and its score: log-probability over length penalty, the higher the better."""

    text: str
    score: float


class Translator:
    """A trained model with its two vocabularies.

    Build one with `Translator.load(run)`; `translate` then takes sentences as plain text. Unknown words are read as
    <unk>; `source.unknown(sentence)` names them.
    """

    def __init__(self, model: Transformer, source: AnyVocabulary, target: AnyVocabulary):
        self.model = model
        self.source = source
        self.target = target

    @classmethod
    def load(cls, run: str | os.PathLike) -> Translator:
        """Return the translator of a run folder. Raises `InputError` when the folder is missing or damaged."""
        folder = ModelFolder(run)
        source, target = folder.vocabularies()
        return cls(folder.load_model(), source, target)

    def save(self, folder: str | os.PathLike) -> None:
        """Make a run folder of a model that was trained without one, for `load`, `npformer translate` and so on.

        Raises `InputError` when the folder holds a run already, or cannot be made.
        """
        new = ModelFolder(folder)
        new.create(self.model.config, self.source, self.target)
        new.save_weights(self.model.state_dict())
        new.complete()

    def encode(self, sentence: str) -> list[int]:
        """Return a sentence's source ids with <eos>; white space around it is not read.

        Raises `InputError` when the sentence is empty or too long.
        """
        ids = [*self.source.encode(sentence.strip()), EOS]
        if len(ids) == 1:
            raise InputError("the sentence is empty: give at least one word")
        if len(ids) > self.model.config.max_len:
            raise InputError(
                f"the sentence has {len(ids)} tokens with <eos>, more than max_len = {self.model.config.max_len}: "
                "cut it into shorter sentences"
            )
        return ids

    def translate(
        self, sentences: Sequence[str], *, beam: int = BEAM, alpha: float = ALPHA, batch_tokens: int = BATCH_TOKENS
    ) -> list[str]:
        """Translate sentences, in their order, about `batch_tokens` source tokens at a time.

        By beam search, section 6.1 of the paper; with beam = 1 greedily.

        Raises `InputError` when a sentence is empty or longer than the model's max_len, or beam or alpha out of range.
        """
        check_settings(beam, alpha)
        if beam > 1:
            best = self.n_best(sentences, beam=beam, alpha=alpha, batch_tokens=batch_tokens)
            return [translations[0].text for translations in best]

        def decode(src):  # (B, S)
            return greedy_decode(self.model, src, bos_id=BOS, eos_id=EOS)

        return [self.target.decode(ids) for ids in self.decoded(decode, sentences, batch_tokens)]

    def n_best(
        self,
        sentences: Sequence[str],
        *,
        n: int = 1,
        beam: int = BEAM,
        alpha: float = ALPHA,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[list[Translation]]:
        """Return for each sentence its n best translations by beam search, best first; arguments as in `translate`.

        There are fewer when the search finishes fewer. Raises `InputError` also when n is not in 1 .. beam.
        """
        check_settings(beam, alpha, n)

        def decode(src):  # (B, S)
            return beam_search(self.model, src, bos_id=BOS, eos_id=EOS, beam=beam, alpha=alpha, n_best=n)

        return [
            [Translation(self.target.decode(hypothesis.ids), hypothesis.score) for hypothesis in hypotheses]
            for hypotheses in self.decoded(decode, sentences, batch_tokens)
        ]

    def decoded(self, decode: Callable, sentences: Sequence[str], batch_tokens: int) -> list:
        """Return what `decode`, which takes padded ids (B, S), makes of each sentence."""
        return decode_many(self.model, decode, [self.encode(s) for s in sentences], batch_tokens=batch_tokens)
