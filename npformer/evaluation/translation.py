"""The scores of translations."""

from collections.abc import Sequence
from typing import NamedTuple

from ..datasets import SentencePair
from ..text import AnyVocabulary
from ..utils.one_line import one_line
from .language_modeling import perplexity
from .metrics import Scores, moses_tokens, score
from .position_accuracy import PlaceScores, place_scores


class TranslationScores(NamedTuple):
    """Translations of pairs, whether each equals its reference token by token, and scores on text and on tokens.

    `tokens` are those of Moses in lower case if the target `language` is known, else the model's own. `places` exist
    if the model's tokens are characters and every reference has as many as its source. The loss is the mean over
    `n_targets` tokens, one <eos> per reference included. `alignment` is a table of alignment error rates, or "".
    """

    pairs: list[SentencePair]
    translations: list[str]
    equal: list[bool]
    text: Scores
    tokens: Scores
    language: str | None
    loss: float
    n_targets: int
    without_loss: int
    left_out: int
    alignment: str
    places: PlaceScores | None

    @property
    def loss_without_eos(self) -> float:
        """The total loss of the references, <eos> included, per token that is not <eos>."""
        return self.loss * self.n_targets / (self.n_targets - len(self.pairs) + self.without_loss)

    def table(self) -> str:
        """The scores in a few lines."""
        left_out = f", {self.left_out} left out (no source, or too long)" if self.left_out else ""
        without = f", without {self.without_loss} whose reference is empty or too long" if self.without_loss else ""
        own = "the model's tokens" if self.places is None else "characters"
        tokens = f"Moses tokens ({self.language}), lower case" if self.language else own
        lines = [
            f"sentences     {len(self.pairs)}{left_out}",
            f"exact match   {100 * sum(self.equal) / len(self.equal):.1f}%",
            f"BLEU          {self.text.bleu:.2f}   on text   {self.text.bleu_signature}",
            f"BLEU          {self.tokens.bleu:.2f}   on {tokens}   {self.tokens.bleu_signature}",
            f"chrF          {self.text.chrf:.2f}   on text   {self.text.chrf_signature}",
            f"loss          {self.loss:.4f}  nats per token, perplexity {perplexity(self.loss):.3f}{without}",
        ]
        if self.places is not None:
            per_character = perplexity(self.loss_without_eos)
            lines += [f"perplexity    {per_character:.3f}  per character, <eos> not counted", self.places.table()]
        return "\n".join([*lines, "", self.alignment] if self.alignment else lines)

    def examples(self, number: int) -> str:
        """The first translations, each with its source and reference."""
        groups = ["translations (* differs from the reference)\n"]
        for pair, translation, equal in zip(self.pairs[:number], self.translations, self.equal, strict=False):
            source, output, reference = map(one_line, (pair.source, translation, pair.target))
            mark = " " if equal else "*"
            groups.append(f"  source     {source}\n{mark} output     {output}\n  reference  {reference}\n")
        return "\n".join(groups).rstrip("\n")


def score_translations(
    pairs: list[SentencePair], translations: Sequence[str], target: AnyVocabulary, *, language: str | None, **known
) -> TranslationScores:
    """Compare translations with the targets of pairs; `known` are the other fields of `TranslationScores`."""
    references = [pair.target for pair in pairs]

    def tokenized(lines: Sequence[str]) -> list[str]:
        return moses_tokens(lines, language) if language else [" ".join(target.split(line)) for line in lines]

    sides = [pair.source for pair in pairs], references, translations
    characters = [["".join(target.split(line)) for line in side] for side in sides]
    parallel = target.unit == "characters" and [*map(len, characters[0])] == [*map(len, characters[1])]
    return TranslationScores(
        pairs=pairs,
        translations=list(translations),
        equal=[target.split(a) == target.split(b) for a, b in zip(translations, references, strict=True)],
        text=score(translations, references, lowercase=target.lowercase),
        tokens=score(tokenized(translations), tokenized(references), tokenize="none"),
        language=language,
        places=place_scores(*characters) if parallel else None,
        **known,
    )
