"""From the command line to a verb, and from an error to one line and an exit status."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from .. import __version__
from ..training.distributed import get_communicator
from ..utils import InputError
from .argument_parser import Parser
from .standard_streams import one_line, open_streams, print_error

__all__ = ["main"]

VERBS = {  # the module of each: its docstring describes it, and it has `add_options` and `run`
    "train": "npformer.cli.train",
    "translate": "npformer.cli.translate",
    "classify": "npformer.cli.classify",
    "generate": "npformer.cli.generate",
    "evaluate": "npformer.cli.evaluate",
    "attend": "npformer.cli.attend",
    "step": "npformer.cli.step",
    "gradcheck": "npformer.cli.gradcheck",
    "table1": "npformer.cli.table1",
    "ablate": "npformer.cli.ablate",
    "import": "npformer.cli.import_",
    "export": "npformer.cli.export",
    "course": "npformer_course.cli",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `npformer` with these arguments, by default those of the process.

    Returns 0, 1 for wrong gradients or answers, 2 for input that cannot be used, and 128 + n after
    signal n, so 130 after Ctrl-C.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        open_streams()
        options = _make_parser(arguments[:1]).parse(arguments)
        # after the arguments, so that --help and wrong options need no MPI
        _join_ranks(arguments)
        run_verb = options.run_verb
        # the rest are the verb's own options, which some verbs hand on as arguments
        del options.run_verb
        return run_verb(options)
    except KeyboardInterrupt:
        return _end(130)
    except SystemExit as end:  # argparse has printed the help
        return int(end.code or 0)
    except BrokenPipeError:  # the reader of the output has gone
        # Python flushes standard output at its end, and would report the broken pipe there
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
        return _end(1)
    except OSError as error:
        # without "[Errno 36]", and with the name as it was given
        reason = error.strerror or str(error)
        if error.filename:
            reason += f": {error.filename}"
        return _end(2, reason)
    except (InputError, MemoryError) as error:
        return _end(2, str(error) or "out of memory")


def _make_parser(chosen: list[str]) -> Parser:
    """Return the parser of the program; only the verb that was chosen has its options."""
    parser = Parser(
        prog="npformer", description='The Transformer of "Attention Is All You Need" in NumPy.'
    )
    parser.add_argument("--version", action="version", version=f"npformer {__version__}")

    def print_help(options: Any) -> int:
        parser.print_help()
        return 0

    parser.set_defaults(run_verb=print_help)
    # where a verb was chosen, it alone is imported; the help of the program needs all
    names = list(VERBS)
    if chosen and chosen[0] in VERBS:
        names = chosen
    for name in names:
        verb = import_module(VERBS[name])
        verb_parser = parser.add_verb(name, verb.run, verb.__doc__)
        if name in chosen:
            verb.add_options(verb_parser)
    return parser


def _join_ranks(arguments: list[str]) -> None:
    """Join the other ranks where mpiexec started several: they train one model, rank 0 prints.

    Raises `InputError` when they cannot be joined, or the verb is another one.
    """
    communicator = get_communicator()
    if communicator.rank > 0:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")
    if communicator.size > 1 and arguments[:1] != ["train"]:
        command = " ".join(["npformer", *arguments[:1]])
        raise InputError(
            f"{command} was started {communicator.size} times: only train runs under mpiexec"
        )


def _end(status: int, message: str = "") -> int:
    """Report an error, end the other ranks where there are some, and return the exit status."""
    try:
        communicator = get_communicator()
        if communicator.size > 1:
            communicator.abort(status, one_line(message))
    except InputError:  # they were never joined
        pass
    if message:
        print_error(message)
    return status
