"""Runs of classification: accuracy, macro F1 and the confusion matrix."""

from ...datasets.labelled_files import read_labelled
from ...decoding import TextClassifier
from ...evaluation import evaluate_labels
from ...runs.figures import draw_confusion
from ...runs.folder import RunFolder
from ...utils.files import check_place
from ...visualization.plots import picture_format
from ..examples import classes
from ..options import named
from ..output import warnings_told
from .own_data import own_data

TASK = "classification"
OPTIONS = {"tsv": None, "picture": None, "show": 0}


def add_options(group) -> None:
    """Add what may be said of such a run alone."""
    add = group.add_argument
    add("--tsv", type=named, metavar="FILE", help="label, tab, text (default: the run's test or held-out set)")
    add("--picture", type=named, metavar="FILE", help="draw the confusion matrix: .png, .svg or .pdf")


def run(options) -> int:
    """Name the classes of the run's test or held-out texts, or of a file's, and print the scores."""
    if options.picture is not None:
        picture_format(options.picture)
        check_place(options.picture)
    labeller = TextClassifier.load(options.run)
    if options.tsv is None:
        texts = own_data(RunFolder(options.run), "--tsv FILE")
    else:
        texts = read_labelled(options.tsv, known=labeller.label.names)
    evaluation = evaluate_labels(labeller, texts, batch_tokens=options.batch_tokens)
    if options.show:
        print(f"{classes(evaluation, options.show)}\n")
    print(evaluation.table())
    if options.picture is not None:
        with warnings_told():
            draw_confusion(evaluation, options.picture)
        print(f"\n{options.picture}")
    return 0
