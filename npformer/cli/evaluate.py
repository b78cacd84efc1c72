"""`npformer evaluate`: how good a trained model's translations are."""

from __future__ import annotations

from ..base.errors import InputError
from ..datasets.files import read_pairs
from ..decoding import Translator
from ..evaluation.translations import evaluate as evaluate_pairs
from ..runs.folder import RunFolder
from .alignment import alignment_table
from .threads import blas_threads


def evaluate(run: str, *, src: str | None, tgt: str | None, language: str | None, show: int, **how) -> int:
    """Translate the run's test pairs, or held-out ones where it has none, or those of two files; print the scores.

    Where the pairs have gold word alignments, so is how well attention aligns words.
    """
    if (src is None) != (tgt is None):
        raise InputError("--src and --tgt go together: give both files or neither")
    translator, folder = Translator.load(run), RunFolder(run)
    if src is None:
        settings = folder.training()
        data = settings.data_set()
        part = "test" if "test" in data.parts else "held_out"
        [pairs] = data.load(part, direction=settings.direction, seed=settings.seed)
    else:
        pairs = read_pairs(src, tgt)
    if language is None and folder.has_training():
        language = folder.training().target_language()
    with blas_threads(translator.model.config):
        evaluation = evaluate_pairs(translator, pairs, language=language, **how)
        alignment = alignment_table(translator, evaluation.pairs, batch_tokens=how["batch_tokens"])
    if show:
        print(f"{evaluation.examples(show)}\n")
    print(evaluation.table())
    if alignment:
        print(f"\n{alignment}")
    return 0
