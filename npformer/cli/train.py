"""`npformer train`: train a model, and leave a run folder behind."""

from __future__ import annotations

import shlex
from contextlib import suppress
from pathlib import Path

from ..base.errors import InputError
from ..decoding import Translator
from ..evaluation.translations import evaluate
from ..runs.folder import RunFolder
from ..runs.pictures import draw_attention, draw_curves
from ..runs.prepare import target_language
from ..runs.run import Run
from ..runs.settings import resolve
from .progress import describe
from .threads import blas_threads

DESCRIPTION = "Train a model and leave a run folder behind. Without any option: the English-German phrasebook, a minute."
USAGE = "[options] [DATASET]"
INTERRUPTED = 130
CHANGEABLE = ("epochs", "patience", "average", "average_of")  # settings that a resumed run may change
SHOWN = 10  # held-out translations printed at the end; the longest of them is drawn


def new_folder(name: str) -> RunFolder:
    """Return the first of runs/NAME, runs/NAME-2, ... that does not exist."""
    candidate, number = Path("runs") / name, 2
    while candidate.exists():
        candidate, number = Path("runs") / f"{name}-{number}", number + 1
    return RunFolder(candidate)


def flag(name: str) -> str:
    """Return the option of a setting."""
    return "--" + name.replace("_", "-")


def train(given: dict) -> int:
    """Train as the command line asks; return the exit status."""
    resume = given.pop("resume", None)
    if resume is not None:
        if other := given.keys() - set(CHANGEABLE):
            may, names = (", ".join(flag(name) for name in names) for names in (CHANGEABLE, sorted(other)))
            raise InputError(
                f"--resume takes all settings from the run: only {may} may be given beside it, not {names}"
            )
        run = Run.resume(RunFolder(resume), given)
    else:
        settings = resolve(given)
        run_path = settings.pop("run", None)
        folder = RunFolder(run_path) if run_path else new_folder(settings.get("dataset") or "run")
        run = Run.begin(folder, settings)
    print(describe(run), flush=True)
    with blas_threads(run.trainer.model.config):
        if run.train():
            with suppress(KeyboardInterrupt):
                finish(run)
                return 0
    options = [text for name in CHANGEABLE if resume and name in given for text in (flag(name), str(given[name]))]
    print(f"\nstopped and saved after update {run.trainer.optimizer.steps}; go on with")
    print(f"  {shlex.join(['npformer', 'train', '--resume', str(run.folder.path), *options])}")
    return INTERRUPTED


def finish(run: Run) -> None:
    """Draw the pictures, translate the held-out pairs and say how good that is."""
    translator = Translator.load(run.folder.path)
    draw_curves(run.log, run.folder.curve_path)
    evaluation = evaluate(translator, run.corpus.held_out, language=target_language(run.settings))
    sentence = max((pair.source for pair in evaluation.pairs[:SHOWN]), key=len)
    draw_attention(translator, sentence, run.folder.attention_path)
    print(f"\nheld-out translations (* differs from the reference)\n\n{evaluation.examples(SHOWN)}\n")
    print(f"{evaluation.table()}\n")
    print(f"translate with  {shlex.join(['npformer', 'translate', str(run.folder.path), sentence])}")


def add_options(parser):
    import argparse
    from ..runs.settings import add_options, DATASETS
    from ..datasets import multi30k
    parser.argument_default=argparse.SUPPRESS
    what = parser.add_argument_group("what to train on")
    what.add_argument(
        "dataset", nargs="?", default=None, choices=DATASETS, help="a data set by its name (default phrasebook)"
    )
    what.add_argument("--direction", choices=multi30k.DIRECTIONS, help="of multi30k (default en-de)")
    for name, help_text in {
        "src": "source sentences, one a line, UTF-8, plain or .gz",
        "tgt": "their translations, line by line",
        "valid-src": "held-out source sentences (default: a random 2 %% of the training pairs)",
        "valid-tgt": "their translations",
    }.items():
        what.add_argument(f"--{name}", metavar="FILE", help=help_text)
    how = parser.add_argument_group("how")
    recipes = "all settings to start from: tiny (default for made data), small (for files), base, multi30k, or a .json"
    how.add_argument("--recipe", metavar="NAME", help=recipes)
    how.add_argument("--run", metavar="DIR", help="the run folder to make (default: a new one in runs/)")
    how.add_argument("--resume", metavar="DIR", help="go on with a run that was stopped, or on to more --epochs")
    add_options(parser)


def run(options):
    given = {k: v for k, v in vars(options).items() if v is not None}
    from ..runs.settings import SENTENCE_FILES
    import os
    given |= {n: os.path.abspath(given[n]) for n in SENTENCE_FILES if n in given}
    if not {"src", "dataset", "resume"} & given.keys():
        given["dataset"] = "phrasebook"
    return train(given)
