"""The verbs of the command line and their options."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..datasets import corpus
from ..errors import InputError
from .settings import PRESETS, add_options

FILES = ("src", "tgt", "valid_src", "valid_tgt")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="npformer", description='The Transformer of "Attention Is All You Need" in NumPy, by hand.'
    )
    parser.add_argument("--version", action="version", version=f"npformer {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    add_train(verbs)
    add_translate(verbs)
    add_evaluate(verbs)
    add_gradcheck(verbs)
    add_data(verbs)
    return parser


def add_train(verbs) -> None:
    """Add `npformer train`."""
    text = "Train a model and leave a run folder behind. Without any option: the English-German phrasebook, a minute."
    parser = verbs.add_parser("train", help="train a model", description=text, argument_default=argparse.SUPPRESS)
    what = parser.add_argument_group("what to train on")
    what.add_argument(
        "dataset", nargs="?", default=None, choices=corpus.NAMES, help="a made data set (default phrasebook)"
    )
    for name, help_text in {
        "src": "source sentences, one a line, UTF-8, plain or .gz",
        "tgt": "their translations, line by line",
        "valid-src": "held-out source sentences (default: a random 2 %% of the training pairs)",
        "valid-tgt": "their translations",
    }.items():
        what.add_argument(f"--{name}", metavar="FILE", help=help_text)
    how = parser.add_argument_group("how")
    presets = "sizes and settings to start from (default: tiny for made data, small for files)"
    how.add_argument("--preset", choices=PRESETS, help=presets)
    how.add_argument("--run", metavar="DIR", help="the run folder to make (default: a new one in runs/)")
    how.add_argument("--resume", metavar="DIR", help="go on with a run that was stopped, or on to more --epochs")
    add_options(parser)


def add_translate(verbs) -> None:
    """Add `npformer translate`."""
    text = "Translate sentences, or standard input line by line. Output lines match input lines."
    parser = verbs.add_parser("translate", help="translate sentences", description=text)
    parser.add_argument("run", metavar="RUN", help="a run folder of `npformer train`")
    parser.add_argument("sentences", nargs="*", metavar="SENTENCE", help="default: the lines of standard input")


def add_evaluate(verbs) -> None:
    """Add `npformer evaluate`."""
    text = "Translate held-out sentences and print exact match, BLEU and perplexity."
    parser = verbs.add_parser("evaluate", help="score a trained model", description=text)
    parser.add_argument("run", metavar="RUN", help="a run folder of `npformer train`")
    parser.add_argument("--src", metavar="FILE", help="source sentences (default: the run's held-out set)")
    parser.add_argument("--tgt", metavar="FILE", help="their reference translations")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N translations")
    parser.add_argument("--batch-tokens", type=int, default=4096, metavar="N", help="source tokens of a batch, about")


def add_gradcheck(verbs) -> None:
    """Add `npformer gradcheck`."""
    text = "Compare every gradient of every layer and of whole models with numeric derivatives, in float64."
    parser = verbs.add_parser("gradcheck", help="prove every gradient", description=text)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only cases whose names contain this (default: all)")
    parser.add_argument("--brief", action="store_true", help="a line a case instead of a table")
    parser.add_argument("--seed", type=int, default=0, help="seed of inputs and weights (default 0)")
    parser.add_argument("--tolerance", type=float, default=1e-7, help="largest relative error (default 1e-7)")


def add_data(verbs) -> None:
    """Add `npformer data`."""
    text = "Write the made data sets as text, one sentence a line, with word alignments in the i-j format."
    parser = verbs.add_parser("data", help="write the made data sets", description=text)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(corpus.NAMES)} (default: all)")
    parser.add_argument("--out", default="data", metavar="DIR", help="folder to write below (default data)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the data (default 0)")
    parser.add_argument("--lines", type=int, metavar="N", help="at most N lines a file (default: all)")


def run_verb(given: dict) -> int:
    """Run the verb that the options name; each verb's file is read only when it is wanted."""
    verb = given.pop("verb")
    if verb == "train":
        from .train import train

        return train(checked_sources(given))
    if verb == "translate":
        from .translate import translate

        return translate(given["run"], given["sentences"])
    if verb == "evaluate":
        from .evaluate import evaluate

        return evaluate(given.pop("run"), **given)
    if verb == "gradcheck":
        from .gradcheck import gradcheck

        return gradcheck(given.pop("names"), **given)
    from .data import data

    return data(given.pop("names"), **given)


def checked_sources(given: dict) -> dict:
    """Check that the options say one thing to train on, and make file names absolute for a later resume."""
    given = {name: value for name, value in given.items() if value is not None}
    files = [name for name in FILES if name in given]
    for one, other in (("src", "tgt"), ("valid_src", "valid_tgt")):
        if (one in given) != (other in given):
            raise InputError(
                f"--{one.replace('_', '-')} and --{other.replace('_', '-')} go together: give both or neither"
            )
    if files and "dataset" in given:
        raise InputError(f"the data set {given['dataset']} and files cannot be trained on at once: give one of them")
    if "valid_src" in given and "src" not in given:
        raise InputError("--valid-src and --valid-tgt need --src and --tgt beside them")
    if not files and "dataset" not in given and "resume" not in given:
        given["dataset"] = "phrasebook"
    return {**given, **{name: os.fspath(Path(given[name]).absolute()) for name in files}}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `npformer` with these arguments; return 0, 1 for wrong gradients, 2 for input that cannot be used."""
    given = vars(build_parser().parse_args(arguments))
    try:
        return run_verb(given)
    except InputError as error:
        print(f"npformer: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130
