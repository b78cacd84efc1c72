"""Score a run. BLEU and perplexity of a translation, accuracy of classes, bits per character of a text."""

from ..runs.folder import RunFolder
from ..tasks import TASKS
from ..tasks.predictor import BATCH_TOKENS
from ..utils import InputError, settings_of
from ..utils.threads_and_memory import keep_freed_memory
from .argument_parser import add_settings, file_name, number


def add_options(parser) -> None:
    """Add the options of all runs, and those of each task."""
    add = parser.add_argument
    add("run", type=file_name, metavar="RUN", help="a run folder of `npformer train` or import")
    add(
        "--show",
        type=number(least=0),
        default=0,
        metavar="N",
        help="print the first N examples (default 0)",
    )
    size = f"tokens that are read at a time, about (default {BATCH_TOKENS})"
    add("--batch-tokens", type=number(least=1), default=BATCH_TOKENS, metavar="N", help=size)
    added = set()
    for task in TASKS.values():
        known = settings_of(task.evaluate_settings)
        names = [
            name for name in known if name not in added
        ]  # one option for tasks that share its name
        add_settings(
            parser.add_argument_group(f"runs of the task {task.name}"), known, names, flags=True
        )
        added.update(names)


def run(options) -> int:
    """Score a run as its task does, and return the exit status."""
    keep_freed_memory()
    arguments = vars(options)
    path, n_shown, batch_tokens = (arguments.pop(name) for name in ("run", "show", "batch_tokens"))
    folder = RunFolder(path)
    task = TASKS[folder.predictor.task]
    known = settings_of(task.evaluate_settings)
    if foreign := [f"--{name}" for name in arguments if name not in known]:
        expected = ", ".join(f"--{name}" for name in (*known, "show", "batch-tokens"))
        raise InputError(
            f"a run of the task {task.name} takes no {', '.join(foreign)}: expected some of {expected}"
        )
    if "training" in folder.content():
        arguments = task.evaluate_defaults(folder.training()) | arguments
    settings = task.evaluate_settings(**arguments)
    predictor = folder.load()
    examples = task.read_examples(predictor, settings)
    if examples is None:
        training = folder.training()
        [examples] = training.load("test" if "test" in training.data_set().parts else "held_out")
    scores = task.evaluate(predictor, examples, batch_tokens=batch_tokens, **arguments)
    if text := n_shown and scores.examples(n_shown):
        print(f"{text}\n")
    print(scores.table())
    return 0
