"""The scores of translations: BLEU and chrF by sacrebleu, on text and on tokens, and the loss."""

from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import normalize

from ..datasets import SentencePair
from ..text import BaseVocabulary, check_list
from ..utils import InputError, import_optional, one_line
from .language_modeling import perplexity
from .position_accuracy import PositionScores, position_scores

__all__ = [
    "BleuChrf",
    "TranslationScores",
    "bleu_and_chrf",
    "moses_tokens",
    "score_translations",
]


class BleuChrf(NamedTuple):
    """BLEU (Papineni et al. 2002) and chrF (Popović 2015), 0 to 100, and their signatures.

    A signature is sacrebleu's text on how a score was measured.
    """

    bleu: float
    bleu_signature: str
    chrf: float
    chrf_signature: str


def bleu_and_chrf(
    translations: Sequence[str],
    references: Sequence[str],
    *,
    tokenize: str = "13a",
    lowercase: bool = False,
) -> BleuChrf:
    """Compare translations with one reference each.

    Arguments:
        translations, references: texts, in the same order.
        tokenize: sacrebleu's tokenization, "13a" for plain text, "none" for tokens separated by
            spaces.
        lowercase: whether upper and lower case count as equal.

    Raises `InputError` when there is nothing to compare, a translation without a reference, one
    text in the place of several, something that is not a string, or a tokenization that sacrebleu
    does not have.

    >>> translations = ["a small dog sleeps here .", "no"]
    >>> scores = bleu_and_chrf(translations, ["a small dog sleeps here .", "yes"])
    >>> round(scores.bleu, 1), round(scores.chrf, 1)
    (96.2, 95.8)
    """
    check_list(translations, "translations")
    check_list(references, "references")
    if not references or len(translations) != len(references):
        counts = f"there are {len(translations)} translations and {len(references)} references"
        raise InputError(f"{counts}: expected a reference for each translation, and one at least")
    for name, texts in (("translations", translations), ("references", references)):
        for text in texts:
            if not isinstance(text, str):
                raise InputError(f"{name} has {text!r:.60}: expected one text for each sentence")

    metrics = import_optional("sacrebleu.metrics", "npformer")
    if tokenize not in metrics.BLEU.TOKENIZERS:
        known = ", ".join(metrics.BLEU.TOKENIZERS)
        raise InputError(f"tokenize = {tokenize!r}: expected one of {known}")
    # sacrebleu warns of texts that look tokenized, which is meant with "none"
    bleu = metrics.BLEU(tokenize=tokenize, lowercase=lowercase, force=tokenize == "none")
    chrf = metrics.CHRF(lowercase=lowercase)
    hypotheses = list(translations)
    streams = [list(references)]  # one reference for each translation
    return BleuChrf(
        bleu=bleu.corpus_score(hypotheses, streams).score,
        bleu_signature=str(bleu.get_signature()),
        chrf=chrf.corpus_score(hypotheses, streams).score,
        chrf_signature=str(chrf.get_signature()),
    )


def moses_tokens(lines: Sequence[str], language: str) -> list[str]:
    """Return lines as many papers score them: lower case, normalized punctuation, Moses' tokens.

    The three steps, in this order, are those with which Multi30k's own tokenized files were made;
    `language` is a code such as "de". BLEU between such lines with `tokenize="none"` is what
    multi-bleu.perl computes.

    Raises `InputError` for a language whose rules Moses does not have, or one line alone.

    >>> moses_tokens(["Ein Mann, „Hut“ auf."], "de")
    ['ein mann , &quot; hut &quot; auf .']
    """
    check_list(lines)
    sacremoses = import_optional("sacremoses", "npformer[moses]")
    languages = sacremoses.corpus.NonbreakingPrefixes().available_langs.values()
    if language not in languages:
        known = ", ".join(sorted(set(languages)))
        raise InputError(
            f"Moses has no rules for the language {language!r}: expected one of {known}"
        )

    normalizer = sacremoses.MosesPunctNormalizer(lang=language)
    tokenizer = sacremoses.MosesTokenizer(lang=language)
    tokenized = []
    for line in lines:
        normalized = normalizer.normalize(line.lower())
        tokenized.append(tokenizer.tokenize(normalized, return_str=True))
    return tokenized


class TranslationScores(NamedTuple):
    """How good the translations of some pairs are.

    Arguments:
        pairs, translations: what was compared.
        equal: whether each translation equals its reference token by token.
        text: scores on plain text.
        tokens: scores on tokens, those of Moses in lower case if the target `language` is known,
            else the model's own.
        language: the code of the target language, or None.
        positions: exist if the model's tokens are characters and every reference has as many as
            its source.
        loss: the mean over target tokens in nats, one <eos> per reference included.
        without_loss: how many references are empty or too long to have a loss.
        left_out: how many pairs have no source that the model can read.
    """

    pairs: list[SentencePair]
    translations: list[str]
    equal: list[bool]
    text: BleuChrf
    tokens: BleuChrf
    language: str | None
    positions: PositionScores | None
    loss: float
    without_loss: int
    left_out: int

    def table(self) -> str:
        """The scores in a few lines."""
        left_out = ""
        if self.left_out:
            left_out = f", {self.left_out} left out (no source, or too long)"
        without_loss = ""
        if self.without_loss:
            without_loss = f" (left out: {self.without_loss} with an empty or too long reference)"

        if self.language:
            tokens = f"Moses tokens ({self.language}), lower case"
        elif self.positions is not None:
            tokens = "characters"
        else:
            tokens = "the model's tokens"

        lines = [
            f"sentences     {len(self.pairs)}{left_out}",
            f"exact match   {100 * sum(self.equal) / len(self.equal):.1f}%",
            f"BLEU          {self.text.bleu:.2f}   on text   {self.text.bleu_signature}",
            f"BLEU          {self.tokens.bleu:.2f}   on {tokens}   {self.tokens.bleu_signature}",
            f"chrF          {self.text.chrf:.2f}   on text   {self.text.chrf_signature}",
            f"loss          {self.loss:.4f}  nats per token, "
            f"perplexity {perplexity(self.loss):.3f}{without_loss}",
        ]
        if self.positions is not None:
            lines.append(self.positions.table())
        return "\n".join(lines)

    def examples(self, number: int) -> str:
        """The first translations, each with its source and reference."""
        lines = ["translations (* differs from the reference)"]
        shown = zip(self.pairs[:number], self.translations, self.equal, strict=False)
        for pair, translation, equal in shown:
            mark = " " if equal else "*"
            lines += [
                "",
                f"  source     {one_line(pair.source)}",
                f"{mark} output     {one_line(translation)}",
                f"  reference  {one_line(pair.target)}",
            ]
        return "\n".join(lines)


def score_translations(
    pairs: list[SentencePair],
    translations: list[str],
    target: BaseVocabulary,
    *,
    language: str | None,
    loss: float,
    without_loss: int,
    left_out: int,
) -> TranslationScores:
    """Compare translations with the targets of pairs.

    `target` is the vocabulary of the model, which cuts texts into tokens; the other arguments are
    the fields of `TranslationScores` of the same names. Text is compared in NFC, as vocabularies
    read it.
    """
    translations = [normalize("NFC", translation) for translation in translations]
    references = []
    cut_sources = []
    cut_references = []
    cut_translations = []
    equal = []
    for pair, translation in zip(pairs, translations, strict=True):
        reference = normalize("NFC", pair.target)
        references.append(reference)
        cut_sources.append(target.split(pair.source))
        cut_reference = target.split(reference)
        cut_references.append(cut_reference)
        cut_translation = target.split(translation)
        cut_translations.append(cut_translation)
        # tokens, not text: a vocabulary of words does not bring back every space of a reference
        equal.append(cut_translation == cut_reference)

    if language:
        tokens = moses_tokens(translations, language)
        reference_tokens = moses_tokens(references, language)
    else:
        tokens = list(map(" ".join, cut_translations))
        reference_tokens = list(map(" ".join, cut_references))

    positions = None
    if target.tokenizer == "character" and _equal_lengths(cut_sources, cut_references):
        # the characters that the model reads, without what it folds or strips
        positions = position_scores(
            list(map("".join, cut_sources)),
            list(map("".join, cut_references)),
            list(map("".join, cut_translations)),
        )

    return TranslationScores(
        pairs=pairs,
        translations=translations,
        equal=equal,
        # a model that reads lower case writes no capitals
        text=bleu_and_chrf(translations, references, lowercase=target.lowercase),
        tokens=bleu_and_chrf(tokens, reference_tokens, tokenize="none"),
        language=language,
        positions=positions,
        loss=loss,
        without_loss=without_loss,
        left_out=left_out,
    )


def _equal_lengths(first: list[list[str]], second: list[list[str]]) -> bool:
    return all(len(a) == len(b) for a, b in zip(first, second, strict=True))
