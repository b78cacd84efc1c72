"""From the command line to a verb, and from an error to one line and an exit status."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from ..base.errors import InputError
from .parser import build_parser


def run_verb(given: dict) -> int:
    """Run the verb that the options name; each verb's file is read only when it is wanted."""
    verb = given.pop("verb")
    if verb == "train":
        from .train import train

        return train(given)
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
