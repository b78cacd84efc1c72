"""`npformer evaluate`: how good a trained model's translations are."""

from __future__ import annotations

from ..datasets import corpus
from ..errors import InputError
from ..inference import Translator
from ..run_folder import RunFolder
from .prepare import load_corpus
from .report import evaluate as evaluate_pairs
from .settings import saved_settings
from .threads import blas_threads


def evaluate(run: str, *, src: str | None, tgt: str | None, show: int, batch_tokens: int) -> int:
    """Translate the run's held-out pairs, or those of two files, and print the scores."""
    if (src is None) != (tgt is None):
        raise InputError("--src and --tgt go together: give both files or neither")
    translator = Translator.load(run)
    if src is not None:
        pairs = corpus.read_pairs(src, tgt)
    else:
        pairs = load_corpus(saved_settings(RunFolder(run))).held_out
    with blas_threads(translator.model.config):
        evaluation = evaluate_pairs(translator, pairs, batch_tokens=batch_tokens)
    if show:
        print(f"{evaluation.examples(show)}\n")
    print(evaluation.table())
    return 0
