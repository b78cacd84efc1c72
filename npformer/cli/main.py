"""From the command line to a verb, and from an error to one line and an exit status."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ..base.errors import InputError
from ..runs.settings import SENTENCE_FILES
from .parser import build_parser


def run_verb(given: dict) -> int:
    """Run the verb that the options name; each verb's file is read only when it is wanted."""
    verb = given.pop("verb")
    if verb == "train":
        from .train import train

        return train(checked_sources(given))
    if verb == "translate":
        from .translate import translate

        return translate(given.pop("run"), given.pop("sentences"), **given)
    if verb == "evaluate":
        from .evaluate import evaluate

        return evaluate(given.pop("run"), **given)
    if verb == "attend":
        from .attend import attend

        return attend(given.pop("run"), given.pop("sentence"), **given)
    if verb == "gradcheck":
        from .gradcheck import gradcheck

        return gradcheck(given.pop("names"), **given)
    from .data import data

    return data(given.pop("names"), **given)


def checked_sources(given: dict) -> dict:
    """Check that the options say one thing to train on, and make file names absolute for a later resume."""
    given = {name: value for name, value in given.items() if value is not None}
    files = [name for name in SENTENCE_FILES if name in given]
    for one, other in (("src", "tgt"), ("valid_src", "valid_tgt")):
        if (one in given) != (other in given):
            raise InputError(
                f"--{one.replace('_', '-')} and --{other.replace('_', '-')} go together: give both or neither"
            )
    if files and "dataset" in given:
        raise InputError(f"the data set {given['dataset']} and files cannot be trained on at once: give one of them")
    if "valid_src" in given and "src" not in given:
        raise InputError("--valid-src and --valid-tgt need --src and --tgt beside them")
    if "direction" in given and given.get("dataset") != "multi30k":
        raise InputError("--direction is for multi30k: give files the other way round, as --src and --tgt")
    if not files and "dataset" not in given and "resume" not in given:
        given["dataset"] = "phrasebook"
    return {**given, **{name: os.fspath(Path(given[name]).absolute()) for name in files}}


def open_output() -> None:
    """Write UTF-8, as files are read. Raises `InputError` when standard output is closed."""
    if sys.stdout is None:
        raise InputError("standard output is closed: let it go to a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `npformer` with these arguments; return 0, 1 for wrong gradients, 2 for input that cannot be used."""
    try:
        open_output()
        return run_verb(vars(build_parser().parse_args(arguments)))
    except InputError as error:
        print(f"npformer: {' '.join(str(error).splitlines())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except (OSError, MemoryError) as error:
        print(f"npformer: {error or 'out of memory'}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
