"""Score a run: BLEU, perplexity and alignment of a translation, accuracy of classes, bits per character of a text."""

from ..runs.folder import RunFolder
from ..tasks import TASKS
from ..utils import InputError, settings_of
from ..utils.malloc import keep_freed_memory
from .beam_options import add_search_options
from .options import add_settings, named, whole_number

USAGE = "[options] RUN"


def add_options(parser) -> None:
    """Add the options of all runs, and those of each task."""
    parser.add_argument("run", type=named, metavar="RUN", help="a run folder of `npformer train` or import")
    shown = "print the first N examples (default 0)"
    parser.add_argument("--show", type=whole_number(0), default=0, metavar="N", help=shown)
    add_search_options(parser, "batch-tokens")
    for task in TASKS.values():
        add_settings(parser.add_argument_group(f"runs of {task.name}"), settings_of(task.evaluate_settings))


def run(options) -> int:
    """Score a run as its task does, and return the exit status."""
    keep_freed_memory()
    folder = RunFolder(options.run)
    task = TASKS[folder.predictor.task]
    given = {k: v for k, v in vars(options).items() if k not in ("run", "show", "batch_tokens", "verb", "call")}
    if foreign := given.keys() - settings_of(task.evaluate_settings).keys():
        raise InputError(f"a run of {task.name} takes no {', '.join(sorted(foreign))}")
    if folder.has_training():
        given = task.evaluate_defaults(folder.training()) | given
    settings = task.evaluate_settings(**given)
    predictor = folder.predictor.load(options.run)
    examples = task.read_examples(predictor, settings)
    if examples is None:
        examples = folder.test_examples()
    scores = task.evaluate(predictor, examples, batch_tokens=options.batch_tokens, **given)
    if shown := options.show and scores.examples(options.show):
        print(f"{shown}\n")
    print(scores.table())
    return 0
