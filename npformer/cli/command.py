"""From the command line to a verb, and from an error to one line and an exit status.

Nothing is imported before it is wanted: `npformer --help` answers at once, and Ctrl-C is understood from the beginning.
"""

import io
import sys
from collections.abc import Sequence
from importlib import import_module

from .. import __version__
from .lines import tell
from .signals import ctrl_c_ends

VERBS = {
    "train": "train a model",
    "translate": "translate sentences",
    "evaluate": "score a trained model",
    "attend": "draw the attention of a trained model",
    "gradcheck": "prove every gradient",
    "data": "write the made data sets",
}
HELP = f"""\
usage: npformer VERB ...

The Transformer of "Attention Is All You Need" in NumPy, by hand.

{"".join(f"  {verb:<12}{what}{chr(10)}" for verb, what in VERBS.items())}
npformer VERB --help shows what a verb takes, npformer --version the version."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `npformer` with these arguments.

    Returns 0, 1 for wrong gradients, 2 for input that cannot be used, and 128 + n after signal n, so 130 after Ctrl-C.
    """
    try:
        if arguments is None:
            arguments = sys.argv[1:]
            with ctrl_c_ends():
                for verb in {*arguments[:1]} & {*VERBS}:
                    module(verb)
        return run_verb(list(arguments))
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:  # argparse has shown the help, or a second signal came
        return end.code
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except Exception as error:
        from ..base.errors import InputError

        if not isinstance(error, (InputError, OSError, MemoryError)):
            raise
        tell(str(error) or "out of memory")
        return 2


def run_verb(arguments: list[str]) -> int:
    """Run a verb with its arguments, or answer without one."""
    open_output()
    verb, *rest = arguments or [None]
    if verb in VERBS:
        return module(verb).run(parser(verb).parse(rest))
    if answer := {"-h": HELP, "--help": HELP, "--version": f"npformer {__version__}"}.get(verb):
        print(answer)
        return 0
    came = "there is no verb" if verb is None else f"{verb!r} is no verb"
    tell(f"{came}: expected one of {', '.join(VERBS)}. npformer --help explains them")
    return 2


def module(verb: str):
    """Return the file of a verb: its docstring and USAGE stand in its help, add_options and run do the rest."""
    return import_module(f".{verb}", __package__)


def parser(verb: str):
    """Return the parser of a verb."""
    from .options import OneLineParser

    usage = f"%(prog)s {module(verb).USAGE}"
    made = OneLineParser(prog=f"npformer {verb}", usage=usage, description=module(verb).__doc__)
    module(verb).add_options(made)
    return made


def open_output() -> None:
    """Write UTF-8, as files are read, and the names of files as they came."""
    if sys.stdout is None:
        raise OSError("standard output is closed: let it go to a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
