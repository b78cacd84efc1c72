"""From a sentence to its translation."""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..decoding.beam import BeamSearchConfig, beam_search
from ..decoding.greedy import greedy_decode
from ..models import Transformer, TransformerConfig
from ..text import BaseVocabulary, add_special_tokens, describe_special_tokens, fits
from ..utils import InputError
from .predictor import BATCH_TOKENS, Predictor, as_texts, decode_batched

__all__ = ["Translation", "Translator"]


class Translation(NamedTuple):
    """A translation as text, and its score: log-probability over length penalty."""

    text: str
    score: float


class Translator(Predictor):
    """A trained model with its two vocabularies.

    `npf.load(run)` returns one; `translate` then takes sentences as plain text. Unknown words are
    read as <unk>; `unknown(sentence)` names them. `search` has the defaults of the search: the
    paper's, or those that an imported model came with.

    Arguments:
        model: the Transformer.
        source, target: the vocabularies of the two sides.

    >>> import npformer as npf
    >>> vocabulary = npf.text.Vocabulary.build(["one two"], min_count=1)
    >>> config = npf.TransformerConfig.tiny(src_vocab_size=6, tgt_vocab_size=6)
    >>> translator = Translator(npf.Transformer(config, rng=0), vocabulary, vocabulary)
    >>> len(translator.translate(["one two", "two"]))
    2
    """

    task = "translation"
    model_class = Transformer
    config_class = TransformerConfig
    sides = {"source": "src_vocab_size", "target": "tgt_vocab_size"}
    parts = {"search": BeamSearchConfig}
    model: Transformer
    source: BaseVocabulary
    target: BaseVocabulary
    search: BeamSearchConfig = BeamSearchConfig()

    def encode(self, sentence: str) -> list[int]:
        """Return the source ids of a stripped sentence with its special tokens.

        Raises `InputError` when it is empty or too long.
        """
        max_len = self.model.config.max_len
        special_tokens = self.model.config.source_special_tokens
        ids = self.source.encode(sentence.strip())
        if not ids:
            raise InputError("the sentence is empty: give at least one word")
        if not fits(ids, max_len, special_tokens):
            raise InputError(
                f"the sentence has {len(add_special_tokens(ids, special_tokens))} tokens"
                f"{describe_special_tokens(special_tokens)}, "
                f"more than max_len = {max_len}: cut it into shorter sentences"
            )
        return add_special_tokens(ids, special_tokens)

    def translate(
        self,
        sentences: str | Sequence[str],
        *,
        beam: int | None = None,
        alpha: float | None = None,
        length_normalization: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[str]:
        """Translate sentences, in their order; a string is one sentence.

        `translations` explains the other arguments.

        Raises `InputError` when a sentence is empty or longer than the model's max_len, or beam,
        alpha or length_normalization is out of range.
        """
        sources = self._encoded(sentences)
        translations = self.translations(
            sources,
            beam=beam,
            alpha=alpha,
            length_normalization=length_normalization,
            batch_tokens=batch_tokens,
        )
        return [best.text for [best] in translations]

    def n_best(
        self,
        sentences: str | Sequence[str],
        *,
        n: int = 1,
        beam: int | None = None,
        alpha: float | None = None,
        length_normalization: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[list[Translation]]:
        """Return for each sentence its n best translations by beam search, best first.

        There are fewer when the search finishes fewer. `translations` explains the other arguments.

        Raises `InputError` also when n is not in 1 .. beam.
        """
        sources = self._encoded(sentences)
        return self.translations(
            sources,
            n=n,
            beam=beam,
            alpha=alpha,
            length_normalization=length_normalization,
            batch_tokens=batch_tokens,
        )

    def translations(
        self,
        sources: Sequence[list[int]],
        *,
        n: int | None = None,
        beam: int | None = None,
        alpha: float | None = None,
        length_normalization: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[list[Translation]]:
        """Return the translations of sources that `encode` returned; section 6.1 of the paper.

        Arguments:
            sources: the ids of each sentence.
            n: the n best are returned; None: the best alone.
            beam, alpha, length_normalization: as in `beam_search`; None: as in `search`. With
                beam = 1 and n = None the search is greedy, and the score is NaN.
            batch_tokens: how many source tokens are translated at a time, about.
        """
        if beam is None:
            beam = self.search.beam
        if alpha is None:
            alpha = self.search.alpha
        if length_normalization is None:
            length_normalization = self.search.length_normalization
        search = BeamSearchConfig(beam=beam, alpha=alpha, length_normalization=length_normalization)
        search.check_n_best(1 if n is None else n)

        # greedy decoding is faster, but has no scores, which n = 1 asks for
        if search.beam == 1 and n is None:
            decode = self._decode_greedily
        else:
            decode = partial(self._decode_by_beam, search, n or 1)
        return decode_batched(self.model, decode, sources, batch_tokens=batch_tokens)

    def _decode_greedily(self, src: np.ndarray) -> list[list[Translation]]:  # (B, S)
        outputs = greedy_decode(self.model, src)
        translations = []
        for ids in outputs:
            text = self.target.decode(ids)
            translations.append([Translation(text, math.nan)])  # greedy decoding has no scores
        return translations

    def _decode_by_beam(
        self, search: BeamSearchConfig, n_best: int, src: np.ndarray
    ) -> list[list[Translation]]:
        outputs = beam_search(
            self.model,
            src,
            beam=search.beam,
            alpha=search.alpha,
            length_normalization=search.length_normalization,
            n_best=n_best,
        )
        translations = []
        for hypotheses in outputs:
            n_best_of_sentence = []
            for hypothesis in hypotheses:
                text = self.target.decode(hypothesis.ids)
                n_best_of_sentence.append(Translation(text, hypothesis.score))
            translations.append(n_best_of_sentence)
        return translations

    def _encoded(self, sentences: str | Sequence[str]) -> list[list[int]]:
        return [self.encode(sentence) for sentence in as_texts(sentences)]
