"""How good translations are: exact match, and BLEU by sacrebleu."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import InputError, require


class Scores(NamedTuple):
    """The share of translations that equal their reference, BLEU (0 to 100), and how sacrebleu measured it."""

    exact_match: float
    bleu: float
    signature: str


def score(
    translations: Sequence[str], references: Sequence[str], *, tokenize: str = "13a", lowercase: bool = False
) -> Scores:
    """Compare translations with one reference each.

    `tokenize` is sacrebleu's: "13a" for plain text, "none" for text whose tokens stand apart by spaces.

    Raises `InputError` when there is nothing to compare, or a translation without a reference.

    >>> score(["a small dog sleeps here .", "no"], ["a small dog sleeps here .", "yes"]).exact_match
    0.5
    """
    if not references or len(translations) != len(references):
        raise InputError(
            f"there are {len(translations)} translations and {len(references)} references: "
            "expected a reference for each translation, and one at least"
        )
    bleu = require("sacrebleu.metrics", "npformer").BLEU(
        tokenize=tokenize, lowercase=lowercase, force=tokenize == "none"
    )
    result = bleu.corpus_score(list(translations), [list(references)])
    equal = sum(a == b for a, b in zip(translations, references, strict=True))
    return Scores(equal / len(references), result.score, str(bleu.get_signature()))
