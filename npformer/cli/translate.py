"""Translate sentences, or standard input line by line. After -- a text may begin with -."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ..tasks import Translation, Translator
from ..utils import one_line
from .argument_parser import number
from .predict import add_search_options, add_text_arguments, load_predictor, print_predictions


def add_options(parser: Any) -> None:
    """Add the options."""
    add_text_arguments(parser)
    add_search_options(parser)
    parser.add_argument(
        "--n-best",
        type=number(least=1),
        metavar="N",
        help="print the N best translations of each text, with number, score and text "
        "separated by tabs (default: the best text alone)",
    )


def run(options: Any) -> int:
    """Print the translations; return 2 if a text cannot be used, else 0."""
    translator = load_predictor(options.run, "translation")
    predict = partial(_translate, translator, options)
    return print_predictions(translator, options.texts, predict)


def _translate(
    translator: Translator, options: Any, texts: list[str | None], first: int
) -> Iterator[str]:
    """Yield the translation of each text, or `n_best` lines for it.

    A text that is None, which cannot be translated, has an output too, so that the lines of a file
    and of its translation correspond.
    """
    translations = translator.translations(
        [translator.encode(text) for text in texts if text is not None],
        n=options.n_best,
        beam=getattr(options, "beam", None),
        alpha=getattr(options, "alpha", None),
        length_normalization=getattr(options, "length_normalization", None),
        batch_tokens=options.batch_tokens,
    )
    remaining = iter(translations)
    for number_of_text, text in enumerate(texts, start=first):
        n_best = [] if text is None else next(remaining)
        if options.n_best is not None:
            yield _format_n_best(number_of_text, n_best)
        elif n_best:
            yield one_line(n_best[0].text)
        else:
            yield ""


def _format_n_best(number_of_text: int, n_best: Sequence[Translation]) -> str:
    """Return a line for each translation of a text: the text's number, score, translation."""
    if not n_best:
        return f"{number_of_text}\t\t"
    lines = []
    for text, score in n_best:
        lines.append(f"{number_of_text}\t{score:.4f}\t{one_line(text)}")
    return "\n".join(lines)
