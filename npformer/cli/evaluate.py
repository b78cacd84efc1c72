"""`npformer evaluate`: how good a trained model's translations are."""

from __future__ import annotations

from ..base.errors import InputError
from ..base.memory import keep_freed_memory
from ..datasets.files import read_pairs
from ..decoding import Translator
from ..evaluation import evaluate
from ..runs.folder import RunFolder
from .alignment import alignment_table
from .examples import examples
from .options import named
from .parser import sentence, whole_number
from .search import add_search_options, search_settings

DESCRIPTION = "Translate sentences and print exact match, BLEU and perplexity, and how well attention aligns words."
USAGE = "[options] RUN"


def add_options(parser) -> None:
    """Add what may be said."""
    add = parser.add_argument
    add("run", type=named, metavar="RUN", help="a run folder of `npformer train`")
    add("--src", type=named, metavar="FILE", help="source sentences (default: the run's test or held-out set)")
    add("--tgt", type=named, metavar="FILE", help="their reference translations")
    add("--show", type=whole_number(0), default=0, metavar="N", help="print the first N translations (default 0)")
    language = "the target language, for BLEU on Moses tokens (default: the data set's, where it has one)"
    add("--language", type=sentence, metavar="CODE", help=language)
    add_search_options(parser)


def run(options) -> int:
    """Translate the run's test pairs, or held-out ones where it has none, or those of two files; print the scores.

    Where the pairs have gold word alignments, so is how well attention aligns words.
    """
    if (options.src is None) != (options.tgt is None):
        raise InputError("--src and --tgt go together: give both files or neither")
    keep_freed_memory()
    translator, folder = Translator.load(options.run), RunFolder(options.run)
    if options.src is None:
        settings = folder.training()
        data = settings.data_set()
        part = "test" if "test" in data.parts else "held_out"
        [pairs] = data.load(part, direction=settings.direction, seed=settings.seed)
    else:
        pairs = read_pairs(options.src, options.tgt)
    language = options.language
    if language is None and folder.has_training():
        language = folder.training().target_language()
    evaluation = evaluate(translator, pairs, language=language, **search_settings(options))
    alignment = alignment_table(translator, evaluation.pairs, batch_tokens=options.batch_tokens)
    if options.show:
        print(f"{examples(evaluation, options.show)}\n")
    print(evaluation.table())
    if alignment:
        print(f"\n{alignment}")
    return 0
