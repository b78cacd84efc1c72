"""Runs of language modelling: perplexity, and bits for a character."""

from ...datasets.text_files import read_document
from ...decoding import TextGenerator
from ...evaluation import evaluate_text
from ...runs.folder import RunFolder
from ..options import named
from ..output import tell
from .own_data import own_data

TASK = "language_model"
OPTIONS = {"text": None}
SHOWN = 10  # unknown tokens that are named


def add_options(group) -> None:
    """Add what may be said of such a run alone."""
    group.add_argument(
        "--text", type=named, metavar="FILE", help="a text to foresee (default: the run's test or held-out one)"
    )


def run(options) -> int:
    """Foresee the run's test or held-out text, or a file's, and print the scores."""
    writer = TextGenerator.load(options.run)
    documents = (
        own_data(RunFolder(options.run), "--text FILE") if options.text is None else [read_document(options.text)]
    )
    evaluation = evaluate_text(writer, documents, batch_tokens=options.batch_tokens)
    if unknown := list(dict.fromkeys(token for text in documents for token in writer.text.unknown(text))):
        more = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
        tell(f"unknown, read and foreseen as <unk>: {', '.join(unknown[:SHOWN])}{more}")
    print(evaluation.table())
    return 0
