"""Score a run: BLEU, perplexity and alignment of a translation, accuracy of classes, bits a character of a text."""

from ..models.model_folder import ModelFolder
from ..tasks import TASKS
from ..utils import InputError
from ..utils.malloc import keep_freed_memory
from .beam_options import add_search_options
from .evaluating import OF_TASK
from .options import named, whole_number

USAGE = "[options] RUN"


def add_options(parser) -> None:
    """Add what may be said: of any run, and of those of a task."""
    add = parser.add_argument
    add("run", type=named, metavar="RUN", help="a run folder of `npformer train` or import")
    add("--show", type=whole_number(0), metavar="N", help="print the first N translations or classes (default 0)")
    add_search_options(parser, "batch-tokens")
    for name, task in OF_TASK.items():
        group = parser.add_argument_group(f"runs of {TASKS[name].words}")
        task.add_options(group)
    parser.set_defaults(**dict.fromkeys(all_options()))  # so that one which is given can be told from one which is not


def run(options) -> int:
    """Score a run as its task asks, and return the exit status."""
    keep_freed_memory()
    name = ModelFolder(options.run).task().name
    task, given = OF_TASK[name], [option for option in all_options() if getattr(options, option) is not None]
    if foreign := [f"--{option}" for option in given if option not in task.OPTIONS]:
        its = ", ".join(f"--{option}" for option in (*task.OPTIONS, "batch-tokens"))
        raise InputError(f"a run of {TASKS[name].words} takes no {', '.join(foreign)}: expected some of {its}")
    for option, default in task.OPTIONS.items():
        if option not in given:
            setattr(options, option, default)
    return task.run(options)


def all_options() -> list[str]:
    """Return the names of the options that only runs of some tasks have."""
    return list(dict.fromkeys(option for task in OF_TASK.values() for option in task.OPTIONS))
