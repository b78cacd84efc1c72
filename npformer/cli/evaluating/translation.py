"""Runs of translation: exact match, BLEU and perplexity, and how well attention aligns words."""

from functools import partial

import numpy as np

from ...datasets import SentencePair
from ...datasets.parallel_text import read_pairs
from ...decoding import Translator
from ...evaluation import alignment_baselines, evaluate
from ...runs.folder import RunFolder
from ...tasks import encode_pairs, filter_pairs
from ...utils import InputError
from ...visualization import attention_error_rates
from ..beam_options import add_search_options, search_settings
from ..examples import translations
from ..options import named, sentence
from .own_data import own_data

TASK = "translation"
OPTIONS = {"src": None, "tgt": None, "language": None, "show": 0, "beam": None, "alpha": None, "penalty": None}


def add_options(group) -> None:
    """Add what may be said of such a run alone."""
    add = group.add_argument
    add("--src", type=named, metavar="FILE", help="source sentences (default: the run's test or held-out set)")
    add("--tgt", type=named, metavar="FILE", help="their reference translations")
    language = "the target language, for BLEU on Moses tokens (default: the data set's, where it has one)"
    add("--language", type=sentence, metavar="CODE", help=language)
    add_search_options(group, "beam", "alpha", "penalty")


def run(options) -> int:
    """Translate the run's test or held-out pairs, or two files; print scores, and how well attention aligns words."""
    if (options.src is None) != (options.tgt is None):
        raise InputError("--src and --tgt go together: give both files or neither")
    translator, folder = Translator.load(options.run), RunFolder(options.run)
    pairs = own_data(folder, "--src FILE --tgt FILE") if options.src is None else read_pairs(options.src, options.tgt)
    language = options.language
    if language is None and folder.has_training():
        language = folder.training().target_language()
    evaluation = evaluate(translator, pairs, language=language, **search_settings(options, translator))
    alignment = alignment_table(translator, evaluation.pairs, batch_tokens=options.batch_tokens)
    if options.show:
        print(f"{translations(evaluation, options.show)}\n")
    print(evaluation.table())
    if alignment:
        print(f"\n{alignment}")
    return 0


def alignment_table(translator: Translator, pairs: list[SentencePair], *, batch_tokens: int) -> str:
    """Alignment error rates by layer and head, and what to compare them with; "" where no pair has gold links."""
    known = [pair for pair in pairs if pair.alignment]
    if not known:
        return ""
    config = translator.model.config
    encoded = encode_pairs(known, translator.source, translator.target)
    known = [
        pair for pair, *_ in filter_pairs(encoded, longest=config.max_len, marks=config.source_marks, what="aligned")
    ]
    rates_where = partial(attention_error_rates, translator, known, batch_tokens=batch_tokens)
    written, read = (100 * rates_where(row=row) for row in ("writes", "reads"))  # (layers, H + 1) each
    columns = [f"head {n}" for n in range(1, written.shape[1])] + ["mean"]
    lines = [
        "alignment     error rate in % of cross-attention, by head and for the mean of a layer's heads; * the best",
        " " * 12 + "".join(f"{name:>8}" for name in columns),
    ]
    for layer, rates in enumerate(written, start=1):
        cells = "".join(f"{rate:7.1f}{'*' if rate == written.min() else ' '}" for rate in rates)
        lines.append(f"layer {layer:<7}{cells}".rstrip())
    order, random, ideal = (100 * rate for rate in alignment_baselines(known))
    layer, column = np.unravel_index(read.argmin(), read.shape)
    where = f"(layer {layer + 1}, {columns[column]})"
    lines.append(f"to compare    words in order {order:.1f}, at random {random:.1f}, one right link a word {ideal:.1f}")
    lines.append(f"where read    {read.min():.1f} at best {where}; the table is of the positions that write a word")
    return "\n".join(lines)
