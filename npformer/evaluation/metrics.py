"""BLEU and chrF, by sacrebleu, and the tokens of Moses."""

from collections.abc import Sequence
from typing import NamedTuple

from ..text import check_several
from ..utils import InputError, import_optional


class Scores(NamedTuple):
    """BLEU (Papineni et al. 2002) and chrF (Popović 2015), 0 to 100, and how sacrebleu measured them."""

    bleu: float
    bleu_signature: str
    chrf: float
    chrf_signature: str


def score(
    translations: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", lowercase: bool = False
) -> Scores:
    """Compare translations with one reference each.

    `tokenize` is sacrebleu's: "13a" for plain text, "none" for tokens separated by spaces. Raises `InputError` when
    there is nothing to compare, a translation without a reference, or one text in the place of several.

    >>> scores = score(["a small dog sleeps here .", "no"], ["a small dog sleeps here .", "yes"])
    >>> round(scores.bleu, 1), round(scores.chrf, 1)
    (96.2, 95.8)
    """
    check_several(translations, "translations")
    check_several(references, "references")
    if not references or len(translations) != len(references):
        given = f"there are {len(translations)} translations and {len(references)} references"
        raise InputError(f"{given}: expected a reference for each translation, and one at least")
    metrics = import_optional("sacrebleu.metrics", "npformer")
    bleu = metrics.BLEU(tokenize=tokenize, lowercase=lowercase, force=tokenize == "none")
    chrf = metrics.CHRF(lowercase=lowercase)
    of_bleu, of_chrf = (metric.corpus_score(list(translations), [list(references)]).score for metric in (bleu, chrf))
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
        raise InputError(f"Moses has no rules for the language {language!r}: expected one of {', '.join(known)}")
    normalizer, tokenizer = sacremoses.MosesPunctNormalizer(lang=language), sacremoses.MosesTokenizer(lang=language)
    return [tokenizer.tokenize(normalizer.normalize(line.lower()), return_str=True) for line in lines]
