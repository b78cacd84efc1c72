"""The verbs of the command line and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from .. import __version__, datasets
from ..base.errors import InputError
from ..base.options import add_options
from ..decoding.translator import ALPHA, BATCH_TOKENS, BEAM
from ..runs.recipe import TRAINING, TrainingSettings, TransformerConfig

KINDS, PICTURES = ("cross", "encoder", "decoder"), ("maps", "lines")


class OneLineParser(argparse.ArgumentParser):
    """A parser that reports a wrong option as every other error is reported: in one line."""

    def error(self, message: str):
        """Raise `InputError` in place of argparse's usage text."""
        raise InputError(f"{message}. {self.prog} --help shows the options")


def whole_number(least: int) -> Callable[[str], int]:
    """Return the type of an option that takes a whole number, `least` or more."""

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more, got {text!r}")
        return int(text)

    return read


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = OneLineParser(
        prog="npformer", description='The Transformer of "Attention Is All You Need" in NumPy, by hand.'
    )
    parser.add_argument("--version", action="version", version=f"npformer {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    add_train(verbs)
    add_translate(verbs)
    add_evaluate(verbs)
    add_attend(verbs)
    add_gradcheck(verbs)
    add_data(verbs)
    return parser


def add_train(verbs) -> None:
    """Add `npformer train`."""
    text = "Train a model and leave a run folder behind. Without any option: the English-German phrasebook, a minute."
    parser = verbs.add_parser("train", help="train a model", description=text, argument_default=argparse.SUPPRESS)
    what = parser.add_argument_group("what to train on")
    names = list(datasets.table())
    what.add_argument(
        "dataset", nargs="?", default=None, choices=names, help="a data set by its name (default phrasebook)"
    )
    add_options(what, TrainingSettings, ["direction", "src", "tgt", "valid_src", "valid_tgt"])
    how = parser.add_argument_group("how")
    add_options(how, TrainingSettings, ["recipe"])
    how.add_argument("--run", metavar="DIR", help="the run folder to make (default: a new one in runs/)")
    how.add_argument("--resume", metavar="DIR", help="go on with a run that was stopped, or on to more --epochs")
    add_options(parser.add_argument_group("model"), TransformerConfig)
    add_options(parser.add_argument_group("training"), TrainingSettings, TRAINING)


def add_translate(verbs) -> None:
    """Add `npformer translate`."""
    text = "Translate sentences, or standard input line by line. Output lines match input lines."
    parser = verbs.add_parser("translate", help="translate sentences", description=text)
    parser.add_argument("run", metavar="RUN", help="a run folder of `npformer train`")
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE", help="default: the lines of standard input")
    add_decoding_options(parser)
    parser.add_argument(
        "--n-best", type=whole_number(1), metavar="N", help="the N best of each line: line number, score, text, by tabs"
    )


def add_evaluate(verbs) -> None:
    """Add `npformer evaluate`."""
    text = "Translate sentences and print exact match, BLEU and perplexity, and how well attention aligns words."
    parser = verbs.add_parser("evaluate", help="score a trained model", description=text)
    parser.add_argument("run", metavar="RUN", help="a run folder of `npformer train`")
    parser.add_argument("--src", metavar="FILE", help="source sentences (default: the run's test or held-out set)")
    parser.add_argument("--tgt", metavar="FILE", help="their reference translations")
    parser.add_argument("--show", type=whole_number(0), default=0, metavar="N", help="print the first N translations")
    parser.add_argument(
        "--language",
        metavar="CODE",
        help="the target language, for BLEU on Moses tokens (default: what the data set says)",
    )
    add_decoding_options(parser)


def add_decoding_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of beam search."""
    parser.add_argument(
        "--beam", type=whole_number(1), default=BEAM, metavar="N", help=f"hypotheses at a time, 1: greedy ({BEAM})"
    )
    parser.add_argument("--alpha", type=float, default=ALPHA, metavar="A", help=f"length penalty, 0: none ({ALPHA})")
    parser.add_argument(
        "--batch-tokens",
        type=whole_number(1),
        default=BATCH_TOKENS,
        metavar="N",
        help=f"source tokens of a batch, about ({BATCH_TOKENS})",
    )


def add_attend(verbs) -> None:
    """Add `npformer attend`."""
    text = "Draw where a trained model looks while it translates a sentence. Layers and heads are counted from 1."
    parser = verbs.add_parser("attend", help="draw the attention of a trained model", description=text)
    parser.add_argument("run", metavar="RUN", help="a run folder of `npformer train`")
    parser.add_argument("sentence", metavar="SENTENCE", help="what to translate")
    parser.add_argument("--translation", metavar="TEXT", help="read this (default: what the model writes, greedily)")
    parser.add_argument("--kind", choices=KINDS, default="cross", help="which attention (default cross)")
    parser.add_argument("--layer", metavar="N", help="a layer, or all (default: the last)")
    parser.add_argument("--heads", metavar="N,N", help="some heads, such as 1,3 (default: all)")
    parser.add_argument(
        "--picture", choices=PICTURES, default="maps", help="maps: a heat map a head; lines: as in the paper (maps)"
    )
    parser.add_argument("--query", metavar="TOKEN", help="in a picture of lines: only those of this token")
    parser.add_argument("--dark", action="store_true", help="light on black, for dark pages")
    parser.add_argument("--out", metavar="FILE", help=".png, .svg or .pdf (default: a PNG in this folder)")
    parser.add_argument("--html", metavar="FILE", help="beside the picture, a page to explore all layers and heads in")


def add_gradcheck(verbs) -> None:
    """Add `npformer gradcheck`."""
    text = "Compare every gradient of every layer and of whole models with numeric derivatives, in float64."
    parser = verbs.add_parser("gradcheck", help="prove every gradient", description=text)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only cases whose names contain this (default: all)")
    parser.add_argument("--list", action="store_true", dest="list_only", help="name the cases, check none")
    parser.add_argument("--brief", action="store_true", help="a line a case instead of a table")
    parser.add_argument("--seed", type=whole_number(0), default=0, help="seed of inputs and weights (default 0)")
    parser.add_argument("--tolerance", type=float, default=1e-7, help="largest relative error (default 1e-7)")


def add_data(verbs) -> None:
    """Add `npformer data`."""
    text = "Write the made data sets as text, one sentence a line, with word alignments in the i-j format."
    made = [name for name, data in datasets.table().items() if data.made]
    parser = verbs.add_parser("data", help="write the made data sets", description=text)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(made)} (default: all)")
    parser.add_argument("--out", default="data", metavar="DIR", help="folder to write below (default data)")
    parser.add_argument("--seed", type=whole_number(0), default=0, help="seed of the data (default 0)")
    parser.add_argument("--lines", type=whole_number(1), metavar="N", help="at most N lines a file (default: all)")
