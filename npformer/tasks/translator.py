"""From a sentence to its translation."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from ..decoding.beam import BeamSearchConfig, beam_search
from ..decoding.greedy import greedy_decode
from ..models import Transformer, TransformerConfig
from ..text import AnyVocabulary, fits, marked, with_marks
from ..utils import InputError
from .predictor import BATCH_TOKENS, Predictor, as_texts, decode_batched


class Translation(NamedTuple):
    """A translation as text, and its score: log-probability over length penalty."""

    text: str
    score: float


class Translator(Predictor):
    """A trained model with its two vocabularies.

    `npf.load(run)` returns one; `translate` then takes sentences as plain text. Unknown words are read as
    <unk>; `unknown(sentence)` names them. `search` has the defaults of the search: the paper's, or those that an
    imported model came with.
    """

    task = "translation"
    model_class, config_class = Transformer, TransformerConfig
    sides = {"source": "src_vocab_size", "target": "tgt_vocab_size"}
    model: Transformer
    source: AnyVocabulary
    target: AnyVocabulary
    parts = {"search": BeamSearchConfig}
    search = BeamSearchConfig()

    def encode(self, sentence: str) -> list[int]:
        """Return the source ids of a stripped sentence with its marks.

        Raises `InputError` when it is empty or too long.
        """
        max_len, marks = self.model.config.max_len, self.model.config.source_marks
        ids = self.source.encode(sentence.strip())
        if not ids:
            raise InputError("the sentence is empty: give at least one word")
        if not fits(ids, max_len, marks):
            long = f"the sentence has {len(marked(ids, marks))} tokens{with_marks(marks)}"
            raise InputError(
                f"{long}, more than max_len = {max_len}: cut it into shorter sentences"
            )
        return marked(ids, marks)

    def translate(self, sentences: str | Sequence[str], **how) -> list[str]:
        """Translate sentences, in their order; a string is one sentence. `how` is as in `translations`.

        Raises `InputError` when a sentence is empty or longer than the model's max_len, or beam, alpha or penalty is
        out of range.
        """
        return [
            translations[0].text
            for translations in self.translations(self._encoded(sentences), **how)
        ]

    def n_best(
        self, sentences: str | Sequence[str], *, n: int = 1, **how
    ) -> list[list[Translation]]:
        """Return for each sentence its n best translations by beam search, best first; `how` as in `translations`.

        There are fewer when the search finishes fewer. Raises `InputError` also when n is not in 1 .. beam.
        """
        return self.translations(self._encoded(sentences), n=n, **how)

    def translations(
        self,
        sources: Sequence[list[int]],
        *,
        n: int | None = None,
        beam: int | None = None,
        alpha: float | None = None,
        penalty: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[list[Translation]]:
        """Return the translations of sources that `encode` returned: the n best, or the best alone for n = None.

        By beam search, section 6.1 of the paper, about `batch_tokens` source tokens at a time. `beam_search` explains
        beam, alpha and penalty; `search` has those that are not given. With beam = 1 and n = None the search is greedy
        and the score is NaN.
        """
        overrides = {"beam": beam, "alpha": alpha, "penalty": penalty}
        search = replace(
            self.search, **{name: value for name, value in overrides.items() if value is not None}
        )
        search.check_n_best(1 if n is None else n)

        def decode(src):  # (B, S)
            if search.beam == 1 and n is None:
                return [[(ids, math.nan)] for ids in greedy_decode(self.model, src)]
            hypotheses = beam_search(self.model, src, **asdict(search), n_best=n or 1)
            return [[(best.ids, best.score) for best in row] for row in hypotheses]

        outputs = decode_batched(self.model, decode, sources, batch_tokens=batch_tokens)
        return [
            [Translation(self.target.decode(ids), score) for ids, score in row] for row in outputs
        ]

    def _encoded(self, sentences: str | Sequence[str]) -> list[list[int]]:
        return [self.encode(sentence) for sentence in as_texts(sentences)]
