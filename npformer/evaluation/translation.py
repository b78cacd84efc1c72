"""The scores of translations: BLEU and chrF by sacrebleu, on text and on tokens, and the loss."""

from collections.abc import Sequence
from typing import NamedTuple

from ..datasets import SentencePair
from ..text import AnyVocabulary, check_list
from ..utils import InputError, import_optional, one_line
from .couplet_scores import PlaceScores, place_scores
from .language_modeling import perplexity


class Scores(NamedTuple):
    """BLEU (Papineni et al. 2002) and chrF (Popović 2015), 0 to 100, and how sacrebleu measured them."""

    bleu: float
    bleu_signature: str
    chrf: float
    chrf_signature: str


def score(
    translations: Sequence[str],
    references: Sequence[str],
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
) -> Scores:
    """Compare translations with one reference each.

    `tokenize` is sacrebleu's: "13a" for plain text, "none" for tokens separated by spaces. Raises `InputError` when
    there is nothing to compare, a translation without a reference, or one text in the place of several.

    >>> scores = score(["a small dog sleeps here .", "no"], ["a small dog sleeps here .", "yes"])
    >>> round(scores.bleu, 1), round(scores.chrf, 1)
    (96.2, 95.8)
    """
    check_list(translations, "translations")
    check_list(references, "references")
    if not references or len(translations) != len(references):
        counts = f"there are {len(translations)} translations and {len(references)} references"
        raise InputError(f"{counts}: expected a reference for each translation, and one at least")
    metrics = import_optional("sacrebleu.metrics", "npformer")
    bleu = metrics.BLEU(tokenize=tokenize, lowercase=lowercase, force=tokenize == "none")
    chrf = metrics.CHRF(lowercase=lowercase)
    of_bleu, of_chrf = (
        metric.corpus_score(list(translations), [list(references)]).score for metric in (bleu, chrf)
    )
    return Scores(of_bleu, str(bleu.get_signature()), of_chrf, str(chrf.get_signature()))


def moses_tokens(lines: Sequence[str], language: str) -> list[str]:
    """Return lines as many papers score them: in lower case, punctuation normalized, tokenized by Moses.

    The three steps, in this order, are those with which Multi30k's own tokenized files were made; `language` is a code
    such as "de". BLEU between such lines (`score(..., tokenize="none")`) is what multi-bleu.perl computes.
    Raises `InputError` for a language whose rules Moses does not have.

    >>> moses_tokens(["Ein Mann, „Hut“ auf."], "de")
    ['ein mann , &quot; hut &quot; auf .']
    """
    sacremoses = import_optional("sacremoses", "npformer[moses]")
    known = sorted(set(sacremoses.corpus.NonbreakingPrefixes().available_langs.values()))
    if language not in known:
        raise InputError(
            f"Moses has no rules for the language {language!r}: expected one of {', '.join(known)}"
        )
    normalizer, tokenizer = (
        sacremoses.MosesPunctNormalizer(lang=language),
        sacremoses.MosesTokenizer(lang=language),
    )
    return [
        tokenizer.tokenize(normalizer.normalize(line.lower()), return_str=True) for line in lines
    ]


class TranslationScores(NamedTuple):
    """Translations of pairs, whether each equals its reference token by token, and scores on text and on tokens.

    `tokens` are those of Moses in lower case if the target `language` is known, else the model's own. `places` exist
    if the model's tokens are characters and every reference has as many as its source. The loss is the mean over
    target tokens, one <eos> per reference included. `alignment` is a table of alignment error rates, or "".
    """

    pairs: list[SentencePair]
    translations: list[str]
    equal: list[bool]
    text: Scores
    tokens: Scores
    language: str | None
    places: PlaceScores | None
    loss: float
    without_loss: int
    left_out: int
    alignment: str

    def table(self) -> str:
        """The scores in a few lines."""
        left_out = f", {self.left_out} left out (no source, or too long)" if self.left_out else ""
        without = (
            f", without {self.without_loss} whose reference is empty or too long"
            if self.without_loss
            else ""
        )
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
            lines.append(self.places.table())
        return "\n".join([*lines, "", self.alignment] if self.alignment else lines)

    def examples(self, number: int) -> str:
        """The first translations, each with its source and reference."""
        lines = ["translations (* differs from the reference)"]
        for pair, translation, equal in zip(
            self.pairs[:number], self.translations, self.equal, strict=False
        ):
            source, output, reference = map(one_line, (pair.source, translation, pair.target))
            mark = " " if equal else "*"
            lines.append(
                f"\n  source     {source}\n{mark} output     {output}\n  reference  {reference}"
            )
        return "\n".join(lines)


def score_translations(
    pairs: list[SentencePair],
    translations: list[str],
    target: AnyVocabulary,
    *,
    language: str | None,
    **known,
) -> TranslationScores:
    """Compare translations with the targets of pairs; `known` are the other fields of `TranslationScores`."""
    references = [pair.target for pair in pairs]
    sources, cut, cut_references = (
        [target.split(line) for line in lines]
        for lines in ([pair.source for pair in pairs], translations, references)
    )
    if language:
        tokens = moses_tokens(translations, language), moses_tokens(references, language)
    else:
        tokens = tuple([" ".join(line) for line in lines] for lines in (cut, cut_references))
    places = None
    if target.unit == "characters" and [*map(len, sources)] == [*map(len, cut_references)]:
        places = place_scores(
            *(["".join(line) for line in lines] for lines in (sources, cut_references, cut))
        )
    equal = [one == other for one, other in zip(cut, cut_references, strict=True)]
    text = score(translations, references, lowercase=target.lowercase)
    return TranslationScores(
        pairs, translations, equal, text, score(*tokens, tokenize="none"), language, places, **known
    )
