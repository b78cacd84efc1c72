"""Runs of classification: accuracy, macro F1 and the confusion matrix."""

from ...datasets.labelled_files import read_labelled
from ...decoding import Labeller
from ...evaluation import evaluate_labels
from ...runs.folder import RunFolder
from ..examples import classes
from ..options import named
from .own_data import own_data

TASK = "classification"
OPTIONS = {"tsv": None, "show": 0}


def add_options(add) -> None:
    """Add what may be said of such a run alone."""
    add("--tsv", type=named, metavar="FILE", help="label, tab, text (default: the run's test or held-out set)")


def run(options) -> int:
    """Name the classes of the run's test or held-out texts, or of a file's, and print the scores."""
    labeller = Labeller.load(options.run)
    texts = own_data(RunFolder(options.run)) if options.tsv is None else read_labelled(options.tsv)
    evaluation = evaluate_labels(labeller, texts, batch_tokens=options.batch_tokens)
    if options.show:
        print(f"{classes(evaluation, options.show)}\n")
    print(evaluation.table())
    return 0
