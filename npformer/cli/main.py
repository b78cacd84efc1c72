"""From the command line to a verb, and from an error to one line and an exit status.

Nothing is imported before it is wanted: `npformer --help` answers at once, and Ctrl-C is understood from the beginning.
"""

import io
import sys
from collections.abc import Sequence
from importlib import import_module

from .. import __version__
from .mpi import abort_ranks, join_ranks
from .output import one_line, tell
from .signals import ctrl_c_ends

VERBS = {
    "train": "train a model",
    "evaluate": "score a trained model",
    "attend": "draw the attention of a trained model",
    "gradcheck": "prove every gradient",
    "table1": "measure what layers cost: table 1",
    "ablate": "train a model's variants: table 3",
    "data": "write the made data sets",
    "import": "make a run of a model from elsewhere",
    "export": "write a model for PyTorch",
    "class": "exercises: write the Transformer yourself",
}
ROOMS = {"class": "classroom"}  # a verb with verbs of its own
FILES = {**ROOMS, "import": "importing"}  # where it is not called like the verb


def verbs() -> dict[str, str]:
    """Return all verbs, those of the tasks after `train`, with a few words about each."""
    from ..tasks import TASKS

    of_tasks = {task.verb: task.help[0].lower() + task.help[1:].rstrip(".") for task in TASKS.values()}
    return {"train": VERBS["train"], **of_tasks, **VERBS}


def help_text() -> str:
    """Return what `npformer --help` prints."""
    lines = "".join(f"  {verb:<12}{what}\n" for verb, what in verbs().items())
    return f"""\
usage: npformer VERB ...

The Transformer of "Attention Is All You Need" in NumPy, by hand.

{lines}
npformer VERB --help shows the options of a verb, npformer --version the version."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `npformer` with these arguments.

    Returns 0, 1 for wrong gradients or answers, 2 for input that cannot be used, and 128 + n after signal n, so 130
    after Ctrl-C.
    """
    try:
        if arguments is None:
            arguments = sys.argv[1:]
            with ctrl_c_ends():
                load(arguments)
        return run_verb(list(arguments))
    except KeyboardInterrupt:
        return ended(130)
    except SystemExit as end:  # argparse has shown the help, or a second signal came
        return ended(end.code)
    except BrokenPipeError:
        sys.stderr.close()
        return ended(1)
    except Exception as error:
        from ..utils.errors import InputError

        if not isinstance(error, (InputError, OSError, MemoryError)):
            raise
        return ended(2, str(error) or "out of memory")


def ended(status: int, message: str = "") -> int:
    """Say why nothing more is done, end the other ranks too where there are some, and return the exit status."""
    if status:
        abort_ranks(status, one_line(message))
    if message:
        tell(message)
    return status


def load(arguments: list[str]) -> None:
    """Import what the verb of these arguments needs."""
    verb = arguments[0] if arguments else None
    if verb == "class":
        inner = in_classroom(arguments)[0]
        if inner in module("classroom").VERBS:
            module(f"classroom.{inner}")
    elif verb in VERBS:
        module(FILES.get(verb, verb))
    elif verb is not None and verb in verbs():
        task_verb(verb)


def in_classroom(arguments: list[str]) -> list[str]:
    """Return what stands behind `class`, with the verb that is meant where there is none."""
    inner = arguments[1:]
    if not inner or (inner[0].startswith("-") and inner[0] not in ("-h", "--help")):
        return ["watch", *inner]
    return inner


def run_verb(arguments: list[str]) -> int:
    """Run a verb with its arguments, or answer without one."""
    open_output()
    if arguments == ["--version"]:
        print(f"npformer {__version__}")
        return 0
    if arguments[:1] == ["class"]:
        room = module("classroom")
        return run_one(in_classroom(arguments), room.VERBS, room.HELP, "npformer class", "classroom.")
    if arguments[:1] and arguments[0] in VERBS:
        return run_one(arguments, VERBS, "", "npformer")
    return run_one(arguments, verbs(), help_text(), "npformer")


def run_one(arguments: list[str], verbs: dict[str, str], help: str, program: str, room: str = "") -> int:
    """Run one of some verbs, or say which there are."""
    verb, *rest = arguments or [None]
    if verb in verbs:
        if room or verb in VERBS:
            called = module(room + (verb if room else FILES.get(verb, verb)))
        else:
            called = task_verb(verb)
        join_ranks(program.partition(" ")[2] or verb)
        return called.run(parser(f"{program} {verb}", called).parse(rest))
    if verb in ("-h", "--help"):
        print(help)
        return 0
    came = "there is no verb" if verb is None else f"{verb!r} is no verb"
    tell(f"{came}: expected one of {', '.join(verbs)}. {program} --help explains them")
    return 2


def module(name: str):
    """Return the file of a verb: its docstring and USAGE stand in its help, add_options and run do the rest."""
    return import_module(f".{name}", __package__)


def task_verb(verb: str):
    """Return the verb of a task, with what the file of a verb has."""
    from ..tasks import TASKS
    from .predict import TaskVerb

    return next(TaskVerb(task) for task in TASKS.values() if task.verb == verb)


def parser(program: str, called):
    """Return the parser of a verb."""
    from .options import OneLineParser

    made = OneLineParser(prog=program, usage=f"%(prog)s {called.USAGE}", description=called.__doc__)
    called.add_options(made)
    return made


def open_output() -> None:
    """Write UTF-8, as files are read, and the names of files as they came."""
    if sys.stdout is None:
        raise OSError("standard output is closed: let it go to a terminal, a file or a pipe")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
