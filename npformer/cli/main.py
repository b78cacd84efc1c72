"""From the command line to a verb, and from an error to one line and an exit status."""

import io
import sys
from collections.abc import Sequence

from .. import __version__
from ..utils import InputError
from .mpi import abort_ranks, join_ranks
from .options import Parser
from .output import one_line, print_error
from .signals import ctrl_c_exits


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `npformer` with these arguments.

    Returns 0, 1 for wrong gradients or answers, 2 for input that cannot be used, and 128 + n after signal n, so 130
    after Ctrl-C.
    """
    try:
        with ctrl_c_exits(arguments is None):
            options = _make_parser().parse(sys.argv[1:] if arguments is None else list(arguments))
        _open_output()
        verb, run_verb = (vars(options).pop(name) for name in ("verb", "run_verb"))
        join_ranks(verb)
        return run_verb(options)
    except KeyboardInterrupt:
        return _exit_status(130)
    except SystemExit as end:  # argparse has printed the help, or a second signal came
        return _exit_status(end.code)
    except BrokenPipeError:
        sys.stderr.close()
        return _exit_status(1)
    except (InputError, OSError, MemoryError) as error:
        return _exit_status(2, str(error) or "out of memory")


def _make_parser() -> Parser:
    """Return the parser of the program, with a sub-parser per verb."""
    from ..tasks import TASKS
    from . import ablate, attend, classroom, data, evaluate, export, gradcheck, import_, table1, train
    from .predict import TaskVerb

    parser = Parser(prog="npformer", description='The Transformer of "Attention Is All You Need" in NumPy.')
    parser.add_argument("--version", action="version", version=f"npformer {__version__}")
    verbs = {"train": train, **{task.verb: TaskVerb(task) for task in TASKS.values()}}
    verbs |= {"evaluate": evaluate, "attend": attend, "gradcheck": gradcheck, "table1": table1, "ablate": ablate}
    verbs |= {"data": data, "import": import_, "export": export}
    parser.add_verbs(verbs)
    exercises = parser.add_verb("class", classroom)
    exercises.add_verbs(classroom.VERBS, default="watch")
    return parser


def _exit_status(status: int, message: str = "") -> int:
    """Report an error, end the other ranks where there are some, and return the exit status."""
    if status:
        abort_ranks(status, one_line(message))
    if message:
        print_error(message)
    return status


def _open_output() -> None:
    """Write UTF-8, and file names with the bytes that they were given in."""
    if sys.stdout is None:
        raise OSError("standard output is closed: redirect it to a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
