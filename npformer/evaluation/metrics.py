"""How good translations are, BLEU and chrF by sacrebleu; and the loss, whose exp is the perplexity."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..backend import to_host
from ..models import Classifier
from ..module import Module
from ..tasks import Objective
from ..text import check_several
from ..training.alone import Alone
from ..utils import InputError, import_optional, threads_for


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

    `tokenize` is sacrebleu's: "13a" for plain text, "none" for text whose tokens stand apart by spaces.

    Raises `InputError` when there is nothing to compare, a translation without a reference, one text in the place of
    several, or a `tokenize` that sacrebleu does not know.

    >>> scores = score(["a small dog sleeps here .", "no"], ["a small dog sleeps here .", "yes"])
    >>> round(scores.bleu, 1), round(scores.chrf, 1)
    (96.2, 95.8)
    """
    check_several(translations, "translations")
    check_several(references, "references")
    if not references or len(translations) != len(references):
        came = f"there are {len(translations)} translations and {len(references)} references"
        raise InputError(f"{came}: expected a reference for each translation, and one at least")
    metrics = import_optional("sacrebleu.metrics", "npformer")
    if tokenize not in metrics.BLEU.TOKENIZERS:
        raise InputError(f"tokenize = {tokenize!r}: expected one of {', '.join(sorted(metrics.BLEU.TOKENIZERS))}")
    bleu = metrics.BLEU(tokenize=tokenize, lowercase=lowercase, force=tokenize == "none")
    chrf = metrics.CHRF(lowercase=lowercase)
    of_bleu, of_chrf = (metric.corpus_score(list(translations), [list(references)]).score for metric in (bleu, chrf))
    return Scores(of_bleu, str(bleu.get_signature()), of_chrf, str(chrf.get_signature()))


def moses_tokens(lines: Sequence[str], language: str) -> list[str]:
    """Return lines as many papers score them: in lower case, punctuation normalised, tokenised by Moses.

    The three steps, in this order, are those with which Multi30k's own tokenised files were made; `language` is a code
    such as "de". BLEU between such lines (`score(..., tokenize="none")`) is what multi-bleu.perl computes.

    Raises `InputError` for a language whose rules Moses does not have, and `MissingExtraError` without the library
    sacremoses.

    >>> moses_tokens(["Ein Mann, „Hut“ auf."], "de")
    ['ein mann , &quot; hut &quot; auf .']
    """
    sacremoses = import_optional("sacremoses", "npformer[moses]")
    known = sorted(set(sacremoses.corpus.NonbreakingPrefixes().available_langs.values()))
    if language not in known:
        raise InputError(f"Moses has no rules for the language {language!r}: expected one of {', '.join(known)}")
    normalizer = sacremoses.MosesPunctNormalizer(lang=language)
    tokenizer = sacremoses.MosesTokenizer(lang=language)
    return [tokenizer.tokenize(normalizer.normalize(line.lower()), return_str=True) for line in lines]


class HeldOut(NamedTuple):
    """The cross-entropy per target, in nats and without smoothing; and of a classifier its share of right answers."""

    loss: float
    accuracy: float | None


def held_out_scores(model: Module, batches, *, ranks: Alone | None = None) -> HeldOut:
    """Measure a model in eval mode on `Batches`, `TextChunks`, or what else a Trainer takes; their first epoch is read.

    The accuracy of a classifier comes of the same forward pass. `ranks`, where they are given, share the batches.
    """
    objective, classifies = Objective(model, label_smoothing=0.0), isinstance(model, Classifier)

    def measured(share) -> list:
        rows = []
        with objective.evaluating(), threads_for(model.config.d_model):
            for batch in share:
                logits = objective.logits_of(batch)  # (N, V)
                n_found = int((to_host(logits).argmax(-1) == batch.targets).sum()) if classifies else 0
                rows.append([batch.n_tokens * objective.loss_of(logits, batch), n_found, batch.n_tokens])
        return rows

    total, n_found, n_targets = map(sum, zip(*(ranks or Alone()).shared(measured, batches.epoch(1)), strict=True))
    return HeldOut(total / n_targets, n_found / n_targets if classifies else None)


def perplexity(loss: float) -> float:
    """Return exp of a loss in nats, infinite where no float is as large."""
    return math.exp(loss) if loss < 700 else math.inf


def mean_loss(model: Module, batches, *, ranks: Alone | None = None) -> float:
    """Return the loss that `held_out_scores` measures: exp of it is perplexity."""
    return held_out_scores(model, batches, ranks=ranks).loss
