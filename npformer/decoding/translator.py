"""From a sentence to its translation."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

from ..models import Transformer
from ..models.model_folder import ModelFolder
from ..text import AnyVocabulary, fits, marked, with_marks
from ..training.alone import Alone
from ..utils import AnyPath, InputError
from .batching import BATCH_TOKENS, decode_many
from .beam import beam_search
from .beam_settings import Search
from .greedy import greedy_decode
from .predictor import Predictor

Texts = str | Sequence[str]  # a string is one sentence


class Translation(NamedTuple):
    """A translation as text, and its score: log-probability over length penalty, the higher the better."""

    text: str
    score: float


class Translator(Predictor):
    """A trained model with its two vocabularies.

    Build one with `Translator.load(run)`; `translate` then takes sentences as plain text. Unknown words are read as
    <unk>; `source.unknown(sentence)` names them. `search` is what it searches with where nothing else is said, the
    paper's settings, or those that a model from elsewhere came with.
    """

    task = "translation"
    model: Transformer
    source: AnyVocabulary
    target: AnyVocabulary
    search = Search()

    @classmethod
    def load(cls, run: AnyPath) -> "Translator":
        """Return what a run folder holds, as `Predictor.load` does."""
        translator, folder = super().load(run), ModelFolder(run)
        if "search" in folder.content():
            translator.search = folder.described("search", Search)
        return translator

    def parts(self) -> dict[str, dict]:
        """Return the search's settings, where they are not the paper's."""
        return {} if self.search == Search() else {"search": asdict(self.search)}

    def encode(self, sentence: str) -> list[int]:
        """Return the source ids of a stripped sentence with its marks.

        Raises `InputError` when it is empty or too long.
        """
        config = self.model.config
        ids, max_len, marks = self.source.encode(sentence.strip()), config.max_len, config.source_marks
        if not ids:
            raise InputError("the sentence is empty: give at least one word")
        if not fits(ids, max_len, marks):
            came = (
                f"the sentence has {len(marked(ids, marks))} tokens{with_marks(marks)}, more than max_len = {max_len}"
            )
            raise InputError(f"{came}: cut it into shorter sentences")
        return marked(ids, marks)

    def translate(
        self,
        sentences: Texts,
        *,
        beam: int | None = None,
        alpha: float | None = None,
        penalty: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[str]:
        """Translate sentences, in their order, about `batch_tokens` source tokens at a time; a string is one sentence.

        By beam search, section 6.1 of the paper; with beam = 1 greedily. What alpha and penalty are stands in
        `beam_search`; those that are not given are as `search` has them.

        Raises `InputError` when a sentence is empty or longer than the model's max_len, or beam, alpha or penalty is
        out of range.
        """
        how = {"beam": beam, "alpha": alpha, "penalty": penalty, "batch_tokens": batch_tokens}
        return [found[0].text for found in self.translations(self.encoded(sentences), **how)]

    def n_best(
        self,
        sentences: Texts,
        *,
        n: int = 1,
        beam: int | None = None,
        alpha: float | None = None,
        penalty: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> list[list[Translation]]:
        """Return for each sentence its n best translations by beam search, best first; arguments as in `translate`.

        There are fewer when the search finishes fewer. Raises `InputError` also when n is not in 1 .. beam.
        """
        how = {"beam": beam, "alpha": alpha, "penalty": penalty, "batch_tokens": batch_tokens}
        return self.translations(self.encoded(sentences), n=n, **how)

    def encoded(self, sentences: Texts) -> list[list[int]]:
        """Return the source ids of each sentence; a string is one sentence."""
        return [self.encode(sentence) for sentence in ([sentences] if isinstance(sentences, str) else sentences)]

    def translations(
        self,
        sources: Sequence[list[int]],
        *,
        beam: int | None = None,
        alpha: float | None = None,
        penalty: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
        n: int | None = None,
        ranks: Alone | None = None,
    ) -> list[list[Translation]]:
        """Return the translations of sources that `encode` returned: the n best, or the best alone for n = None.

        That one is found greedily where beam is 1, and its score is then NaN. `ranks`, where given, share the work.
        """
        said = {"beam": beam, "alpha": alpha, "penalty": penalty}
        search = replace(self.search, **{name: value for name, value in said.items() if value is not None})
        search.check_n_best(1 if n is None else n)

        def decode(src):  # (B, S)
            if search.beam == 1 and n is None:
                return [[(ids, math.nan)] for ids in greedy_decode(self.model, src)]
            found = beam_search(self.model, src, **asdict(search), n_best=n or 1)
            return [[(best.ids, best.score) for best in row] for row in found]

        found = decode_many(self.model, decode, sources, batch_tokens=batch_tokens, ranks=ranks)
        return [[Translation(self.target.decode(ids), score) for ids, score in row] for row in found]
