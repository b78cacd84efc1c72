"""`npformer evaluate`: how good a trained model's translations are."""

from __future__ import annotations

from ..base.errors import InputError
from ..datasets import corpus
from ..decoding import Translator
from ..evaluation.translations import evaluate as evaluate_pairs
from ..runs.folder import RunFolder
from ..runs.prepare import load_corpus, target_language
from ..runs.settings import saved_settings
from .alignment import alignment_table
from .threads import blas_threads


def evaluate(run: str, *, src: str | None, tgt: str | None, language: str | None, show: int, **how) -> int:
    """Translate the run's test pairs, or held-out ones where it has none, or those of two files; print the scores.

    Where the pairs have gold word alignments, so is how well attention aligns words.
    """
    if (src is None) != (tgt is None):
        raise InputError("--src and --tgt go together: give both files or neither")
    translator, settings = Translator.load(run), saved_settings(RunFolder(run))
    if src is not None:
        pairs = corpus.read_pairs(src, tgt)
    else:
        data = load_corpus(settings)
        pairs = data.test or data.held_out
    language = language or target_language(settings)
    with blas_threads(translator.model.config):
        evaluation = evaluate_pairs(translator, pairs, language=language, **how)
        alignment = alignment_table(translator, evaluation.pairs, batch_tokens=how["batch_tokens"])
    if show:
        print(f"{evaluation.examples(show)}\n")
    print(evaluation.table())
    if alignment:
        print(f"\n{alignment}")
    return 0
